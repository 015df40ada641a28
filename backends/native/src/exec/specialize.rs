//! Specializes a graph for the shapes of its inputs.

use onnx_tensor::Value;

use crate::error::NodeError;
use crate::ir::{Graph, ValueId};
use crate::kernels::Device;
use crate::passes;

/// The types of the inputs of a run; each plan is made for one signature.
pub type Signature = Vec<Option<onnx_tensor::ValueType>>;

/// Returns the signature of these inputs.
pub fn signature(inputs: &[Option<Value>]) -> Signature {
    inputs
        .iter()
        .map(|input| input.as_ref().map(Value::value_type))
        .collect()
}

/// Returns the declared signature of the graph, if it is completely known.
pub fn declared(graph: &Graph) -> Option<Signature> {
    let fixed = |&id: &ValueId| {
        graph.shape_of(id)?;
        Some(graph.known(id).cloned())
    };
    graph.inputs.iter().map(fixed).collect()
}

/// Returns the graph with these input types, with all types and shapes inferred.
pub fn specialize(mut graph: Graph, signature: &Signature, device: &Device) -> Result<Graph, NodeError> {
    let differs = |(&id, given): (&ValueId, &Option<onnx_tensor::ValueType>)| {
        let declared = graph.shape_of(id);
        declared.is_some() && declared != crate::ir::fixed_shape(given.as_ref())
    };
    // What was inferred from the declared types of a body is wrong for others.
    if graph.inputs.iter().zip(signature).any(differs) {
        graph.forget_shapes();
    }
    for (id, known) in graph.inputs.clone().into_iter().zip(signature) {
        if known.is_some() {
            graph.values[id.index()].known = known.clone();
        }
    }
    passes::specialize(&mut graph, device)?;
    Ok(graph)
}
