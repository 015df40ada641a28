//! Decodes bytes to a [`Model`], a [`Function`] or a [`Value`].
//!
//! Decoding has three steps. The length of the bytes is checked; a scan of the wire format counts what
//! decoding would allocate ([`crate::scan`]); prost decodes the messages. Then the messages are converted to
//! the types of this crate.

mod attribute;
mod foreign;
mod graph;
mod layout;
mod metadata;
mod model;
mod name;
mod pieces;
mod raw;
mod sparse;
mod tensor;
mod text;
mod typed;
mod types;
mod value;

use std::path::Path;

pub use name::stored_name;
pub use pieces::decode_value_in_pieces;
pub use tensor::read_stored;

use onnx_tensor::{Tensor, Value, ValueType};
use prost::bytes::Bytes;

use crate::error::{ModelError, ModelErrorKind, Within};
use crate::limits::{Limit, Limits};
use crate::proto::{FunctionProto, ModelProto, TensorProto};
use crate::scan::{self, Shape, within};
use crate::source::{ExternalData, Folder, Source};
use crate::{Function, Model};

impl Model {
    /// Decodes a model from the bytes of a file.
    ///
    /// The result is well formed. Rules of the specification for names, types and operators are not checked.
    /// Elements are copied once, from `bytes` into tensors. A caller that still needs the file passes a
    /// clone; cloning [`Bytes`] copies nothing.
    pub fn decode(bytes: impl Into<Bytes>, source: &Source, limits: &Limits) -> Result<Model, ModelError> {
        let bytes = bytes.into();
        let foreign = foreign::format(&bytes);
        let decode = || {
            if bytes.is_empty() {
                let (what, advice) = foreign::EMPTY;
                return Err(ModelErrorKind::Foreign { what, advice }.into());
            }
            let proto: ModelProto = message(bytes, &scan::MODEL, limits)?;
            Decoder::new(limits, source).model(proto)
        };
        decode().map_err(|error: ModelError| match (foreign, &*error.kind) {
            (Some((what, advice)), ModelErrorKind::Wire { .. } | ModelErrorKind::Protobuf(_)) => {
                ModelError::from(ModelErrorKind::Foreign { what, advice }).in_file(source.name)
            }
            _ => error.in_file(source.name),
        })
    }

    /// Decodes a model from a regular file. External data is read from the file's folder.
    pub fn decode_file(path: impl AsRef<Path>, limits: &Limits) -> Result<Model, ModelError> {
        decode_file(path.as_ref(), limits, u64::MAX)
    }

    /// Decodes a model from a regular file. Large initializers with which more than `resident` bytes of
    /// external data would be read stay in their files ([`Value::Stored`]): 0 for callers that need only the
    /// declarations and small constants.
    pub fn decode_file_resident(
        path: impl AsRef<Path>,
        limits: &Limits,
        resident: u64,
    ) -> Result<Model, ModelError> {
        decode_file(path.as_ref(), limits, resident)
    }
}

fn decode_file(path: &Path, limits: &Limits, resident: u64) -> Result<Model, ModelError> {
    let name = path.display().to_string();
    let bytes = read(path, limits).map_err(|error| error.in_file(&name))?;
    // The parent of a bare file name is the empty path, which is not a folder.
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let folder = Folder::new(folder);
    let source = Source {
        resident,
        ..Source::named(&name).with_external(&folder)
    };
    Model::decode(bytes, &source, limits)
}

impl Function {
    /// Decodes a function from the bytes of a `FunctionProto`.
    pub fn decode(bytes: impl Into<Bytes>, source: &Source, limits: &Limits) -> Result<Function, ModelError> {
        let decode = |bytes| {
            let proto: FunctionProto = message(bytes, &scan::FUNCTION, limits)?;
            Decoder::new(limits, source).function(proto)
        };
        decode(bytes.into()).map_err(|error| error.in_file(source.name))
    }
}

/// Decodes a tensor from the bytes of a `TensorProto`.
pub fn decode_tensor(bytes: &[u8], limits: &Limits) -> Result<Tensor, ModelError> {
    let proto: TensorProto = message(copied(bytes, limits)?, &scan::TENSOR, limits)?;
    Decoder::new(limits, &Source::named("")).tensor(proto)
}

