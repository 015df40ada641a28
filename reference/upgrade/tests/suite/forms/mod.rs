//! Other forms of a model with one graph that compute the same.

use std::sync::Arc;

use onnx_generator::Case;
use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node, ValueInfo};
use onnx_tensor::{Tensor, Value, ValueType};

/// A form of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The inputs declare no shapes.
    WithoutShapes,
    /// The nodes are in both branches of an If.
    InBranch,
    /// The nodes are in a function.
    InFunction,
}

impl Form {
    pub const ALL: [Form; 3] = [Form::WithoutShapes, Form::InBranch, Form::InFunction];
}

/// Returns the case in a form; `None` if the form does not apply.
pub fn formed(case: &Case, form: Form) -> Option<Model> {
    let mut model = case.model.clone();
    let graph = Graph::clone(&model.graph);
    model.graph = Arc::new(match form {
        Form::WithoutShapes => without_shapes(graph),
        Form::InBranch => in_branch(graph)?,
        Form::InFunction => {
            model.opset_imports.insert("local".to_owned(), 1);
            let (function, graph) = in_function(graph, &model)?;
            model.functions.push(Arc::new(function));
            graph
        }
    });
    Some(model)
}

fn open(info: &ValueInfo) -> ValueInfo {
    let value_type = info.value_type.clone().map(|value_type| match value_type {
        ValueType::Tensor { dtype, .. } => ValueType::tensor(dtype),
        other => other,
    });
    ValueInfo {
        name: info.name.clone(),
        value_type,
    }
}

fn without_shapes(graph: Graph) -> Graph {
    Graph {
        inputs: graph.inputs.iter().map(open).collect(),
        outputs: graph.outputs.iter().map(open).collect(),
        ..graph
    }
}

/// Tensors can be outputs of an If since version 1.
fn in_branch(graph: Graph) -> Option<Graph> {
    let is_tensor = |info: &ValueInfo| matches!(info.value_type, Some(ValueType::Tensor { .. }));
    if !graph.outputs.iter().all(is_tensor) {
        return None;
    }
    let branch = Graph {
        inputs: Vec::new(),
        initializers: Vec::new(),
        outputs: graph.outputs.iter().map(|info| renamed(&open(info))).collect(),
        nodes: graph.nodes.iter().map(with_renamed_outputs(&graph)).collect(),
        ..graph.clone()
    };
    let bodies = ["then_branch", "else_branch"].map(|name| Attribute {
        name: name.to_owned(),
        value: AttributeValue::Graph(Arc::new(branch.clone())),
    });
    let node = Node {
        operator: "If".to_owned(),
        inputs: vec!["chosen".to_owned()],
        outputs: graph.outputs.iter().map(|info| info.name.clone()).collect(),
        attributes: bodies.to_vec(),
        ..Node::default()
    };
    let mut initializers = graph.initializers.clone();
    initializers.push(("chosen".to_owned(), Value::Tensor(Tensor::scalar(true))));
    Some(Graph {
        nodes: vec![node],
        initializers,
        ..graph
    })
}

fn renamed(info: &ValueInfo) -> ValueInfo {
    ValueInfo {
        name: format!("inner_{}", info.name),
        value_type: info.value_type.clone(),
    }
}

/// The outputs of the graph have other names in a branch.
fn with_renamed_outputs(graph: &Graph) -> impl Fn(&Node) -> Node {
    let outer: Vec<String> = graph.outputs.iter().map(|info| info.name.clone()).collect();
    move |node| {
        let mut node = node.clone();
        for name in node.inputs.iter_mut().chain(&mut node.outputs) {
            if outer.contains(name) {
                *name = format!("inner_{name}");
            }
        }
        node
    }
}

/// A function reads initializers as inputs.
fn in_function(graph: Graph, model: &Model) -> Option<(Function, Graph)> {
    let mut inputs: Vec<String> = graph.inputs.iter().map(|info| info.name.clone()).collect();
    inputs.extend(graph.initializers.iter().map(|(name, _)| name.clone()));
    let outputs: Vec<String> = graph.outputs.iter().map(|info| info.name.clone()).collect();
    let function = Function {
        domain: "local".to_owned(),
        name: "Whole".to_owned(),
        inputs: inputs.clone(),
        outputs: outputs.clone(),
        opset_imports: model.opset_imports.clone(),
        nodes: graph.nodes.clone(),
        ..Function::default()
    };
    let call = Node {
        domain: "local".to_owned(),
        operator: "Whole".to_owned(),
        inputs,
        outputs,
        ..Node::default()
    };
    Some((
        function,
        Graph {
            nodes: vec![call],
            ..graph
        },
    ))
}
