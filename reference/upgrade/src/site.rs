//! The node that a row of the table rewrites, with what is known of it, and the nodes that take its place.

use std::collections::{BTreeSet, HashMap};

use onnx_model::{Attribute, AttributeValue, Node};
use onnx_schema::OperatorSchema;
use onnx_tensor::{DType, Dim, Real, Tensor, TensorError, Value, ValueType, dispatch};

use crate::facts::Scope;
use crate::names::Names;

/// Why a node cannot be rewritten.
pub(crate) type Reason = String;

/// A node of an operator of ai.onnx (or of the domain of the rewritten one) at an opset.
#[derive(Debug)]
pub(crate) struct Placed {
    pub node: Node,
    /// The opset at which the node is meant.
    pub opset: u32,
}

/// Where the converted nodes stand.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// A graph: constants become initializers.
    Graph,
    /// A function with these defaults of its attributes: constants become nodes.
    Function(&'a BTreeSet<String>),
}

/// What all sites of a model share.
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
    /// The version that the step leads to.
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

    /// Removes an integer; none where the node does not give it.
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

    /// The name of an input; none where it is left out.
    pub fn input(&self, index: usize) -> Option<&str> {
        let name = self.node.inputs.get(index)?;
        (!name.is_empty()).then_some(name.as_str())
    }

    /// The name of an input that must be there.
    pub fn required(&self, index: usize) -> Result<String, Reason> {
        let found = self.input(index).map(str::to_owned);
        found.ok_or_else(|| format!("input {index} is missing"))
    }

    /// Sets an input; those before it that are left out are empty names.
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

    /// The element type of an input.
    pub fn dtype(&self, index: usize) -> Result<DType, Reason> {
        match self.input(index).and_then(|name| self.shared.types.get(name)) {
            Some(ValueType::Tensor { dtype, .. }) => Ok(*dtype),
            _ => Err(format!("the element type of input {index} is not known")),
        }
    }

    /// The declared shape of an input.
    pub fn shape(&self, index: usize) -> Option<&[Dim]> {
        self.shared.scope.shape(self.input(index)?)
    }

    /// The declared rank of an input.
    pub fn rank(&self, index: usize) -> Option<usize> {
        self.shape(index).map(<[Dim]>::len)
    }

    /// The value of an input that is a constant.
    pub fn constant_input(&self, index: usize) -> Option<&Tensor> {
        self.shared.scope.constant(self.input(index)?)
    }

    /// A new name of a value.
    pub fn fresh(&mut self) -> String {
        self.shared.names.fresh()
    }

    /// A constant; gives its name.
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

    /// Integers as a constant of one axis.
    pub fn integers(&mut self, values: Vec<i64>) -> String {
        self.constant(Tensor::vector(values))
    }

    /// Moves a list of integers from an attribute to a constant, also where it is an attribute of the function around.
    pub fn ints_to_constant(&mut self, name: &str) -> Result<Option<String>, Reason> {
        /// The first version of Constant that takes a list of integers.
        const CONSTANT_OF_LISTS: u32 = 12;
        match (self.take(name), self.shared.place) {
            (None, _) => Ok(None),
            (Some(AttributeValue::Ints(values)), _) => Ok(Some(self.integers(values))),
            (Some(AttributeValue::Reference(outer)), Place::Function(defaults))
                if defaults.contains(&outer) && self.to.since >= CONSTANT_OF_LISTS =>
            {
                let name = self.fresh();
                let value = ("value_ints", AttributeValue::Reference(outer));
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

    /// Adds a node with one output; gives the name of the output.
    pub fn op(&mut self, operator: &str, inputs: &[&str], attributes: Vec<(&str, AttributeValue)>) -> String {
        let output = self.fresh();
        let inputs = inputs.iter().map(|name| (*name).to_owned()).collect();
        self.emit(operator, inputs, vec![output.clone()], attributes);
        output
    }

    /// Gives the last node the meaning of a later opset.
    pub fn lift_last(&mut self, opset: u32) {
        if let Some(last) = self.placed.last_mut() {
            last.opset = opset;
        }
    }

    /// Puts the rewritten node behind the nodes added so far.
    pub fn keep(&mut self) {
        let opset = self.to.since;
        self.keep_at(opset);
    }

    /// The same with the meaning of a later opset.
    pub fn keep_at(&mut self, opset: u32) {
        let node = std::mem::take(&mut self.node);
        self.placed.push(Placed { node, opset });
    }
}

/// A number as a scalar of a float type, rounded once.
pub(crate) fn scalar_of(value: f32, dtype: DType) -> Result<Tensor, Reason> {
    if !dtype.is_float() {
        return Err(format!("a float bound for elements of type {dtype}"));
    }
    let scalar = dispatch!(float, dtype, T => Ok::<Tensor, TensorError>(Tensor::scalar(<T as Real>::from_f64(f64::from(value)))));
    scalar.map_err(|error| error.to_string())
}

fn unusable(name: &str, value: &AttributeValue) -> Reason {
    match value {
        AttributeValue::Reference(outer) => {
            format!(
                "attribute `{name}` is the attribute `{outer}` of the function, which has no default or is no list"
            )
        }
        _ => format!("attribute `{name}` is of another kind than its version declares"),
    }
}
