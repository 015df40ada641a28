//! Tensors whose elements are in a file.

use std::path::PathBuf;

use crate::DType;

/// A dense tensor whose elements stay in a file until a node reads them: external data of a model that is
/// larger than the memory should hold (specification: ExternalData.md).
#[derive(Clone, PartialEq, Debug)]
pub struct StoredTensor {
    /// The element type; never string.
    pub dtype: DType,
    /// The extent of each axis.
    pub shape: Vec<usize>,
    /// The folder of the model.
    pub folder: PathBuf,
    /// The path of the file, relative to the folder.
    pub location: String,
    /// The position of the first element in the file, in bytes. The elements have the form of `raw_data`.
    pub offset: u64,
}
