//! What is known of values without running a model: element types, ranks, constants.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use onnx_checker::usage;
use onnx_model::{AttributeValue, Function, Graph, Model, Node};
use onnx_schema::canonical_domain;
use onnx_tensor::{Dim, Tensor, Value, ValueType};

/// The types of the inputs of each node; the index of a node is its position in the order of [`visit`].
pub(crate) struct InputTypes(HashMap<usize, Vec<Option<ValueType>>>);

impl InputTypes {
    /// Infers types as the checker does. A function that is called with different types has none.
    pub(crate) fn of(model: &Model) -> InputTypes {
        let mut numbered = model.clone();
        let mut next = 0;
        numbered.graph = Arc::new(number_graph(&model.graph, &mut next));
        let number = |function: &Arc<Function>| {
            let nodes = function
                .nodes
                .iter()
                .map(|node| number_node(node, &mut next))
                .collect();
            Arc::new(Function {
                nodes,
                ..(**function).clone()
            })
        };
        numbered.functions = model.functions.iter().map(number).collect();
        let mut types: HashMap<usize, Vec<Option<ValueType>>> = HashMap::new();
        for node in usage(&numbered) {
            let Ok(index) = node.node.parse() else { continue };
            let found: Vec<_> = node.inputs.into_iter().map(|input| input.value_type).collect();
            match types.get_mut(&index) {
                None => {
                    types.insert(index, found);
                }
                Some(known) => {
                    for (known, found) in known.iter_mut().zip(found) {
                        if *known != found {
                            *known = None;
                        }
                    }
                }
            }
        }
        InputTypes(types)
    }

    pub(crate) fn of_node(&self, index: usize) -> &[Option<ValueType>] {
        self.0.get(&index).map_or(&[], Vec::as_slice)
    }
}

/// Returns the graph with numbers in place of the names of nodes; a node comes before the nodes of
/// its bodies.
fn number_graph(graph: &Graph, next: &mut usize) -> Graph {
    let nodes = graph.nodes.iter().map(|node| number_node(node, next)).collect();
    Graph {
        nodes,
        ..graph.clone()
    }
}

fn number_node(node: &Node, next: &mut usize) -> Node {
    let mut numbered = node.clone();
    numbered.name = next.to_string();
    *next += 1;
    for body in numbered.bodies_mut() {
        *body = Arc::new(number_graph(body, next));
    }
    numbered
}

/// Declared shapes and constants of the values of a graph; a body also sees those of the graph around it.
pub(crate) struct Scope<'g> {
    shapes: HashMap<&'g str, Vec<Dim>>,
    constants: HashMap<&'g str, &'g Tensor>,
    outer: Option<&'g Scope<'g>>,
}

impl<'g> Scope<'g> {
    /// The facts of a function, whose values have no declared shapes.
    pub(crate) fn of_function() -> Scope<'g> {
        Scope {
            shapes: HashMap::new(),
            constants: HashMap::new(),
            outer: None,
        }
    }

    pub(crate) fn of_graph(graph: &'g Graph, outer: Option<&'g Scope<'g>>) -> Scope<'g> {
        let mut scope = Scope {
            outer,
            ..Scope::of_function()
        };
        for info in graph.inputs.iter().chain(&graph.value_info).chain(&graph.outputs) {
            if let Some(ValueType::Tensor {
                shape: Some(shape), ..
            }) = &info.value_type
            {
                scope.shapes.insert(&info.name, shape.clone());
            }
        }
        let inputs: HashSet<&str> = graph.inputs.iter().map(|input| input.name.as_str()).collect();
        for (name, value) in &graph.initializers {
            let Value::Tensor(tensor) = value else { continue };
            let shape = tensor.shape().iter().map(|extent| Dim::Fixed(*extent)).collect();
            scope.shapes.entry(name).or_insert(shape);
            // A caller may replace an initializer that is also an input.
            if !inputs.contains(name.as_str()) {
                scope.constants.insert(name, tensor);
            }
        }
        let is_constant =
            |node: &&Node| node.operator == "Constant" && canonical_domain(&node.domain).is_empty();
        for node in graph.nodes.iter().filter(is_constant) {
            if let (Some(AttributeValue::Tensor(tensor)), [name]) =
                (node.attribute("value"), &node.outputs[..])
            {
                let shape = tensor.shape().iter().map(|extent| Dim::Fixed(*extent)).collect();
                scope.shapes.insert(name, shape);
                scope.constants.insert(name, tensor);
            }
        }
        scope
    }

    /// Returns the declared shape of a value.
    pub(crate) fn shape(&self, name: &str) -> Option<&[Dim]> {
        match self.shapes.get(name) {
            Some(shape) => Some(shape),
            None => self.outer.and_then(|outer| outer.shape(name)),
        }
    }

    pub(crate) fn constant(&self, name: &str) -> Option<&Tensor> {
        match self.constants.get(name) {
            Some(tensor) => Some(tensor),
            None => self.outer.and_then(|outer| outer.constant(name)),
        }
    }
}
