//! Values and files in the payload: concatenated, in the order of the header.

use onnx_model::{Bytes, Limits, decode_value_in_pieces, encode_value};
use serde::{Deserialize, Serialize};

use super::error::Problem;
use super::payload::Payload;
use super::type_text::parse_type;
use crate::Named;

/// A value in the payload, as the header describes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Blob {
    /// The name in the graph.
    pub name: String,
    /// The type as text, such as `tensor(float)`. It determines the message in the payload: `TensorProto`,
    /// `SparseTensorProto`, `SequenceProto`, `MapProto` or `OptionalProto`.
    #[serde(rename = "type")]
    pub value_type: String,
    /// The length in bytes.
    pub bytes: u64,
}

/// A conversion between two forms of values and bytes.
pub(super) trait Convert<V, B> {
    /// The resulting form of values.
    type Values;
    /// The resulting form of bytes.
    type Bytes;
    /// Converts values.
    fn values(&mut self, values: V) -> Result<Self::Values, Problem>;
    /// Converts the bytes of field `what`.
    fn bytes(&mut self, what: &str, bytes: B) -> Result<Self::Bytes, Problem>;
}

/// Writes a payload.
#[derive(Default)]
pub(super) struct PayloadWriter {
    pub(super) payload: Payload,
}

impl Convert<Vec<Named>, Bytes> for PayloadWriter {
    type Values = Vec<Blob>;
    type Bytes = u64;

    fn values(&mut self, values: Vec<Named>) -> Result<Vec<Blob>, Problem> {
        let mut blobs = Vec::with_capacity(values.len());
        for (name, value) in values {
            let bytes = encode_value(&value, &name);
            let value_type = value.value_type().to_string();
            let bytes = self.bytes(&name, bytes.into())?;
            blobs.push(Blob {
                name,
                value_type,
                bytes,
            });
        }
        Ok(blobs)
    }

    fn bytes(&mut self, _what: &str, bytes: Bytes) -> Result<u64, Problem> {
        let length = bytes.len() as u64;
        self.payload.push(bytes);
        Ok(length)
    }
}

/// Reads a payload and frees the bytes that are read.
pub(super) struct PayloadReader {
    rest: Payload,
}

impl PayloadReader {
    pub(super) fn new(payload: Payload) -> PayloadReader {
        PayloadReader { rest: payload }
    }

    /// Fails if bytes are left. Called at the end.
    pub(super) fn finish(self) -> Result<(), Problem> {
        match self.rest.len() {
            0 => Ok(()),
            surplus => Err(Problem::Surplus(surplus)),
        }
    }

    fn take(&mut self, what: &str, bytes: u64) -> Result<Payload, Problem> {
        let left = self.rest.len();
        let length = usize::try_from(bytes).ok();
        let taken = length.and_then(|length| self.rest.take(length));
        taken.ok_or_else(|| Problem::Short {
            blob: what.to_owned(),
            bytes,
            left,
        })
    }
}

impl Convert<Vec<Blob>, u64> for PayloadReader {
    type Values = Vec<Named>;
    type Bytes = Bytes;

    fn values(&mut self, blobs: Vec<Blob>) -> Result<Vec<Named>, Problem> {
        let mut values = Vec::with_capacity(blobs.len());
        for Blob {
            name,
            value_type,
            bytes,
        } in blobs
        {
            let taken = self.take(&name, bytes)?;
            let value = match parse_type(&value_type) {
                Ok(value_type) => decode_value_in_pieces(taken, &value_type, &Limits::default()),
                Err(error) => return Err(Problem::Type { name, error }),
            };
            match value {
                Ok(value) => values.push((name, value)),
                Err(error) => {
                    return Err(Problem::Value {
                        name,
                        error: Box::new(error),
                    });
                }
            }
        }
        Ok(values)
    }

    fn bytes(&mut self, what: &str, bytes: u64) -> Result<Bytes, Problem> {
        self.take(what, bytes).map(Payload::into_bytes)
    }
}