/// Decodes a value of type `value_type` from the bytes that the official tests store (`input_0.pb`): a
/// `TensorProto`, `SparseTensorProto`, `SequenceProto`, `MapProto` or `OptionalProto`.
///
/// The bytes do not state which of these messages they are, so the type is needed. The type also gives the
/// element type of an empty sequence or of an optional without a value. An element type that the bytes state
/// overrides the one of `value_type`.
pub fn decode_value(bytes: &[u8], value_type: &ValueType, limits: &Limits) -> Result<Value, ModelError> {
    value_of(copied(bytes, limits)?, value_type, limits)
}

/// Decodes a value, which may keep parts of `bytes` alive.
fn value_of(bytes: Bytes, value_type: &ValueType, limits: &Limits) -> Result<Value, ModelError> {
    let mut decoder = Decoder::new(limits, &Source::named(""));
    match value_type {
        ValueType::Tensor { .. } => decoder
            .tensor(message(bytes, &scan::TENSOR, limits)?)
            .map(Value::Tensor),
        ValueType::Sparse { .. } => decoder
            .sparse(message(bytes, &scan::SPARSE, limits)?)
            .map(Value::Sparse),
        ValueType::Sequence(element) => decoder
            .sequence(message(bytes, &scan::SEQUENCE, limits)?, element)
            .map(Value::Sequence),
        ValueType::Map { key, value } => decoder
            .map(message(bytes, &scan::MAP, limits)?, *key, value)
            .map(Value::Map),
        ValueType::Optional(element) => decoder.optional(message(bytes, &scan::OPTIONAL, limits)?, element),
    }
}

/// Reads a regular file that is not longer than the limit.
fn read(path: &Path, limits: &Limits) -> Result<Vec<u8>, ModelError> {
    use std::io::Read;

    // Checked before it is opened: opening a pipe waits for a writer, and opening a device can have side
    // effects.
    let metadata = std::fs::metadata(path).map_err(ModelErrorKind::Read)?;
    if !metadata.is_file() {
        return Err(ModelErrorKind::NotAFile.into());
    }
    within(Limit::FileBytes, metadata.len(), limits.file_bytes)?;
    let file = std::fs::File::open(path).map_err(ModelErrorKind::Read)?;
    let mut bytes = Vec::new();
    // A file may grow while it is read.
    file.take(limits.file_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(ModelErrorKind::Read)?;
    Ok(bytes)
}

/// Copies `bytes` if they are not longer than the limit.
fn copied(bytes: &[u8], limits: &Limits) -> Result<Bytes, ModelErrorKind> {
    within(Limit::FileBytes, bytes.len() as u64, limits.file_bytes)?;
    Ok(Bytes::copy_from_slice(bytes))
}

/// Scans the bytes of a message, then decodes it.
fn message<M: prost::Message + Default>(
    bytes: Bytes,
    shape: &'static Shape,
    limits: &Limits,
) -> Result<M, ModelError> {
    within(Limit::FileBytes, bytes.len() as u64, limits.file_bytes)?;
    scan::scan(&bytes, shape, limits)?;
    Ok(M::decode(bytes).map_err(ModelErrorKind::Protobuf)?)
}

/// The state of decoding one file. Each message has a method, in the module named after it.
struct Decoder<'a> {
    limits: &'a Limits,
    external: Option<&'a dyn ExternalData>,
    /// The bytes of external data after which large initializers stay in their files.
    resident: u64,
    /// The number of elements of all tensors so far.
    elements: u64,
    /// The number of bytes of external data so far.
    external_bytes: u64,
}

impl<'a> Decoder<'a> {
    fn new(limits: &'a Limits, source: &Source<'a>) -> Decoder<'a> {
        Decoder {
            limits,
            external: source.external,
            resident: source.resident,
            elements: 0,
            external_bytes: 0,
        }
    }
}

/// Decodes the messages of a repeated field.
fn each<M, T>(
    protos: Vec<M>,
    field: &'static str,
    mut decode: impl FnMut(M) -> Result<T, ModelError>,
) -> Result<Vec<T>, ModelError> {
    protos
        .into_iter()
        .enumerate()
        .map(|(index, proto)| decode(proto).within(|| format!("{field}[{index}]")))
        .collect()
}
