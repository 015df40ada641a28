//! Fused nodes whose shapes are known only when they run.

use onnx_tensor::{Tensor, Value};

use crate::error::{Problem, invalid};
use crate::ir::{Graph, Node};
use crate::kernels::{Device, Elements, ElementsMut, Use, lower};
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
        Some(used) => lower(&used, device)?.map(|lowered| (lowered, used.outputs.clone())),
        None => None,
    };
    let Some((mut lowered, shapes)) = lowered else {
        return super::composed::run(node, inputs);
    };
    let mut reads = Vec::with_capacity(lowered.reads.len());
    for &position in &lowered.reads {
        match inputs.get(position).and_then(Option::as_ref) {
            Some(Value::Tensor(tensor)) => reads.push(Elements::of_tensor(tensor)?),
            _ => return invalid("an operand is not a tensor"),
        }
    }
    // The outputs of fused nodes are f32.
    let mut results: Vec<Vec<f32>> = lowered.lengths.iter().map(|&length| vec![0.0; length]).collect();
    let mut writes: Vec<ElementsMut> = results
        .iter_mut()
        .map(|result| ElementsMut::F32(result))
        .collect();
    lowered.kernel.run(device, &reads, &mut writes)?;
    let shaped =
        |(elements, shape): (Vec<f32>, Vec<usize>)| Ok(Value::Tensor(Tensor::new(&shape, elements)?));
    results.into_iter().zip(shapes).map(shaped).collect()
}
