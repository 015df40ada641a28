//! A decoded model: what the file says, in types that cannot say anything malformed.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use onnx_tensor::{Value, ValueType};

use crate::{Attribute, AttributeValue};

/// A model: a graph, the functions it may call, and the operator sets that give its operators their meaning.
#[derive(Clone, Debug)]
pub struct Model {
    /// Version of the file format (`ir_version`).
    pub ir_version: i64,
    /// Domain to opset; `""` is `ai.onnx`.
    pub opset_imports: BTreeMap<String, i64>,
    /// The main graph.
    pub graph: Arc<Graph>,
    /// Functions local to the model.
    pub functions: Vec<Arc<Function>>,
    /// Name of the tool that wrote the file; empty if not said.
    pub producer_name: String,
    /// Its version; empty if not said.
    pub producer_version: String,
}

/// A graph, or the body of an If, Loop, Scan or SequenceMap.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Its name; may be empty.
    pub name: String,
    /// Inputs in order; one that has an initializer of its name is optional.
    pub inputs: Vec<ValueInfo>,
    /// Outputs in order.
    pub outputs: Vec<ValueInfo>,
    /// Constants by name, in file order; [`Value::Tensor`] or [`Value::Sparse`].
    pub initializers: Vec<(String, Value)>,
    /// Nodes in file order, which the specification demands to be topological.
    pub nodes: Vec<Node>,
    /// Declared types of inner values.
    pub value_info: Vec<ValueInfo>,
}

/// A name with the type declared for it.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueInfo {
    /// The value's name.
    pub name: String,
    /// Its type; bodies may leave it out.
    pub value_type: Option<ValueType>,
}

/// The use of an operator or function.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Its name; often empty.
    pub name: String,
    /// Domain of the operator; `""` is `ai.onnx`.
    pub domain: String,
    /// The operator (`op_type`).
    pub operator: String,
    /// Which overload of a function; empty for operators.
    pub overload: String,
    /// Names of the inputs; an empty name is an omitted optional input.
    pub inputs: Vec<String>,
    /// Names of the outputs; an empty name is an output that nobody wants.
    pub outputs: Vec<String>,
    /// Attributes in file order; names are unique.
    pub attributes: Vec<Attribute>,
}

/// A function local to a model, or the body of an operator.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Its domain.
    pub domain: String,
    /// Its name.
    pub name: String,
    /// Which overload.
    pub overload: String,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Attributes without default.
    pub attributes: Vec<String>,
    /// Attributes with default.
    pub attribute_defaults: Vec<Attribute>,
    /// Domain to opset, for the nodes of the body.
    pub opset_imports: BTreeMap<String, i64>,
    /// The body.
    pub nodes: Vec<Node>,
}

impl Node {
    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
            .map(|attribute| &attribute.value)
    }

    /// How the node is named in messages: its name, else its first named output.
    pub fn label(&self) -> &str {
        match self.outputs.iter().find(|output| !output.is_empty()) {
            _ if !self.name.is_empty() => &self.name,
            Some(output) => output,
            None => "(unnamed)",
        }
    }
}

impl Graph {
    /// The initializer of this name.
    pub fn initializer(&self, name: &str) -> Option<&Value> {
        self.initializers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// Inputs that must be fed: those without an initializer of their name. Linear in inputs and initializers.
    pub fn required_inputs(&self) -> impl Iterator<Item = &ValueInfo> {
        let initialized: HashSet<&str> = self.initializers.iter().map(|(name, _)| name.as_str()).collect();
        self.inputs
            .iter()
            .filter(move |input| !initialized.contains(input.name.as_str()))
    }
}
