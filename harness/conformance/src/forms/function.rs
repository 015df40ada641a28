//! The form with the nodes in a function local to the model.
//!
//! Functions exist since IR 8. A function reads only its inputs and has no initializers, so that those
//! of the graph become inputs of the call (IR.md, Functions).

use std::sync::Arc;

use onnx_model::{Function, Graph, Model, Node};

use super::branch::computed;
use super::{Changed, NotApplicable, Subject, names};

/// The domain of the function; no operator has this domain.
const DOMAIN: &str = "conformance.variants";
const NAME: &str = "Body";

/// The IR version that introduced functions, and the minimum opset for which a model can have it: the
/// release of opset 14 had IR 7, and IR 8 adds only functions for such a model.
const IR_VERSION: i64 = 8;
const OPSET: i64 = 14;

/// Moves the nodes into the body of a function that the main graph calls.
pub(super) fn function(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    let model = subject.model;
    let opset = model.opset_imports.get("").copied().unwrap_or_default();
    if model.ir_version < IR_VERSION && opset < OPSET {
        return Err(NotApplicable::NoFunctions);
    }
    computed(&model.graph)?;
    let graph = &model.graph;
    let used = names::used(&graph.nodes);
    let inputs = graph.inputs.iter().map(|input| &input.name);
    let free = graph.initializers.iter().map(|(name, _)| name);
    let free = free.filter(|name| !graph.inputs.iter().any(|input| input.name == **name));
    let read: Vec<String> = inputs
        .chain(free)
        .filter(|name| used.contains(*name))
        .cloned()
        .collect();
    let outputs: Vec<String> = graph.outputs.iter().map(|output| output.name.clone()).collect();
    let function = Function {
        domain: DOMAIN.to_owned(),
        name: NAME.to_owned(),
        inputs: read.clone(),
        outputs: outputs.clone(),
        opset_imports: model.opset_imports.clone(),
        nodes: graph.nodes.clone(),
        ..Function::default()
    };
    let call = Node {
        domain: DOMAIN.to_owned(),
        operator: NAME.to_owned(),
        inputs: read,
        outputs,
        ..Node::default()
    };
    let mut functions = model.functions.clone();
    functions.push(Arc::new(function));
    let mut opset_imports = model.opset_imports.clone();
    opset_imports.insert(DOMAIN.to_owned(), 1);
    Ok(subject.with(Model {
        ir_version: model.ir_version.max(IR_VERSION),
        opset_imports,
        functions,
        graph: Arc::new(Graph {
            nodes: vec![call],
            value_info: Vec::new(),
            ..Graph::clone(graph)
        }),
        ..model.clone()
    }))
}
