//! The node that a row of the table rewrites, with its known types and shapes, and the nodes that replace it.

use std::collections::{BTreeSet, HashMap};

use onnx_model::{Attribute, AttributeKind, AttributeValue, Node};
use onnx_schema::OperatorSchema;
use onnx_tensor::{DType, Dim, Real, Tensor, TensorError, Value, ValueType, dispatch};

use crate::facts::Scope;
use crate::names::Names;

/// The reason for which a node cannot be rewritten.
pub(crate) type Reason = String;

/// A node of an operator of ai.onnx (or of the domain of the rewritten one) at an opset.
#[derive(Debug)]
pub(crate) struct Placed {
    pub node: Node,
    /// The opset that defines the node.
    pub opset: u32,
}

/// The place of the converted nodes.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// A graph: constants become initializers.
    Graph,
    /// A function with these defaults of its attributes: constants become nodes.
    Function(&'a BTreeSet<String>),
}

/// The state that all sites of a model share.
pub(crate) struct Shared<'a> {
    pub names: &'a mut Names,
    /// Initializers for the graph.
    pub initializers: &'a mut Vec<(String, Value)>,
    pub place: Place<'a>,
    pub scope: &'a Scope<'a>,
    /// The opset to which the domain of the node is converted.
    pub target: u32,
    /// The types of values that the original node reads.
    pub types: HashMap<String, ValueType>,
}

/// A node at a version step.
pub(crate) struct Site<'s, 'a> {
    /// The node; a row edits it.
    pub node: Node,
    /// The version after the step.
    pub to: &'static OperatorSchema,
    pub shared: &'s mut Shared<'a>,
    pub placed: Vec<Placed>,
}

impl Site<'_, '_> {
    /// Removes an attribute.
    pub fn take(&mut self, name: &str) -> Option<AttributeValue> {
        let at = self
            .node
            .attributes
            .iter()
            .position(|attribute| attribute.name == name)?;
        Some(self.node.attributes.remove(at).value)
    }

    /// Removes an integer; `None` if the node does not have it.
    pub fn take_int(&mut self, name: &str) -> Result<Option<i64>, Reason> {
        match self.take(name) {
            None => Ok(None),
            Some(AttributeValue::Int(value)) => Ok(Some(value)),
            Some(other) => Err(unusable(name, &other)),
        }
    }

    /// Removes a float.
    pub fn take_float(&mut self, name: &str) -> Result<Option<f32>, Reason> {
        match self.take(name) {
            None => Ok(None),
            Some(AttributeValue::Float(value)) => Ok(Some(value)),
            Some(other) => Err(unusable(name, &other)),
        }
    }

    /// Removes a list of floats.
    pub fn take_floats(&mut self, name: &str) -> Result<Option<Vec<f32>>, Reason> {
        match self.take(name) {
            None => Ok(None),
            Some(AttributeValue::Floats(values)) => Ok(Some(values)),
            Some(other) => Err(unusable(name, &other)),
        }
    }

    /// Removes a list of strings.
    pub fn take_strings(&mut self, name: &str) -> Result<Option<Vec<String>>, Reason> {
        match self.take(name) {
            None => Ok(None),
            Some(AttributeValue::Strings(values)) => values
                .into_iter()
                .map(|value| String::from_utf8(value).map_err(|_| format!("attribute `{name}` is not UTF-8")))
                .collect::<Result<_, _>>()
                .map(Some),
            Some(other) => Err(unusable(name, &other)),
        }
    }

    /// Reads a string.
    pub fn string(&self, name: &str) -> Result<Option<String>, Reason> {
        match self.node.attribute(name) {
            None => Ok(None),
            Some(AttributeValue::String(value)) => Ok(Some(String::from_utf8_lossy(value).into_owned())),
            Some(other) => Err(unusable(name, other)),
        }
    }

    /// Sets an attribute.
    pub fn set(&mut self, name: &str, value: AttributeValue) {
        self.take(name);
        self.node.attributes.push(Attribute {
            name: name.to_owned(),
            value,
        });
    }

    pub fn set_string(&mut self, name: &str, value: &str) {
        self.set(name, AttributeValue::String(value.as_bytes().to_vec()));
    }

    /// Returns the name of an input; `None` if it is omitted.
    pub fn input(&self, index: usize) -> Option<&str> {
        let name = self.node.inputs.get(index)?;
        (!name.is_empty()).then_some(name.as_str())
    }

    /// Returns the name of a required input.
    pub fn required(&self, index: usize) -> Result<String, Reason> {
        let found = self.input(index).map(str::to_owned);
        found.ok_or_else(|| format!("input {index} is missing"))
    }

    /// Sets an input; omitted inputs before it get empty names.
    pub fn set_input(&mut self, index: usize, name: String) {
        if self.node.inputs.len() <= index {
            self.node.inputs.resize(index + 1, String::new());
        }
        self.node.inputs[index] = name;
    }

    /// Whether an output has a name.
    pub fn wants(&self, index: usize) -> bool {
        self.node.outputs.get(index).is_some_and(|name| !name.is_empty())
    }

