//! Bounds the text that an operator may put into one string of its outputs.

use onnx_model::{Attribute, AttributeValue};
use onnx_tensor::{MapKey, Tensor, Value};

/// A bound in bytes for one string that an operator computes from these inputs and attributes: the sum of
/// the longest string of each, times three, because a letter can become three in another case. At least the
/// length of a number.
pub(crate) fn longest(inputs: &[Option<Value>], attributes: &[Attribute]) -> usize {
    let of_inputs = inputs.iter().flatten().map(of_value);
    let of_attributes = attributes.iter().map(|attribute| of_attribute(&attribute.value));
    let sum = of_inputs.chain(of_attributes).fold(0, usize::saturating_add);
    sum.saturating_mul(3).max(NUMBER)
}

/// Bytes of a number as text, except for the longest ones.
const NUMBER: usize = 32;

fn of_value(value: &Value) -> usize {
    match value {
        Value::Tensor(tensor) => of_tensor(tensor),
        Value::Sparse(sparse) => of_tensor(&sparse.values),
        Value::Stored(_) => 0,
        Value::Sequence(sequence) => sequence.values.iter().map(of_value).max().unwrap_or(0),
        Value::Map(map) => {
            let key = |key: &MapKey| match key {
                MapKey::String(text) => text.len(),
                MapKey::Int(_) => 0,
            };
            let entries = map
                .entries
                .iter()
                .map(|(name, value)| key(name).max(of_value(value)));
            entries.max().unwrap_or(0)
        }
        Value::Optional { value, .. } => value.as_deref().map_or(0, of_value),
    }
}

fn of_tensor(tensor: &Tensor) -> usize {
    match tensor {
        Tensor::String(texts) => texts.iter().map(String::len).max().unwrap_or(0),
        _ => 0,
    }
}

fn of_attribute(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::String(text) => text.len(),
        AttributeValue::Strings(texts) => texts.iter().map(|text| text.len()).max().unwrap_or(0),
        AttributeValue::Tensor(tensor) => of_tensor(tensor),
        AttributeValue::Tensors(tensors) => tensors.iter().map(of_tensor).max().unwrap_or(0),
        AttributeValue::Sparse(sparse) => of_tensor(&sparse.values),
        AttributeValue::Sparses(several) => several
            .iter()
            .map(|sparse| of_tensor(&sparse.values))
            .max()
            .unwrap_or(0),
        AttributeValue::Int(_)
        | AttributeValue::Ints(_)
        | AttributeValue::Float(_)
        | AttributeValue::Floats(_)
        | AttributeValue::Graph(_)
        | AttributeValue::Graphs(_)
        | AttributeValue::Type(_)
        | AttributeValue::Types(_)
        | AttributeValue::Reference(_, _) => 0,
    }
}
