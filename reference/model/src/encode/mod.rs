//! From a [`Model`], a [`Function`] or a [`Value`] to bytes, each value in one canonical form: raw_data for
//! whatever has a width, string_data for strings.

mod model;
mod tensor;
mod types;
mod value;

use onnx_tensor::Value;
use prost::Message;

use crate::{Function, Model};

impl Model {
    /// The bytes of a `ModelProto`; external data and whatever [`Model`] does not hold (documentation,
    /// metadata, training information) is not written.
    pub fn encode(&self) -> Vec<u8> {
        model::model(self).encode_to_vec()
    }
}

impl Function {
    /// The bytes of a `FunctionProto`.
    pub fn encode(&self) -> Vec<u8> {
        model::function(self).encode_to_vec()
    }
}

/// The bytes of the message that a value of this type is stored in; see [`crate::decode_value`].
pub fn encode_value(value: &Value, name: &str) -> Vec<u8> {
    let name = (!name.is_empty()).then(|| name.as_bytes().to_vec());
    match value {
        Value::Tensor(tensor) => tensor::tensor(tensor, name).encode_to_vec(),
        Value::Sparse(sparse) => tensor::sparse(sparse, name).encode_to_vec(),
        Value::Sequence(sequence) => value::sequence(sequence, name).encode_to_vec(),
        Value::Map(map) => value::map(map, name).encode_to_vec(),
        Value::Optional { element, value } => {
            value::optional(element, value.as_deref(), name).encode_to_vec()
        }
    }
}

/// A string field, left out if there is nothing to say.
fn text(text: &str) -> Option<Vec<u8>> {
    (!text.is_empty()).then(|| text.as_bytes().to_vec())
}

/// A list of strings, of which each has its place even if empty.
fn texts(texts: &[String]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