    /// Returns the element type of an input.
    pub fn dtype(&self, index: usize) -> Result<DType, Reason> {
        match self.input(index).and_then(|name| self.shared.types.get(name)) {
            Some(ValueType::Tensor { dtype, .. }) => Ok(*dtype),
            _ => Err(format!("the element type of input {index} is not known")),
        }
    }

    /// Returns the declared shape of an input.
    pub fn shape(&self, index: usize) -> Option<&[Dim]> {
        self.shared.scope.shape(self.input(index)?)
    }

    /// Returns the declared rank of an input.
    pub fn rank(&self, index: usize) -> Option<usize> {
        self.shape(index).map(<[Dim]>::len)
    }

    pub fn constant_input(&self, index: usize) -> Option<&Tensor> {
        self.shared.scope.constant(self.input(index)?)
    }

    /// Returns a new name for a value.
    pub fn fresh(&mut self) -> String {
        self.shared.names.fresh()
    }

    /// Adds a constant and returns its name.
    pub fn constant(&mut self, tensor: Tensor) -> String {
        let name = self.fresh();
        match self.shared.place {
            Place::Graph => self.shared.initializers.push((name.clone(), tensor.into())),
            Place::Function(_) => {
                let value = ("value", AttributeValue::Tensor(tensor));
                self.emit("Constant", Vec::new(), vec![name.clone()], vec![value]);
            }
        }
        name
    }

    /// Adds integers as a constant with one axis.
    pub fn integers(&mut self, values: Vec<i64>) -> String {
        self.constant(Tensor::vector(values))
    }

    /// Moves a list of integers from an attribute to a constant, also if it is an attribute of the
    /// surrounding function.
    pub fn ints_to_constant(&mut self, name: &str) -> Result<Option<String>, Reason> {
        /// The first version of Constant that takes a list of integers.
        const CONSTANT_OF_LISTS: u32 = 12;
        match (self.take(name), self.shared.place) {
            (None, _) => Ok(None),
            (Some(AttributeValue::Ints(values)), _) => Ok(Some(self.integers(values))),
            (Some(AttributeValue::Reference(outer, _)), Place::Function(defaults))
                if defaults.contains(&outer) && self.to.since >= CONSTANT_OF_LISTS =>
            {
                let name = self.fresh();
                let value = (
                    "value_ints",
                    AttributeValue::Reference(outer, Some(AttributeKind::Ints)),
                );
                self.emit("Constant", Vec::new(), vec![name.clone()], vec![value]);
                Ok(Some(name))
            }
            (Some(other), _) => Err(unusable(name, &other)),
        }
    }

    /// Adds a node of ai.onnx before the rewritten one, at the opset of the step.
    pub fn emit(
        &mut self,
        operator: &str,
        inputs: Vec<String>,
        outputs: Vec<String>,
        attributes: Vec<(&str, AttributeValue)>,
    ) {
        let attributes = attributes.into_iter().map(|(name, value)| Attribute {
            name: name.to_owned(),
            value,
        });
        let node = Node {
            operator: operator.to_owned(),
            inputs,
            outputs,
            attributes: attributes.collect(),
            ..Node::default()
        };
        let opset = self.to.since;
        self.placed.push(Placed { node, opset });
    }

    /// Adds a node with one output and returns the name of the output.
    pub fn op(&mut self, operator: &str, inputs: &[&str], attributes: Vec<(&str, AttributeValue)>) -> String {
        let output = self.fresh();
        let inputs = inputs.iter().map(|name| (*name).to_owned()).collect();
        self.emit(operator, inputs, vec![output.clone()], attributes);
        output
    }

    /// Defines the last node by a later opset.
    pub fn lift_last(&mut self, opset: u32) {
        if let Some(last) = self.placed.last_mut() {
            last.opset = opset;
        }
    }

    /// Adds the rewritten node after the nodes added so far.
    pub fn keep(&mut self) {
        let opset = self.to.since;
        self.keep_at(opset);
    }

    /// Adds the rewritten node, defined by a later opset.
    pub fn keep_at(&mut self, opset: u32) {
        let node = std::mem::take(&mut self.node);
        self.placed.push(Placed { node, opset });
    }
}

/// Returns a number as a scalar of a float type, rounded once.
pub(crate) fn scalar_of(value: f32, dtype: DType) -> Result<Tensor, Reason> {
    if !dtype.is_float() {
        return Err(format!("a float bound for elements of type {dtype}"));
    }
    let scalar = dispatch!(float, dtype, T => Ok::<Tensor, TensorError>(Tensor::scalar(<T as Real>::from_f64(f64::from(value)))));
    scalar.map_err(|error| error.to_string())
}

fn unusable(name: &str, value: &AttributeValue) -> Reason {
    match value {
        AttributeValue::Reference(outer, _) => {
            format!(
                "attribute `{name}` is the attribute `{outer}` of the function, which has no default or is no list"
            )
        }
        _ => format!("attribute `{name}` is of another kind than its version declares"),
    }
}
