//! A decoded model: the content of a file, in types that cannot be malformed.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use onnx_tensor::{StoredTensor, Value, ValueType};

use crate::{Attribute, AttributeValue};

/// A model: a graph, its local functions, and the operator sets that define its operators.
#[derive(Clone, Debug)]
pub struct Model {
    /// The version of the file format (`ir_version`).
    pub ir_version: i64,
    /// The opset of each domain; `""` is `ai.onnx`.
    pub opset_imports: BTreeMap<String, i64>,
    /// The main graph.
    pub graph: Arc<Graph>,
    /// The functions local to the model.
    pub functions: Vec<Arc<Function>>,
    /// The name of the tool that wrote the file; empty if unknown.
    pub producer_name: String,
    /// The version of that tool; empty if unknown.
    pub producer_version: String,
    /// What the file says that no field above has, each kind at most 100 times.
    pub oddities: Vec<Oddity>,
}

/// What a file repeats, omits or misstates, although no result depends on it. Long names in paths are
/// shortened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Oddity {
    /// A key that more than one entry of the same `metadata_props` has. Metadata are not kept.
    RepeatedKey {
        /// The location in the file: `graph.node[2] "conv1".metadata_props`.
        path: String,
        /// The first key that is repeated there, shortened too.
        key: String,
    },
    /// A declared extent below -1, which some exporters write for an unknown one. It is read as -1 is.
    NegativeExtent {
        /// The location in the file: `graph.input[0] "x"`.
        path: String,
        /// The axis.
        axis: usize,
        /// The number.
        extent: i64,
    },
    /// An attribute without a type. It has the type of the field that is set.
    UntypedAttribute {
        /// Its location in the file.
        path: String,
    },
    /// A node of the domain `ai.onnx`, which is imported as the empty one only.
    DomainAlias {
        /// Its location in the file.
        path: String,
    },
}

impl Model {
    /// Makes a model that imports this opset of `ai.onnx`, with IR version 8, without functions and
    /// producer. The literal `Model { ir_version: 10, ..Model::new(opset, graph) }` sets other
    /// fields.
    pub fn new(opset: i64, graph: Graph) -> Model {
        Model {
            ir_version: 8,
            opset_imports: BTreeMap::from([(String::new(), opset)]),
            graph: Arc::new(graph),
            functions: Vec::new(),
            producer_name: String::new(),
            producer_version: String::new(),
            oddities: Vec::new(),
        }
    }

    /// Returns the initializers whose elements stayed in their files, those of bodies included.
    pub fn stored(&self) -> Vec<&StoredTensor> {
        let mut found = Vec::new();
        self.graph.visit_stored(&mut found);
        found
    }
}

/// A graph, or the body of an If, Loop, Scan or SequenceMap.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The name; may be empty.
    pub name: String,
    /// The inputs in order. An input with an initializer of the same name is optional.
    pub inputs: Vec<ValueInfo>,
    /// The outputs in order.
    pub outputs: Vec<ValueInfo>,
    /// The constants by name, in file order; [`Value::Tensor`] or [`Value::Sparse`].
    pub initializers: Vec<(String, Value)>,
    /// The nodes in file order. The specification requires a topological order.
    pub nodes: Vec<Node>,
    /// The declared types of inner values.
    pub value_info: Vec<ValueInfo>,
}

/// A name with its declared type.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueInfo {
    pub name: String,
    /// The type; bodies may omit it.
    pub value_type: Option<ValueType>,
}

/// A call of an operator or function.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The name; often empty.
    pub name: String,
    /// The domain of the operator; `""` is `ai.onnx`.
    pub domain: String,
    /// The name of the operator (`op_type`).
    pub operator: String,
    /// The overload of a function; empty for operators.
    pub overload: String,
    /// The names of the inputs; an empty name is an omitted optional input.
    pub inputs: Vec<String>,
    /// The names of the outputs; an empty name is an unused output.
    pub outputs: Vec<String>,
    /// The attributes in file order; names are unique.
    pub attributes: Vec<Attribute>,
}

/// A function local to a model, or the function body of an operator.
#[derive(Clone, Debug, Default)]
pub struct Function {
    pub domain: String,
    pub name: String,
    pub overload: String,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The names of the outputs.
    pub outputs: Vec<String>,
    /// The names of attributes without a default.
    pub attributes: Vec<String>,
    pub attribute_defaults: Vec<Attribute>,
    /// The opset of each domain, for the nodes of the body.
    pub opset_imports: BTreeMap<String, i64>,
    /// The nodes of the body.
    pub nodes: Vec<Node>,
}

impl Node {
    /// Returns the value of the attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
            .map(|attribute| &attribute.value)
    }

    /// Returns the bodies in the attributes of the node.
    pub fn bodies(&self) -> impl Iterator<Item = &Arc<Graph>> {
        self.attributes
            .iter()
            .flat_map(|attribute| attribute.value.graphs())
    }

    /// Returns the bodies in the attributes of the node, to be changed.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Arc<Graph>> {
        self.attributes
            .iter_mut()
            .flat_map(|attribute| attribute.value.graphs_mut())
    }

    /// The name of the node in messages: its name, or else its first named output.
    pub fn label(&self) -> &str {
        match self.outputs.iter().find(|output| !output.is_empty()) {
            _ if !self.name.is_empty() => &self.name,
            Some(output) => output,
            None => "(unnamed)",
        }
    }
}

impl Graph {
    /// Returns the initializer of this name.
    pub fn initializer(&self, name: &str) -> Option<&Value> {
        self.initializers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    fn visit_stored<'g>(&'g self, found: &mut Vec<&'g StoredTensor>) {
        found.extend(self.initializers.iter().filter_map(|(_, value)| match value {
            Value::Stored(stored) => Some(stored),
            _ => None,
        }));
        for body in self.nodes.iter().flat_map(Node::bodies) {
            body.visit_stored(found);
        }
    }

    /// Returns the inputs without an initializer of the same name, which every run must feed. Takes time
    /// linear in inputs and initializers.
    pub fn required_inputs(&self) -> impl Iterator<Item = &ValueInfo> {
        let initialized: HashSet<&str> = self.initializers.iter().map(|(name, _)| name.as_str()).collect();
        self.inputs
            .iter()
            .filter(move |input| !initialized.contains(input.name.as_str()))
    }
}
