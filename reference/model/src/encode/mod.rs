//! Encodes a [`Model`], a [`Function`] or a [`Value`] to bytes, in one canonical form: strings in
//! string_data, all other elements in raw_data.

mod model;
mod tensor;
mod types;
mod value;

use onnx_tensor::Value;
use prost::Message;

use crate::{Function, Model};

impl Model {
    /// Encodes a `ModelProto`. All elements are in it, except for those that stayed in their files
    /// ([`Value::Stored`]), which it names. What [`Model`] does not hold (documentation, metadata, training
    /// information) is not written.
    pub fn encode(&self) -> Vec<u8> {
        model::model(self).encode_to_vec()
    }
}

impl Function {
    /// Encodes a `FunctionProto`.
    pub fn encode(&self) -> Vec<u8> {
        model::function(self).encode_to_vec()
    }
}

/// Encodes the message that stores a value of this type; see [`crate::decode_value`].
pub fn encode_value(value: &Value, name: &str) -> Vec<u8> {
    let name = (!name.is_empty()).then(|| name.as_bytes().to_vec());
    match value {
        Value::Tensor(tensor) => tensor::tensor(tensor, name).encode_to_vec(),
        Value::Sparse(sparse) => tensor::sparse(sparse, name).encode_to_vec(),
        Value::Stored(stored) => tensor::external(stored, name).encode_to_vec(),
        Value::Sequence(sequence) => value::sequence(sequence, name).encode_to_vec(),
        Value::Map(map) => value::map(map, name).encode_to_vec(),
        Value::Optional { element, value } => {
            value::optional(element, value.as_deref(), name).encode_to_vec()
        }
    }
}

/// A string field; not set if the text is empty.
fn text(text: &str) -> Option<Vec<u8>> {
    (!text.is_empty()).then(|| text.as_bytes().to_vec())
}

/// A list of strings; empty strings are kept.
fn texts(texts: &[String]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
