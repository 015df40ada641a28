//! A graph for the shapes that its inputs have now.

use onnx_tensor::Value;

use crate::error::NodeError;
use crate::ir::Graph;
use crate::kernels::Device;
use crate::passes;

/// The types of the inputs of a run: what a plan is made for.
pub type Signature = Vec<Option<onnx_tensor::ValueType>>;

/// The signature of these inputs.
pub fn signature(inputs: &[Option<Value>]) -> Signature {
    inputs
        .iter()
        .map(|input| input.as_ref().map(Value::value_type))
        .collect()
}

/// The signature that the graph itself declares, if it leaves nothing open.
pub fn declared(graph: &Graph) -> Option<Signature> {
    let fixed = |&id: &crate::ir::ValueId| {
        graph.shape_of(id)?;
        Some(graph.known(id).cloned())
    };
    graph.inputs.iter().map(fixed).collect()
}

/// The graph with these types of its inputs, and all that follows from them.
pub fn specialize(mut graph: Graph, signature: &Signature, device: &Device) -> Result<Graph, NodeError> {
    for (id, known) in graph.inputs.clone().into_iter().zip(signature) {
        if known.is_some() {
            graph.values[id.index()].known = known.clone();
        }
    }
    passes::settle(&mut graph, device)?;
    Ok(graph)
}
