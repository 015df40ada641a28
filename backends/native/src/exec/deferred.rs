//! Fused nodes whose shapes are known only when they run.

use onnx_tensor::{DType, Value};

use crate::error::{Problem, invalid};
use crate::ir::{Graph, Node};
use crate::kernels::{Device, Elements, ElementsMut, Use, lower, words};
use crate::passes;

/// Lowers and runs the node as a graph of its own with these inputs.
pub fn run(node: &Node, inputs: &[Option<Value>], device: &Device) -> Result<Vec<Value>, Problem> {
    let mut graph = Graph::default();
    let mut alone = node.clone();
    for (slot, value) in alone.inputs.iter_mut().zip(inputs) {
        *slot = value
            .as_ref()
            .map(|value| graph.add("", Some(value.value_type()), Some(value.clone())));
    }
    for slot in alone.outputs.iter_mut().flatten() {
        *slot = graph.add("", None, None);
    }
    passes::infer_node(&mut graph, &alone).map_err(|error| error.problem)?;
    let lowered = match Use::of(&graph, &alone) {
        Some(used) => {
            lower(&used, device)?.map(|lowered| (lowered, used.outputs.clone(), used.dtypes.clone()))
        }
        None => None,
    };
    let Some((mut lowered, shapes, dtypes)) = lowered else {
        return super::composed::run(node, inputs);
    };
    let mut reads = Vec::with_capacity(lowered.reads.len());
    for &position in &lowered.reads {
        match inputs.get(position).and_then(Option::as_ref) {
            Some(Value::Tensor(tensor)) => reads.push(Elements::of_tensor(tensor)?),
            _ => return invalid("an operand is not a tensor"),
        }
    }
    let kinds: Vec<(DType, usize)> = dtypes.into_iter().zip(lowered.lengths).collect();
    let room = |&(dtype, length): &(DType, usize)| Some(vec![0.0; words(dtype, length)?]);
    let Some(mut results) = kinds.iter().map(room).collect::<Option<Vec<Vec<f32>>>>() else {
        return invalid("the arena cannot hold the result of a kernel");
    };
    let mut writes = Vec::with_capacity(results.len());
    for (result, &(dtype, length)) in results.iter_mut().zip(&kinds) {
        writes.push(ElementsMut::of_words(dtype, length, result)?);
    }
    lowered.kernel.run(device, &reads, &mut writes)?;
    let mut tensors = Vec::with_capacity(results.len());
    for ((result, (dtype, length)), shape) in results.iter().zip(kinds).zip(&shapes) {
        let elements = Elements::of_words(dtype, length, result)?;
        tensors.push(Value::Tensor(elements.to_tensor(shape)?));
    }
    Ok(tensors)
}
