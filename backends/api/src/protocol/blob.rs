//! Values and files in the payload: concatenated, in the order of the header.

use std::time::Instant;

use onnx_model::{Bytes, Limits, decode_value_in_pieces, encode_value};
use onnx_tensor::{DType, Value};
use serde::{Deserialize, Serialize};

use super::caps::named;
use super::error::Problem;
use super::part::{Library, MIN_NAMED, Part, Sending, is_sha256, sha256};
use super::payload::Payload;
use super::type_text::parse_type;
use crate::Named;

/// A value in the payload, as the header describes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Which bytes of models and files are sent.
    pub(super) sending: Sending,
}

impl PayloadWriter {
    fn push(&mut self, bytes: Bytes) -> u64 {
        let length = bytes.len() as u64;
        self.payload.push(bytes);
        length
    }
}

impl Convert<Vec<Named>, Bytes> for PayloadWriter {
    type Values = Vec<Blob>;
    type Bytes = Part;

    fn values(&mut self, values: Vec<Named>) -> Result<Vec<Blob>, Problem> {
        let mut blobs = Vec::with_capacity(values.len());
        for (name, value) in values {
            let bytes = encode_value(&value, &name);
            let value_type = value.value_type().to_string();
            let bytes = self.push(bytes.into());
            blobs.push(Blob {
                name,
                value_type,
                bytes,
            });
        }
        Ok(blobs)
    }

    fn bytes(&mut self, _what: &str, bytes: Bytes) -> Result<Part, Problem> {
        let digests = match &self.sending {
            Sending::Digests(digests) if bytes.len() >= MIN_NAMED => digests,
            Sending::Digests(_) | Sending::All => return Ok(Part::Sent(self.push(bytes))),
        };
        let (sha256, length) = (sha256(&bytes), bytes.len() as u64);
        let sent = digests.contains(&sha256);
        if sent {
            self.push(bytes);
        }
        Ok(Part::Named {
            sha256,
            bytes: length,
            sent,
        })
    }
}

/// The memory in bytes that strings and nested values of one answer may take, without their elements: ten
/// million empty strings. Encoded they take two bytes each.
const MAX_OBJECTS: u64 = 256 << 20;

/// The memory in bytes of a string or a nested value, without its elements.
const OBJECT: u64 = 24;

/// The limits of reading an answer.
pub(super) struct AnswerLimits {
    /// When the answer is too late.
    deadline: Option<Instant>,
    limits: Limits,
}

impl AnswerLimits {
    pub(super) fn until(deadline: Option<Instant>) -> AnswerLimits {
        let limits = Limits {
            message_bytes: MAX_OBJECTS,
            ..Limits::default()
        };
        AnswerLimits { deadline, limits }
    }

    /// Checks a value that is to be read.
    fn before(&self, name: &str) -> Result<(), Problem> {
        named(name)?;
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Err(Problem::Late)
        } else {
            Ok(())
        }
    }

    /// Counts a value that was read.
    fn after(&mut self, value: &Value) {
        let taken = objects(value).saturating_mul(OBJECT);
        self.limits.message_bytes = self.limits.message_bytes.saturating_sub(taken);
    }
}

/// The number of strings and nested values.
fn objects(value: &Value) -> u64 {
    let all = |values: &[Value]| values.iter().map(|value| 1 + objects(value)).sum();
    match value {
        Value::Tensor(tensor) if tensor.dtype() == DType::String => tensor.len() as u64,
        Value::Tensor(_) | Value::Sparse(_) | Value::Stored(_) => 0,
        Value::Sequence(sequence) => all(&sequence.values),
        Value::Map(map) => map.entries.values().map(|value| 2 + objects(value)).sum(),
        Value::Optional { value, .. } => value.as_deref().map_or(0, |value| 1 + objects(value)),
    }
}

/// Reads a payload and frees the bytes that are read.
pub(super) struct PayloadReader<'s> {
    rest: Payload,
    /// Those of an answer; a worker trusts the requests of its harness.
    answer: Option<AnswerLimits>,
    store: Option<&'s mut dyn Library>,
    /// The digests that the store does not have.
    pub(super) missing: Vec<String>,
}

impl<'s> PayloadReader<'s> {
    pub(super) fn new(payload: Payload, store: Option<&'s mut dyn Library>) -> PayloadReader<'s> {
        PayloadReader {
            rest: payload,
            answer: None,
            store,
            missing: Vec::new(),
        }
    }

    /// Reads the payload of an answer.
    pub(super) fn of_answer(payload: Payload, limits: AnswerLimits) -> PayloadReader<'s> {
        PayloadReader {
            answer: Some(limits),
            ..PayloadReader::new(payload, None)
        }
    }

    /// Fails if bytes are left. Called at the end.
    pub(super) fn finish(&self) -> Result<(), Problem> {
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

    /// Takes sent bytes, checks their digest and keeps them.
    fn kept(&mut self, what: &str, sha256: String, bytes: u64) -> Result<Bytes, Problem> {
        let bytes = self.take(what, bytes)?.into_bytes();
        let found = self::sha256(&bytes);
        if found != sha256 {
            return Err(Problem::OtherBytes {
                blob: what.to_owned(),
                sha256,
                found,
            });
        }
        if let Some(store) = &mut self.store {
            store.keep(&sha256, &bytes);
        }
        Ok(bytes)
    }

    /// Finds bytes by their digest. Missing ones are recorded, so that one answer names all.
    fn found(&mut self, what: &str, sha256: String, bytes: u64) -> Result<Bytes, Problem> {
        let Some(store) = &mut self.store else {
            return Err(Problem::NoStore(what.to_owned()));
        };
        Ok(store.find(&sha256, bytes).unwrap_or_else(|| {
            self.missing.push(sha256);
            Bytes::new()
        }))
    }
}

impl Convert<Vec<Blob>, Part> for PayloadReader<'_> {
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
            if let Some(answer) = &self.answer {
                answer.before(&name)?;
            }
            let limits = self.answer.as_ref().map(|answer| answer.limits.clone());
            let taken = self.take(&name, bytes)?;
            let value = match parse_type(&value_type) {
                Ok(value_type) => decode_value_in_pieces(taken, &value_type, &limits.unwrap_or_default()),
                Err(error) => return Err(Problem::Type { name, error }),
            };
            match value {
                Ok(value) => {
                    if let Some(answer) = &mut self.answer {
                        answer.after(&value);
                    }
                    values.push((name, value));
                }
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

    fn bytes(&mut self, what: &str, part: Part) -> Result<Bytes, Problem> {
        let (sha256, bytes, sent) = match part {
            Part::Sent(bytes) => return self.take(what, bytes).map(Payload::into_bytes),
            Part::Named { sha256, bytes, sent } => (sha256, bytes, sent),
        };
        check_digest(what, &sha256)?;
        if sent {
            self.kept(what, sha256, bytes)
        } else {
            self.found(what, sha256, bytes)
        }
    }
}

/// Fails if a text is not a digest. A part of it is shown.
fn check_digest(what: &str, text: &str) -> Result<(), Problem> {
    if is_sha256(text) {
        Ok(())
    } else {
        Err(Problem::Digest {
            blob: what.to_owned(),
            sha256: text.chars().take(80).collect(),
        })
    }
}
