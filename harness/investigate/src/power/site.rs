//! The node into which a fault is planted, and the changes of a graph.

use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Graph, Model, Node};
use onnx_tensor::{Real, Tensor, TensorError, Value, dispatch};

/// A node of the main graph.
#[derive(Clone, Copy, Debug)]
pub struct Site<'m> {
    /// The model.
    pub model: &'m Model,
    /// The position of the node in the graph.
    pub index: usize,
    pub node: &'m Node,
}

/// The nodes that take the place of one node, with their constants.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// In topological order; together they define the outputs of the replaced node.
    pub nodes: Vec<Node>,
    /// New initializers.
    pub constants: Vec<(String, Value)>,
}

impl Site<'_> {
    /// Whether the node has one of these operators of the standard domain.
    pub fn is(&self, operators: &[&str]) -> bool {
        self.node.domain.is_empty() && operators.contains(&self.node.operator.as_str())
    }

    /// The float of an attribute, or its default.
    pub fn float(&self, name: &str, default: f32) -> f32 {
        match self.node.attribute(name) {
            Some(AttributeValue::Float(value)) => *value,
            _ => default,
        }
    }

    /// The integer of an attribute, or its default.
    pub fn int(&self, name: &str, default: i64) -> i64 {
        match self.node.attribute(name) {
            Some(AttributeValue::Int(value)) => *value,
            _ => default,
        }
    }

    /// The text of an attribute, or its default.
    pub fn text(&self, name: &str, default: &str) -> String {
        match self.node.attribute(name) {
            Some(AttributeValue::String(value)) => String::from_utf8_lossy(value).into_owned(),
            _ => default.to_owned(),
        }
    }

    /// The opset of the standard domain.
    pub fn opset(&self) -> i64 {
        self.model.opset_imports.get("").copied().unwrap_or(1)
    }

    /// The tensor of an input that is an initializer.
    pub fn constant(&self, position: usize) -> Option<&Tensor> {
        let name = self.node.inputs.get(position).filter(|name| !name.is_empty())?;
        self.model.graph.initializer(name)?.as_tensor()
    }

    /// The only output of the node.
    pub fn output(&self) -> Option<&String> {
        match self.node.outputs.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The node with another attribute.
    pub fn with(&self, name: &str, value: AttributeValue) -> Change {
        let mut node = self.node.clone();
        node.attributes.retain(|attribute| attribute.name != name);
        node.attributes.push(Attribute {
            name: name.to_owned(),
            value,
        });
        Change::of(node)
    }

    /// The node with another operator.
    pub fn operator(&self, operator: &str) -> Change {
        let mut node = self.node.clone();
        operator.clone_into(&mut node.operator);
        Change::of(node)
    }

    /// The node with its inputs in another order.
    pub fn inputs(&self, order: &[usize]) -> Option<Change> {
        let inputs = order.iter().map(|&place| self.node.inputs.get(place).cloned());
        let mut node = self.node.clone();
        node.inputs = inputs.collect::<Option<Vec<String>>>()?;
        Some(Change::of(node))
    }

    /// The node with another tensor in the place of a constant input, if the tensor differs.
    pub fn with_constant(
        &self,
        position: usize,
        edit: impl FnOnce(&mut Vec<f64>, &[usize]),
    ) -> Option<Change> {
        let old = self.constant(position)?;
        let new = edited(old, edit).filter(|new| !new.same_bits(old))?;
        let name = format!("{}__planted", self.node.inputs[position]);
        let mut node = self.node.clone();
        node.inputs[position].clone_from(&name);
        Some(Change {
            nodes: vec![node],
            constants: vec![(name, new.into())],
        })
    }

    /// The node followed by nodes that compute its output `y` from `from`, which it gives instead.
    pub fn followed(&self, rest: impl FnOnce(&str, &str, &mut Change)) -> Option<Change> {
        let output = self.output()?.clone();
        let from = format!("{output}__right");
        let mut node = self.node.clone();
        node.outputs = vec![from.clone()];
        let mut change = Change::of(node);
        rest(&from, &output, &mut change);
        Some(change)
    }

    /// The model with a change.
    pub fn changed(&self, change: Change) -> Model {
        let mut graph = Graph::clone(&self.model.graph);
        graph.nodes.splice(self.index..=self.index, change.nodes);
        graph.initializers.extend(change.constants);
        Model {
            graph: Arc::new(graph),
            ..self.model.clone()
        }
    }
}

impl Change {
    /// One node.
    pub fn of(node: Node) -> Change {
        Change {
            nodes: vec![node],
            constants: Vec::new(),
        }
    }

    /// Adds a node of the standard domain.
    pub fn node(&mut self, operator: &str, inputs: &[&str], output: &str) -> &mut Node {
        self.nodes.push(Node {
            operator: operator.to_owned(),
            inputs: inputs.iter().map(|&input| input.to_owned()).collect(),
            outputs: vec![output.to_owned()],
            ..Node::default()
        });
        let last = self.nodes.len() - 1;
        &mut self.nodes[last]
    }

    /// Adds an initializer; returns its name.
    pub fn constant(&mut self, stem: &str, tensor: Tensor) -> String {
        let name = format!("{stem}__{}", self.constants.len());
        self.constants.push((name.clone(), tensor.into()));
        name
    }
}

/// Sets an attribute of a new node.
pub fn set(node: &mut Node, name: &str, value: AttributeValue) {
    node.attributes.push(Attribute {
        name: name.to_owned(),
        value,
    });
}

/// A tensor of integers of 8 to 64 bits or floats with other elements; `None` for other types.
fn edited(tensor: &Tensor, edit: impl FnOnce(&mut Vec<f64>, &[usize])) -> Option<Tensor> {
    let edited = || -> Result<Tensor, TensorError> {
        dispatch!(real, tensor.dtype(), T => {
            let mut values: Vec<f64> = tensor.array::<T>()?.iter().map(|x| <T as Real>::to_f64(*x)).collect();
            edit(&mut values, tensor.shape());
            Tensor::new(tensor.shape(), values.into_iter().map(<T as Real>::from_f64).collect())
        })
    };
    edited().ok()
}
