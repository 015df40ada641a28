//! The tensors within values, with the names that the comparison uses.

use backend_api::Named;
use onnx_tensor::{MapKey, Tensor, Value};

/// Every tensor of `outputs` with its name, in order.
pub fn leaves(outputs: &[Named]) -> Vec<(String, Tensor)> {
    let (mut outputs, mut found) = (outputs.to_vec(), Vec::new());
    for (name, value) in &mut outputs {
        visit(name, value, &mut |name, tensor| {
            found.push((name.to_owned(), tensor.clone()))
        });
    }
    found
}

/// The same outputs with the `index`-th tensor replaced.
pub fn with_leaf(outputs: &[Named], index: usize, replacement: &Tensor) -> Vec<Named> {
    let (mut outputs, mut at) = (outputs.to_vec(), 0);
    for (name, value) in &mut outputs {
        visit(name, value, &mut |_, tensor| {
            if at == index {
                *tensor = replacement.clone();
            }
            at += 1;
        });
    }
    outputs
}

/// The tensor that the comparison names `name`, without a copy.
pub(super) fn leaf<'v>(values: &'v [Named], name: &str) -> Option<&'v Tensor> {
    values.iter().find_map(|(own, value)| within(own, value, name))
}

fn within<'v>(own: &str, value: &'v Value, name: &str) -> Option<&'v Tensor> {
    if !name.starts_with(own) {
        return None;
    }
    match value {
        Value::Tensor(tensor) => (own == name).then_some(tensor),
        Value::Sparse(sparse) => match name.strip_prefix(own)? {
            ".indices" => Some(&sparse.indices),
            ".values" => Some(&sparse.values),
            _ => None,
        },
        Value::Sequence(sequence) => {
            let mut elements = sequence.values.iter().enumerate();
            elements.find_map(|(index, value)| within(&format!("{own}[{index}]"), value, name))
        }
        Value::Map(map) => {
            let mut entries = map.entries.iter();
            entries.find_map(|(key, value)| within(&format!("{own}[{}]", key_text(key)), value, name))
        }
        Value::Optional { value, .. } => within(own, value.as_deref()?, name),
        Value::Stored(_) => None,
    }
}

/// The text of a map key in the name of its entry.
pub(super) fn key_text(key: &MapKey) -> String {
    match key {
        MapKey::Int(number) => number.to_string(),
        MapKey::String(text) => format!("{text:?}"),
    }
}

fn visit(name: &str, value: &mut Value, act: &mut impl FnMut(&str, &mut Tensor)) {
    match value {
        Value::Tensor(tensor) => act(name, tensor),
        Value::Sparse(sparse) => {
            act(&format!("{name}.indices"), &mut sparse.indices);
            act(&format!("{name}.values"), &mut sparse.values);
        }
        Value::Sequence(sequence) => {
            for (index, value) in sequence.values.iter_mut().enumerate() {
                visit(&format!("{name}[{index}]"), value, act);
            }
        }
        Value::Map(map) => {
            for (key, value) in &mut map.entries {
                visit(&format!("{name}[{}]", key_text(key)), value, act);
            }
        }
        Value::Optional { value, .. } => {
            if let Some(value) = value {
                visit(name, value, act);
            }
        }
        Value::Stored(_) => {}
    }
}
