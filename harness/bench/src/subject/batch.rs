//! Finds how many samples one run of a model computes.

use backend_api::Named;
use onnx_model::{Graph, ValueInfo};
use onnx_tensor::{Dim, Value, ValueType};

/// Parts of names of dimensions that are no batch.
const OTHER_NAMES: [&str; 5] = ["seq", "len", "time", "token", "frame"];

/// The extent of the first axis, if the model declares the same first dimension for at least one input and
/// for every output: a named dimension whose name does not speak of a sequence, or the fixed extent 1.
/// Another fixed extent may be the length of a sequence. `inputs` are the values that have the extent.
pub(super) fn batch(graph: &Graph, inputs: &[Named]) -> Option<u64> {
    let mut outputs = graph.outputs.iter().map(first);
    let dim = outputs.next()??;
    if !is_batch(dim) || outputs.any(|other| other != Some(dim)) {
        return None;
    }
    let info = graph.inputs.iter().find(|info| {
        let given = inputs.iter().any(|(name, _)| *name == info.name);
        given && first(info) == Some(dim)
    })?;
    let (_, value) = inputs.iter().find(|(name, _)| *name == info.name)?;
    match value {
        Value::Tensor(tensor) => tensor.shape().first().map(|extent| *extent as u64),
        _ => None,
    }
}

/// The first dimension of a tensor with known rank.
fn first(info: &ValueInfo) -> Option<&Dim> {
    match info.value_type.as_ref()? {
        ValueType::Tensor { shape, .. } => shape.as_ref()?.first(),
        ValueType::Sparse { .. }
        | ValueType::Sequence(_)
        | ValueType::Map { .. }
        | ValueType::Optional(_) => None,
    }
}

fn is_batch(dim: &Dim) -> bool {
    match dim {
        Dim::Fixed(extent) => *extent == 1,
        Dim::Named(name) => {
            let name = name.to_lowercase();
            !OTHER_NAMES.iter().any(|other| name.contains(other))
        }
        Dim::Unknown => false,
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, Tensor};

    use super::*;

    fn info(name: &str, dims: &[&str]) -> ValueInfo {
        let dim = |text: &&str| match text.parse() {
            Ok(extent) => Dim::Fixed(extent),
            Err(_) if text.is_empty() => Dim::Unknown,
            Err(_) => Dim::Named((*text).to_owned()),
        };
        ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype: DType::Float,
                shape: Some(dims.iter().map(dim).collect()),
            }),
        }
    }

    /// The inputs are `mask[1]` and `x[8, 3]`.
    #[track_caller]
    fn check(x: &[&str], outputs: &[&[&str]], expected: Option<u64>) {
        let outputs = outputs.iter().enumerate();
        let graph = Graph {
            inputs: vec![info("mask", &["1"]), info("x", x)],
            outputs: outputs
                .map(|(index, dims)| info(&format!("y{index}"), dims))
                .collect(),
            ..Graph::default()
        };
        let value = |shape: &[usize]| {
            let count = shape.iter().product();
            Value::Tensor(Tensor::new(shape, vec![0.0_f32; count]).unwrap())
        };
        let inputs = [("mask".to_owned(), value(&[1])), ("x".to_owned(), value(&[8, 3]))];
        assert_eq!(batch(&graph, &inputs), expected);
    }

    #[test]
    fn the_batch_is_the_first_dimension_that_inputs_and_outputs_share() {
        check(&["n", "3"], &[&["n", "10"]], Some(8));
        check(&["batch", "3"], &[&["batch"], &["batch", "4", "4"]], Some(8));
        // `mask` has the fixed extent 1.
        check(&["n", "3"], &[&["1", "10"]], Some(1));
    }

    #[test]
    fn other_first_dimensions_are_no_batch() {
        for (x, outputs) in [
            (&["n", "3"][..], &[&["n", "10"][..], &["m", "10"]][..]),
            (&["n", "3"], &[&["n", "10"], &[]]),
            (&["n", "3"], &[&[""]]),
            (&["seq_len", "3"], &[&["seq_len", "3"]]),
            (&["8", "3"], &[&["8", "3"]]),
            (&["m", "3"], &[&["n", "10"]]),
            (&["n", "3"], &[]),
        ] {
            check(x, outputs, None);
        }
    }
}
