//! How values and files lie in the payload: end to end, in the order in which the header names them.

use onnx_model::{Limits, decode_value, encode_value};
use serde::{Deserialize, Serialize};

use super::error::Problem;
use super::type_text::parse_type;
use crate::Named;

/// A value, as the header names it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Blob {
    /// The graph's name for it.
    pub name: String,
    /// Its type as text: `tensor(float)`. It says which message the bytes hold: `TensorProto`, `SparseTensorProto`,
    /// `SequenceProto`, `MapProto` or `OptionalProto`.
    #[serde(rename = "type")]
    pub value_type: String,
    /// Length in bytes.
    pub bytes: u64,
}

/// A way from one form of values and bytes to another.
pub(super) trait Convert<V, B> {
    /// The form of values that comes out.
    type Values;
    /// The form of bytes that comes out.
    type Bytes;
    /// Converts values.
    fn values(&mut self, values: V) -> Result<Self::Values, Problem>;
    /// Converts the bytes of `what`.
    fn bytes(&mut self, what: &str, bytes: B) -> Result<Self::Bytes, Problem>;
}

/// Writes a payload.
#[derive(Default)]
pub(super) struct PayloadWriter {
    pub(super) payload: Vec<u8>,
}

impl Convert<Vec<Named>, Vec<u8>> for PayloadWriter {
    type Values = Vec<Blob>;
    type Bytes = u64;

    fn values(&mut self, values: Vec<Named>) -> Result<Vec<Blob>, Problem> {
        let mut blobs = Vec::with_capacity(values.len());
        for (name, value) in values {
            let bytes = encode_value(&value, &name);
            let value_type = value.value_type().to_string();
            let bytes = self.bytes(&name, bytes)?;
            blobs.push(Blob {
                name,
                value_type,
                bytes,
            });
        }
        Ok(blobs)
    }

    fn bytes(&mut self, _what: &str, bytes: Vec<u8>) -> Result<u64, Problem> {
        let length = bytes.len() as u64;
        match self.payload.is_empty() {
            // A model is most of its frame: move it instead of copying it.
            true => self.payload = bytes,
            false => self.payload.extend_from_slice(&bytes),
        }
        Ok(length)
    }
}

/// Reads a payload.
pub(super) struct PayloadReader<'a> {
    rest: &'a [u8],
}

impl<'a> PayloadReader<'a> {
    pub(super) fn new(payload: &'a [u8]) -> PayloadReader<'a> {
        PayloadReader { rest: payload }
    }

    /// To be asked at the end: an error if bytes are left.
    pub(super) fn finish(self) -> Result<(), Problem> {
        match self.rest.len() {
            0 => Ok(()),
            surplus => Err(Problem::Surplus(surplus)),
        }
    }

    fn take(&mut self, what: &str, bytes: u64) -> Result<&'a [u8], Problem> {
        let short = || Problem::Short {
            blob: what.to_owned(),
            bytes,
            left: self.rest.len(),
        };
        let length = usize::try_from(bytes).map_err(|_| short())?;
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(short)?;
        self.rest = rest;
        Ok(taken)
    }
}

impl Convert<Vec<Blob>, u64> for PayloadReader<'_> {
    type Values = Vec<Named>;
    type Bytes = Vec<u8>;

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
                Ok(value_type) => decode_value(taken, &value_type, &Limits::default()),
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

    fn bytes(&mut self, what: &str, bytes: u64) -> Result<Vec<u8>, Problem> {
        self.take(what, bytes).map(<[u8]>::to_vec)
    }
}
