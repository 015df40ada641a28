//! A draft of a graph: the values so far, and the nodes that compute them.

use std::collections::BTreeSet;

use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Element, Real, Tensor, TensorError, Value, ValueType, dispatch};

use super::range::Range;
use crate::{Case, Draws};

/// A value of the graph with a known shape.
#[derive(Clone, Debug)]
pub struct Wire {
    pub name: String,
    /// Its element type.
    pub dtype: DType,
    pub shape: Vec<usize>,
    /// The range of its elements.
    pub range: Range,
}

impl Wire {
    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The last extent; 1 for a scalar.
    pub fn last(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }
}

/// Attributes of a node.
pub type Attributes<'a> = &'a [(&'a str, AttributeValue)];

/// The maximum number of elements of a value.
const MAX_ELEMENTS: usize = 6000;

#[derive(Debug)]
pub struct GraphDraft {
    /// The source of everything that is not decided.
    pub draws: Draws,
    /// The float type of the graph.
    pub float: DType,
    /// The opset that the model imports.
    pub opset: i64,
    /// Whether inputs and weights are small integers.
    whole: bool,
    /// Whether values with rounding errors may decide.
    pub rounding_decides: bool,
    /// Whether a row without any key may have produced NaN, which cannot be converted to an integer.
    pub undefined: bool,
    /// Values that blocks may read.
    pub wires: Vec<Wire>,
    nodes: Vec<Node>,
    inputs: Vec<(String, Value)>,
    initializers: Vec<(String, Value)>,
    read: BTreeSet<String>,
    /// The weights so far, which later nodes may also read.
    shared: Vec<Wire>,
    count: usize,
}

impl GraphDraft {
    /// An empty graph.
    pub fn new(mut draws: Draws) -> GraphDraft {
        let types = [
            DType::Float,
            DType::Float,
            DType::Float,
            DType::Float,
            DType::Float,
            DType::Float,
            DType::Float16,
            DType::Float16,
            DType::Double,
            DType::Bfloat16,
        ];
        let float = draws.one_of(&types).copied().unwrap_or(DType::Float);
        let opset = draws
            .one_of(&[13, 14, 17, 18, 20, 21, 22, 23])
            .copied()
            .unwrap_or(17);
        // Earlier operators do not accept bfloat16.
        let opset = if float == DType::Bfloat16 { 22 } else { opset };
        let whole = draws.one_in(3);
        let rounding_decides = draws.one_in(2);
        GraphDraft {
            draws,
            float,
            opset,
            whole,
            rounding_decides,
            undefined: false,
            wires: Vec::new(),
            nodes: Vec::new(),
            inputs: Vec::new(),
            initializers: Vec::new(),
            read: BTreeSet::new(),
            shared: Vec::new(),
            count: 0,
        }
    }

    /// Imports this opset, or a newer one if the float type needs it.
    pub fn use_opset(&mut self, opset: i64) {
        self.opset = match self.float {
            DType::Bfloat16 if opset < 22 => 22,
            _ => opset,
        };
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A new name.
    pub fn name(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }

    /// A number in `low..=high`.
    pub fn extent(&mut self, low: usize, high: usize) -> usize {
        low + self.draws.below(high + 1 - low)
    }

    /// One of several extents.
    pub fn one_of(&mut self, options: &[usize]) -> usize {
        self.draws.one_of(options).copied().unwrap_or(1)
    }

    /// One of several texts.
    pub fn text(&mut self, options: &[&'static str]) -> &'static str {
        self.draws.one_of(options).copied().unwrap_or_default()
    }

    /// Drawn numbers: integers from -2 to 2, or any from -1 to 1.
    fn numbers(&mut self, count: usize) -> (Vec<f64>, Range) {
        if self.whole {
            let numbers = (0..count).map(|_| self.draws.between(-2, 2) as f64).collect();
            return (numbers, Range::multiples(2.0, 1.0));
        }
        let numbers = (0..count).map(|_| self.draws.unit() * 2.0 - 1.0).collect();
        (numbers, Range::rounded(1.0))
    }

    /// A tensor of the graph's float type.
    pub fn floats(&self, shape: &[usize], numbers: Vec<f64>) -> Option<Tensor> {
        let tensor: Result<Tensor, TensorError> = dispatch!(float, self.float, T => {
            Tensor::new(shape, numbers.into_iter().map(<T as Real>::from_f64).collect::<Vec<T>>())
        });
        tensor.ok()
    }

    /// Adds an input.
    pub fn feed(&mut self, shape: &[usize]) -> Option<Wire> {
        let (numbers, range) = self.numbers(shape.iter().product());
        let tensor = self.floats(shape, numbers)?;
        Some(self.fed(tensor, range))
    }

    /// Adds an input that is a tensor.
    pub fn fed(&mut self, tensor: Tensor, range: Range) -> Wire {
        let wire = Wire {
            name: self.name("x"),
            dtype: tensor.dtype(),
            shape: tensor.shape().to_vec(),
            range,
        };
        self.inputs.push((wire.name.clone(), Value::Tensor(tensor)));
        self.wires.push(wire.clone());
        wire
    }

    /// A tensor in the model: an initializer, or the output of a Constant.
    pub fn constant(&mut self, tensor: Tensor, range: Range) -> Wire {
        let wire = Wire {
            name: self.name("c"),
            dtype: tensor.dtype(),
            shape: tensor.shape().to_vec(),
            range,
        };
        if self.draws.one_in(8) {
            let value = Attribute {
                name: "value".to_owned(),
                value: AttributeValue::Tensor(tensor),
            };
            let outputs = vec![wire.name.clone()];
            self.nodes.push(Node {
                operator: "Constant".to_owned(),
                attributes: vec![value],
                outputs,
                ..Node::default()
            });
        } else {
            self.initializers.push((wire.name.clone(), Value::Tensor(tensor)));
        }
        wire
    }

    /// Weights: mostly constant, sometimes an input. Products of `terms` of them have about the size of
    /// their other factor.
    pub fn weights(&mut self, shape: &[usize], terms: usize) -> Option<Wire> {
        if let (true, Some(shared)) = (
            self.draws.one_in(8),
            self.shared.iter().find(|wire| wire.shape == shape),
        ) {
            return Some(shared.clone());
        }
        let wire = self.new_weights(shape, terms)?;
        self.shared.push(wire.clone());
        Some(wire)
    }

    fn new_weights(&mut self, shape: &[usize], terms: usize) -> Option<Wire> {
        let (mut numbers, mut range) = self.numbers(shape.iter().product());
        // A factor that is a power of two is exact.
        let scale = (-(terms.max(1) as f64).log2() / 2.0).floor().exp2();
        numbers.iter_mut().for_each(|number| *number *= scale);
        range = Range {
            most: range.most * scale,
            step: range.step * scale,
        };
        let tensor = self.floats(shape, numbers)?;
        Some(if self.draws.one_in(12) {
            self.fed(tensor, range)
        } else {
            self.constant(tensor, range)
        })
    }

    /// Constant numbers from 1/4 to 2, for variances and scales.
    pub fn positive(&mut self, shape: &[usize]) -> Option<Wire> {
        let numbers = (0..shape.iter().product())
            .map(|_| self.draws.between(1, 8) as f64 / 4.0)
            .collect();
        let tensor = self.floats(shape, numbers)?;
        Some(self.constant(tensor, Range::multiples(2.0, 0.25)))
    }

    /// A constant number: a scalar, or one element with an axis.
    pub fn number(&mut self, number: f64) -> Option<Wire> {
        let shape: &[usize] = if self.draws.one_in(4) { &[1] } else { &[] };
        let tensor = self.floats(shape, vec![number])?;
        let whole = number * 16.0 == (number * 16.0).trunc();
        let range = if whole {
            Range::multiples(number.abs(), 1.0 / 16.0)
        } else {
            Range::rounded(number.abs())
        };
        Some(self.constant(tensor, range))
    }

    /// A constant list of integers.
    pub fn list(&mut self, numbers: &[i64]) -> Wire {
        self.constant(Tensor::vector(numbers.to_vec()), Range::multiples(0.0, 1.0))
    }

    /// A constant integer.
    pub fn whole_number(&mut self, number: i64) -> Wire {
        self.constant(
            Tensor::scalar(number),
            Range::multiples(number.unsigned_abs() as f64, 1.0),
        )
    }

    /// A node with several outputs; returns their names. An empty name among the inputs omits one.
    pub fn node(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: Attributes<'_>,
        outputs: usize,
    ) -> Vec<String> {
        let outputs: Vec<String> = (0..outputs).map(|_| self.name("v")).collect();
        let attribute = |(name, value): &(&str, AttributeValue)| Attribute {
            name: (*name).to_owned(),
            value: value.clone(),
        };
        self.read.extend(inputs.iter().map(|name| (*name).to_owned()));
        self.nodes.push(Node {
            name: format!("n{}", self.nodes.len()),
            operator: operator.to_owned(),
            inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
            outputs: outputs.clone(),
            attributes: attributes.iter().map(attribute).collect(),
            ..Node::default()
        });
        outputs
    }

    /// A node with one output, of the type of its first input.
    pub fn emit(
        &mut self,
        operator: &str,
        inputs: &[&Wire],
        attributes: Attributes<'_>,
        shape: Vec<usize>,
        range: Range,
    ) -> Wire {
        let names: Vec<&str> = inputs.iter().map(|wire| wire.name.as_str()).collect();
        let dtype = inputs.first().map_or(self.float, |wire| wire.dtype);
        let name = self
            .node(operator, &names, attributes, 1)
            .pop()
            .unwrap_or_default();
        Wire {
            name,
            dtype,
            shape,
            range: range.held_by(dtype),
        }
    }

    /// An elementwise node with one operand, with rounding.
    pub fn map(&mut self, operator: &str, x: &Wire, attributes: Attributes<'_>, most: f64) -> Wire {
        self.emit(operator, &[x], attributes, x.shape.clone(), Range::rounded(most))
    }

    /// The sum, difference or product of two operands that broadcast.
    pub fn combine(&mut self, operator: &str, a: &Wire, b: &Wire) -> Option<Wire> {
        let shape = broadcast(&a.shape, &b.shape)?;
        let range = match operator {
            "Mul" => a.range.dot(b.range, 1),
            "Max" | "Min" => a.range.or(b.range),
            _ => a.range.plus(b.range),
        };
        Some(self.emit(operator, &[a, b], &[], shape, range))
    }

    /// Makes a value available to later blocks.
    pub fn keep(&mut self, wire: Wire) {
        if wire.len() <= MAX_ELEMENTS {
            self.wires.push(wire);
        }
    }

    /// Whether a decision may depend on a value: it is exact, or rounding may decide, and no element can be
    /// NaN.
    pub fn decides(&self, wire: &Wire) -> bool {
        wire.range.is_exact() || self.rounding_decides && !self.undefined
    }

    /// A value that fits: mostly the newest.
    pub fn find(&mut self, fits: impl Fn(&Wire) -> bool) -> Option<Wire> {
        let fitting: Vec<&Wire> = self.wires.iter().filter(|wire| fits(wire)).collect();
        let newest = fitting.len().checked_sub(1)?;
        let place = if self.draws.one_in(3) {
            self.draws.below(newest + 1)
        } else {
            newest
        };
        fitting.get(place).map(|wire| (*wire).clone())
    }

    /// A float value that fits, scaled to a moderate size; a new input if none fits.
    pub fn float(&mut self, shape: &[usize], fits: impl Fn(&Wire) -> bool) -> Option<Wire> {
        let float = self.float;
        match self.find(|wire| wire.dtype == float && fits(wire)) {
            Some(wire) => self.tamed(wire),
            None => self.feed(shape),
        }
    }

    /// The value, or a fraction of it if it may be large.
    pub fn tamed(&mut self, wire: Wire) -> Option<Wire> {
        if wire.range.most <= 32.0 {
            return Some(wire);
        }
        let factor = (1.0 - wire.range.most.log2().ceil()).exp2();
        let tensor = self.floats(&[], vec![factor])?;
        let factor = self.constant(tensor, Range::multiples(factor, factor));
        self.combine("Mul", &wire, &factor)
    }

    /// Marks the values that a body captures as read.
    pub fn captures(&mut self, name: &str) {
        self.read.insert(name.to_owned());
    }

    /// The case. Its outputs are the values that no node reads, and some others.
    pub fn finish(mut self, suite: String, name: String) -> Option<Case> {
        let produced: Vec<(String, usize)> = self
            .nodes
            .iter()
            .filter(|node| node.operator != "Constant")
            .flat_map(|node| node.outputs.iter().map(|output| (output.clone(), 0)))
            .collect();
        let mut outputs = Vec::new();
        for (name, _) in &produced {
            let known = self.wires.iter().any(|wire| wire.name == *name);
            if !self.read.contains(name) || known && self.draws.one_in(10) {
                outputs.push(ValueInfo {
                    name: name.clone(),
                    value_type: None,
                });
            }
        }
        let symbolic = self.draws.one_in(3);
        let inputs = self
            .inputs
            .iter()
            .map(|(name, value)| declared(name, value, symbolic))
            .collect();
        (!outputs.is_empty()).then_some(())?;
        let graph = Graph {
            name: suite.clone(),
            inputs,
            outputs,
            initializers: self.initializers,
            nodes: self.nodes,
            value_info: Vec::new(),
        };
        let model = Model {
            producer_name: "onnx-generator".to_owned(),
            ..Model::new(self.opset, graph)
        };
        Some(Case::of_graph(suite, name, model, self.inputs))
    }
}

/// The declaration of an input: with its extents, or with a name for the first of them.
fn declared(name: &str, value: &Value, symbolic: bool) -> ValueInfo {
    let mut value_type = value.value_type();
    if let (
        true,
        ValueType::Tensor {
            shape: Some(shape), ..
        },
    ) = (symbolic, &mut value_type)
        && let Some(first) = shape.first_mut()
    {
        *first = Dim::Named(format!("batch_of_{name}"));
    }
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(value_type),
    }
}

/// The broadcast shape of both, if they broadcast.
pub fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let at = |shape: &[usize], axis: usize| {
        (axis + shape.len())
            .checked_sub(rank)
            .and_then(|axis| shape.get(axis).copied())
            .unwrap_or(1)
    };
    (0..rank)
        .map(|axis| match (at(a, axis), at(b, axis)) {
            (x, y) if x == y => Some(x),
            (1, y) => Some(y),
            (x, 1) => Some(x),
            _ => None,
        })
        .collect()
}

/// A tensor with one value.
pub fn filled<T: Element>(shape: &[usize], value: T) -> Option<Tensor> {
    Tensor::new(shape, vec![value; shape.iter().product()]).ok()
}
