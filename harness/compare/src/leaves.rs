//! The tensors within values, with the names that the comparison uses.

use backend_api::Named;
use onnx_tensor::{MapKey, Tensor, Value};

use crate::columns::columns;

/// Every tensor of `outputs` with its name, in order; those of a table are its columns.
pub fn leaves(outputs: &[Named]) -> Vec<(String, Tensor)> {
    let of = |(name, value): &Named| (name.clone(), columns(value).unwrap_or_else(|| value.clone()));
    tensors(&outputs.iter().map(of).collect::<Vec<Named>>())
}

/// Every tensor of `outputs` with its name, in the order of [`with_leaf`].
pub fn tensors(outputs: &[Named]) -> Vec<(String, Tensor)> {
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

/// The tensor that the comparison names `name`.
pub fn leaf(values: &[Named], name: &str) -> Option<Tensor> {
    let mut found = values.iter().filter(|(own, _)| name.starts_with(own.as_str()));
    found.find_map(|one| {
        let mut parts = leaves(std::slice::from_ref(one)).into_iter();
        parts.find_map(|(known, tensor)| (known == name).then_some(tensor))
    })
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
