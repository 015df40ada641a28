//! Why a file cannot be decoded, and where in it.

use std::fmt;

use onnx_tensor::{DType, TensorError, UnknownDType, ValueType};

use crate::limits::Limit;
use crate::source::ExternalError;

/// What is wrong with a file, in one line that holds its causes: `model.onnx: graph.initializer[3] "w":
/// raw_data has 7 bytes, …`.
#[derive(Debug, thiserror::Error)]
#[error("{}{}{kind}", Prefix(file), Prefix(path))]
pub struct ModelError {
    /// The file, as [`crate::Source`] or the path names it; empty for bytes without a name.
    pub file: String,
    /// The message inside the file, from the outermost inwards: `graph.node[2] "conv1".attribute[0]
    /// "value".t`.
    pub path: String,
    /// What is wrong there.
    pub kind: Box<ModelErrorKind>,
}

/// A part of a message that is followed by a colon unless it is empty.
struct Prefix<'a>(&'a str);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => Ok(()),
            text => write!(f, "{text}: "),
        }
    }
}

/// The kinds of [`ModelError`].
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ModelErrorKind {
    #[error("cannot read the file: {0}")]
    Read(std::io::Error),
    #[error("this is no regular file but a folder, a pipe or a device; give the path of a model")]
    NotAFile,
    #[error("{found} {limit}, where the limit is {most}; raise it in `Limits` if the file is to be trusted")]
    Limit { limit: Limit, found: u64, most: u64 },
    #[error("not a protobuf message of ONNX: {problem} at byte {offset}")]
    Wire { offset: usize, problem: &'static str },
    #[error("not a protobuf message of ONNX: {0}")]
    Protobuf(prost::DecodeError),
    #[error("field `{field}` is missing")]
    Missing { field: &'static str },
    #[error("field `{field}` is not UTF-8: {text:?}")]
    NotUtf8 { field: &'static str, text: String },
    #[error("{what} cannot be represented here")]
    Unsupported { what: &'static str },
    #[error("opset of domain \"{domain}\" is imported twice, as {first} and {second}")]
    OpsetTwice { domain: String, first: i64, second: i64 },

    #[error("an attribute of this name stands here already")]
    AttributeTwice,
    #[error("attribute type {0} is unknown: the specification knows 1 (FLOAT) to 14 (TYPE_PROTOS)")]
    AttributeType(i32),
    #[error("the type is not said, and {} value fields are filled, so that it cannot be told", .filled.len())]
    AttributeUntyped { filled: Vec<&'static str> },
    #[error("the type asks for field `{asked}`, but only `{filled}` is filled")]
    AttributeField {
        asked: &'static str,
        filled: &'static str,
    },

    #[error(transparent)]
    DType(#[from] UnknownDType),
    #[error("axis {axis} has the extent {extent}, which is negative")]
    NegativeDim { axis: usize, extent: i64 },
    #[error("raw_data has {found} bytes, shape {shape:?} of {dtype} asks for {expected}")]
    RawSize {
        found: usize,
        expected: usize,
        shape: Vec<usize>,
        dtype: DType,
    },
    #[error("{field} has {found} values, shape {shape:?} of {dtype} asks for {expected}")]
    FieldCount {
        field: &'static str,
        found: usize,
        expected: usize,
        shape: Vec<usize>,
        dtype: DType,
    },
    #[error("{field} is filled, but elements of {dtype} are stored in {expected} or raw_data")]
    FieldOfOther {
        field: &'static str,
        expected: &'static str,
        dtype: DType,
    },
    #[error("both raw_data and {field} are filled, so that the elements are said twice")]
    StoredTwice { field: &'static str },
    #[error("strings are stored in string_data and nowhere else")]
    RawString,
    #[error("{field}[{index}] is {value}, which is no {dtype}")]
    ElementRange {
        field: &'static str,
        index: usize,
        value: i128,
        dtype: DType,
    },
    #[error(transparent)]
    Tensor(#[from] TensorError),

    #[error("data_location {0} is unknown: it is 0 (in the file) or 1 (external)")]
    DataLocation(i32),
    #[error("external_data: `{key}` is {value:?}, which is no number of bytes")]
    ExternalNumber { key: &'static str, value: String },
    #[error("external_data has {found} bytes, shape {shape:?} of {dtype} asks for {expected}")]
    ExternalSize {
        found: u64,
        expected: usize,
        shape: Vec<usize>,
        dtype: DType,
    },
    #[error(transparent)]
    External(#[from] ExternalError),

    #[error("the values of a sparse tensor have shape {0:?}, not [NNZ]")]
    SparseValues(Vec<usize>),
    #[error(
        "the indices of a sparse tensor are {dtype} of shape {shape:?}, \
         not int64 of [{nnz}] or [{nnz}, {rank}]"
    )]
    SparseIndices {
        dtype: DType,
        shape: Vec<usize>,
        nnz: usize,
        rank: usize,
    },
    #[error(
        "index {position} of a sparse tensor is {index:?}: outside of shape {shape:?}, \
         or not above the one before it"
    )]
    SparseIndex {
        position: usize,
        index: Vec<i64>,
        shape: Vec<usize>,
    },

    #[error("{expected} is asked for, but a {found} is there")]
    ValueOther {
        expected: ValueType,
        found: &'static str,
    },
    #[error("{expected} is asked for, but elem_type is {found}")]
    ValueKind { expected: ValueType, found: i32 },
    #[error("an element is {found}, where those before it are {expected}")]
    MixedElements { expected: ValueType, found: ValueType },
    #[error("keys of {0} cannot be: a key is an integer or a string")]
    KeyType(DType),
    #[error("{keys} keys stand against {values} values")]
    KeyCount { keys: usize, values: usize },
    #[error("key {0} stands here twice")]
    KeyTwice(String),
}

impl ModelError {
    /// The same error, said of this file.
    pub fn in_file(self, file: impl Into<String>) -> ModelError {
        ModelError {
            file: file.into(),
            ..self
        }
    }
}

impl<K: Into<ModelErrorKind>> From<K> for ModelError {
    fn from(kind: K) -> ModelError {
        ModelError {
            file: String::new(),
            path: String::new(),
            kind: Box::new(kind.into()),
        }
    }
}

/// Says of an error in which part of the message it happened.
pub(crate) trait Within<T> {
    /// Puts `part` in front of the path; it is made only for an error.
    fn within(self, part: impl FnOnce() -> String) -> Result<T, ModelError>;
}

impl<T, E: Into<ModelError>> Within<T> for Result<T, E> {
    fn within(self, part: impl FnOnce() -> String) -> Result<T, ModelError> {
        self.map_err(|error| {
            let error = error.into();
            let path = match error.path.as_str() {
                "" => part(),
                inner => format!("{}.{inner}", part()),
            };
            ModelError { path, ..error }
        })
    }
}
