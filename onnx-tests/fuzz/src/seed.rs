//! The cases from which mutation starts.

mod plain;

use std::path::Path;

use backend_api::protocol::type_text::parse_type;
use harness_corpus::{CaseFiles, Corpus};
use onnx_model::proto::TensorProto;
use onnx_model::{Limits, Model, Source, decode_value};
use onnx_tensor::{Value, ValueType};
use prost::Message;

/// The maximum size of a model in bytes: larger ones take too long for a search.
const MAX_BYTES: usize = 64 << 10;

/// A case with its inputs, as bytes: every worker loads thousands of them, and each gives a few mutants.
#[derive(Clone, PartialEq, Message)]
pub struct Seed {
    /// The id of the case.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The file.
    #[prost(bytes = "vec", tag = "2")]
    pub model: Vec<u8>,
    #[prost(message, repeated, tag = "3")]
    pub inputs: Vec<SeedInput>,
}

/// The value of a seed's input.
#[derive(Clone, PartialEq, Message)]
pub struct SeedInput {
    /// The name of the input.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its type as text, `tensor(float)`.
    #[prost(string, tag = "2")]
    pub value_type: String,
    /// The value, in the format of the official tests.
    #[prost(bytes = "vec", tag = "3")]
    pub bytes: Vec<u8>,
}

/// Seeds in one file, which a campaign writes for its workers.
#[derive(Clone, PartialEq, Message)]
struct SeedFile {
    #[prost(message, repeated, tag = "1")]
    seeds: Vec<Seed>,
}

/// The value of an input during editing.
#[derive(Clone, Debug)]
pub enum Fed {
    /// A tensor, which edits change.
    Tensor(TensorProto),
    /// A sequence, map or optional, which is not edited.
    Other(Value),
}

/// Why there are no seeds.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// The own cases cannot be read.
    #[error(transparent)]
    Own(#[from] harness_corpus::own::OwnError),
    /// The seeds of a campaign cannot be written or read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The seeds of a campaign were changed.
    #[error("{path}: {source}")]
    Damaged {
        /// The file.
        path: String,
        /// The error.
        source: prost::DecodeError,
    },
}

/// The own cases, those of `others`, and a model for each operator that is missing in the own cases. A
/// case that cannot be decoded, is large, or has no stored inputs is omitted.
///
/// # Errors
/// [`SeedError::Own`]; never if the tests of the own cases pass.
pub fn seeds(others: &[Corpus]) -> Result<Vec<Seed>, SeedError> {
    let own = harness_corpus::own::corpus()?;
    let corpora = std::iter::once(&own).chain(others);
    let cases = corpora.flat_map(Corpus::cases).filter_map(seed);
    Ok(cases.chain(plain::seeds()).collect())
}

/// Writes seeds for [`read_seeds`].
///
/// # Errors
/// A file cannot be written.
pub fn write_seeds(path: &Path, seeds: &[Seed]) -> Result<(), SeedError> {
    let file = SeedFile {
        seeds: seeds.to_vec(),
    };
    std::fs::write(path, file.encode_to_vec()).map_err(|source| SeedError::Io {
        path: path.display().to_string(),
        source,
    })
}

/// Reads what [`write_seeds`] wrote.
///
/// # Errors
/// A file is missing, or was changed.
pub fn read_seeds(path: &Path) -> Result<Vec<Seed>, SeedError> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| SeedError::Io { path: name(), source })?;
    let file =
        SeedFile::decode(bytes.as_slice()).map_err(|source| SeedError::Damaged { path: name(), source })?;
    Ok(file.seeds)
}

fn seed(files: &CaseFiles) -> Option<Seed> {
    let small = |bytes: &onnx_model::Bytes| bytes.len() <= MAX_BYTES;
    let model = files.model.read().ok().filter(small)?;
    let types = Model::decode(model.clone(), &Source::named("seed"), &Limits::default()).ok()?;
    let set = files.data_sets.first().filter(|set| !set.generated_inputs)?;
    let mut inputs = Vec::new();
    for (info, file) in types.graph.inputs.iter().zip(&set.inputs) {
        if let (Some(file), Some(value_type)) = (file, &info.value_type) {
            inputs.push(SeedInput {
                name: info.name.clone(),
                value_type: value_type.to_string(),
                bytes: file.read().ok().filter(small)?.to_vec(),
            });
        }
    }
    Some(Seed {
        name: files.id.to_string(),
        model: model.to_vec(),
        inputs,
    })
}

impl SeedInput {
    /// The value; `None` if the bytes are not a value.
    pub fn fed(&self) -> Option<Fed> {
        let value_type = parse_type(&self.value_type).ok()?;
        Some(match value_type {
            ValueType::Tensor { .. } => Fed::Tensor(TensorProto::decode(self.bytes.as_slice()).ok()?),
            ValueType::Sparse { .. }
            | ValueType::Sequence(_)
            | ValueType::Map { .. }
            | ValueType::Optional(_) => {
                Fed::Other(decode_value(&self.bytes, &value_type, &Limits::default()).ok()?)
            }
        })
    }
}
