//! Errors of decoding: what is wrong, and where in the file.

use std::fmt;

use onnx_tensor::{DType, TensorError, UnknownDType, ValueType};

use crate::limits::Limit;
use crate::source::ExternalError;

/// An error in a file. Its message is one line and includes the causes:
/// `model.onnx: graph.initializer[3] "w": raw_data has 7 bytes, …`.
#[derive(Debug, thiserror::Error)]
#[error("{}{}{kind}", Prefix(file), Prefix(path))]
pub struct ModelError {
    /// The name of the file, from [`crate::Source`] or the path; empty for unnamed bytes.
    pub file: String,
    /// The location in the file, from the outermost message inwards:
    /// `graph.node[2] "conv1".attribute[0] "value".t`.
    pub path: String,
    /// The problem.
    pub kind: Box<ModelErrorKind>,
}

/// Writes a non-empty text followed by a colon, and nothing for an empty text.
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
pub enum ModelErrorKind {
    #[error("cannot read the file: {0}")]
    Read(std::io::Error),
    #[error("not a regular file (folder, pipe or device); give the path of a model")]
    NotAFile,
    #[error("{found} {limit}, the limit is {max}")]
    Limit { limit: Limit, found: u64, max: u64 },
    #[error("not an ONNX file, which is a protobuf message: {problem} at byte {offset}")]
    Wire { offset: usize, problem: &'static str },
    #[error("not an ONNX file, but {what}: {advice}")]
    Foreign {
        what: &'static str,
        advice: &'static str,
    },
    #[error("not an ONNX file, which is a protobuf message: {0}")]
    Protobuf(prost::DecodeError),
    #[error("field `{field}` is missing")]
    Missing { field: &'static str },
    #[error("field `{field}` is not UTF-8: {text:?}")]
    NotUtf8 { field: &'static str, text: String },
    #[error("{what} is not supported")]
    Unsupported { what: &'static str },
    #[error("opset of domain \"{domain}\" is imported twice, as {first} and {second}")]
    OpsetTwice { domain: String, first: i64, second: i64 },

    #[error("duplicate attribute name")]
    AttributeTwice,
    #[error("attribute type {0} is unknown: the specification defines 1 (FLOAT) to 14 (TYPE_PROTOS)")]
    AttributeType(i32),
    #[error("neither `type` nor a value field is set")]
    AttributeUntyped,
    #[error("the keys of a map are {0}, expected integers or strings")]
    MapKey(DType),
    #[error(
        "the value fields {} are set; an attribute has only one of them, and none beside `ref_attr_name`",
        .filled.join(", ")
    )]
    AttributeFields { filled: Vec<&'static str> },
    #[error("the type requires field `{expected}`, but only `{filled}` is set")]
    AttributeField {
        expected: &'static str,
        filled: &'static str,
    },

    #[error(transparent)]
    DType(#[from] UnknownDType),
    #[error("axis {axis} has the negative extent {extent}")]
    NegativeDim { axis: usize, extent: i64 },
    #[error("raw_data has {found} bytes, expected {expected} for shape {shape:?} of {dtype}")]
    RawSize {
        found: usize,
        expected: usize,
        shape: Vec<usize>,
        dtype: DType,
    },
    #[error("{field} has {found} values, expected {expected} for shape {shape:?} of {dtype}")]
    FieldCount {
        field: &'static str,
        found: usize,
        expected: usize,
        shape: Vec<usize>,
        dtype: DType,
    },
    #[error("{field} is set, but elements of {dtype} are stored in {expected} or raw_data")]
    FieldOfOther {
        field: &'static str,
        expected: &'static str,
        dtype: DType,
    },
    #[error("both {first} and {field} are set; only one of them may hold the elements")]
    StoredTwice {
        first: &'static str,
        field: &'static str,
    },
    #[error("strings must be stored in string_data")]
    RawString,
    #[error("{field}[{index}] is {value}, not a valid {dtype}")]
    ElementRange {
        field: &'static str,
        index: usize,
        value: i128,
        dtype: DType,
    },
    #[error(transparent)]
    Tensor(#[from] TensorError),

    #[error("unknown data_location {0}: expected 0 (in the file) or 1 (external)")]
    DataLocation(i32),
    #[error("external_data: two entries have the key `{key}`")]
    ExternalTwice { key: String },
    #[error("external_data: `{key}` is {value:?}, expected a number of bytes")]
    ExternalNumber { key: &'static str, value: String },
    #[error("external_data has {found} bytes, expected {expected} for shape {shape:?} of {dtype}")]
    ExternalSize {
        found: u64,
        expected: usize,
        shape: Vec<usize>,
        dtype: DType,
    },
    #[error(transparent)]
    External(#[from] ExternalError),

    #[error("a sparse tensor has the shape {0:?}; it must have an axis, and every extent must be positive")]
    SparseShape(Vec<i64>),
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
         or not greater than the index before it"
    )]
    SparseIndex {
        position: usize,
        index: Vec<i64>,
        shape: Vec<usize>,
    },

    #[error("expected {expected}, got {found}")]
    ValueOther {
        expected: ValueType,
        found: &'static str,
    },
    #[error("expected {expected}, got elem_type {found}")]
    ValueKind { expected: ValueType, found: i32 },
    #[error("an element is {found}, the elements before it are {expected}")]
    MixedElements { expected: ValueType, found: ValueType },
    #[error("invalid key type {0}: expected an integer or string type")]
    KeyType(DType),
    #[error("got {keys} keys and {values} values")]
    KeyCount { keys: usize, values: usize },
    #[error("duplicate key {0}")]
    KeyTwice(String),
}

impl ModelError {
    /// Sets the name of the file.
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

/// Adds the location to an error.
pub(crate) trait Within<T> {
    /// Puts `part` before the path of an error. `part` is called only for an error.
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
