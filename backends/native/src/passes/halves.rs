//! Stores images of halves as f32 from one convolution to the next.
//!
//! Kernels for images compute in f32, and most of them on blocks of channels. [`convolutions`] replaces each
//! Conv over float16 or bfloat16 by one over f32, whose results are rounded to the half type but stored as
//! f32; Casts around it keep the types of other nodes. [`images`] then lets the operators between two
//! convolutions read and write such values too, so that an image keeps its layout and is not converted.
//! The results have the same bits as those of the nodes of the file on the same kernels.

use std::collections::HashMap;

use native_kernels::elementwise::Binary;
use native_kernels::half::Half;
use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor, ValueType};

use super::Report;
use super::pattern::operator;
use crate::error::NodeError;
use crate::ir::{Fused, Graph, Node, Op, Operator, Rounded, ValueId, dtype};
use crate::kernels::{half_type, is_by_channel, is_convolution, is_finite, is_rounded, widened_tensor};
use crate::ops::fast::{Fast, Normalization, Pooled};
use crate::ops::numbers::slice;

/// Replaces each Conv over halves with constant finite weights.
pub fn convolutions(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let nodes = std::mem::take(&mut graph.nodes);
    let mut made = Made {
        graph,
        nodes: Vec::with_capacity(nodes.len()),
    };
    for node in nodes {
        match made.convolution(&node) {
            Some(()) => report.push(format!("`{}` stores its halves as f32", node.name)),
            None => made.nodes.push(node),
        }
    }
    graph.nodes = made.nodes;
    Ok(report)
}

/// Replaces the operators between such convolutions.
pub fn images(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let nodes = std::mem::take(&mut graph.nodes);
    let outputs = graph.outputs.clone();
    let mut spread = Spread {
        made: Made {
            graph,
            nodes: Vec::with_capacity(nodes.len()),
        },
        rounded: HashMap::new(),
        wide: HashMap::new(),
        same: HashMap::new(),
        outputs,
    };
    for mut node in nodes {
        for input in node.inputs.iter_mut().flatten() {
            *input = spread.same.get(input).copied().unwrap_or(*input);
        }
        if let Some(line) = spread.node(&node) {
            report.extend(line);
        } else {
            spread.made.nodes.push(node);
        }
    }
    let Spread { made, .. } = spread;
    graph.nodes = made.nodes;
    Ok(report)
}

/// Returns the half type of a value, if it has one.
fn half_of(graph: &Graph, id: ValueId) -> Option<Half> {
    half_type(dtype(graph.known(id))?)
}

/// A graph with the nodes that replace those before.
struct Made<'g> {
    graph: &'g mut Graph,
    nodes: Vec<Node>,
}

impl Made<'_> {
    /// Adds a value of f32 with the shape of another.
    fn wide(&mut self, of: ValueId) -> ValueId {
        let value = self.graph.value(of);
        let known = match &value.known {
            Some(ValueType::Tensor { shape, .. }) => Some(ValueType::Tensor {
                dtype: DType::Float,
                shape: shape.clone(),
            }),
            _ => None,
        };
        let name = format!("{}.f32", value.name);
        self.graph.add(name, known, None)
    }

    fn push(&mut self, name: String, op: Op, inputs: Vec<Option<ValueId>>, output: ValueId) {
        self.nodes.push(Node {
            name,
            op,
            inputs,
            outputs: vec![Some(output)],
        });
    }

    /// Adds a Cast to the type of its output.
    fn cast(&mut self, from: ValueId, to: ValueId) -> Option<()> {
        let dtype = dtype(self.graph.known(to))?;
        let to_attribute = ("to", AttributeValue::Int(dtype as i64));
        let operator = Operator::make("Cast", 13, [to_attribute])?;
        let name = format!("{}.cast", self.graph.value(to).name);
        self.push(name, Op::Plain(operator), vec![Some(from)], to);
        Some(())
    }

    /// Returns a constant of halves as one of f32.
    fn constant(&mut self, id: ValueId) -> Option<ValueId> {
        let wide = widened_tensor(self.graph.constant(id)?).ok()?;
        let name = format!("{}.f32", self.graph.value(id).name);
        Some(self.graph.add_constant(name, wide))
    }

    fn convolution(&mut self, node: &Node) -> Option<()> {
        let conv = operator(node)?;
        let (x, y) = (node.input(0)?, node.only_output()?);
        let half = half_of(self.graph, y).filter(|half| half_of(self.graph, x) == Some(*half))?;
        let weights = self.graph.constant(node.input(1)?)?;
        let finite = |tensor: &Tensor| slice::<f32>(tensor).is_ok_and(is_finite);
        if !matches!(conv.row.fast, Some(Fast::Convolution { transposed: false }))
            || !is_convolution(weights.shape())
            || node.input(2).is_some_and(|id| self.graph.constant(id).is_none())
        {
            return None;
        }
        let w = self.constant(node.input(1)?)?;
        if !self.graph.constant(w).is_some_and(finite) {
            return None;
        }
        let bias = match node.input(2) {
            Some(id) => Some(self.constant(id)?),
            None => None,
        };
        let (wide_x, sums, rounded) = (self.wide(x), self.wide(y), self.wide(y));
        self.cast(x, wide_x)?;
        let inputs = vec![Some(wide_x), Some(w), bias];
        self.push(node.name.clone(), node.op.clone(), inputs, sums);
        self.round(sums, rounded, half);
        self.cast(rounded, y)
    }

    fn round(&mut self, from: ValueId, to: ValueId, half: Half) {
        let rounded = Rounded {
            function: None,
            to: half,
        };
        let name = format!("{}.rounded", self.graph.value(to).name);
        self.push(name, Op::Fused(Fused::Rounded(rounded)), vec![Some(from)], to);
    }
}

/// The state of replacing operators between convolutions.
struct Spread<'g> {
    made: Made<'g>,
    /// The values of f32 that are numbers of a half type.
    rounded: HashMap<ValueId, Half>,
    /// The form in f32 of values of a half type.
    wide: HashMap<ValueId, ValueId>,
    /// The values that equal another one.
    same: HashMap<ValueId, ValueId>,
    outputs: Vec<ValueId>,
}

/// What an operator makes of halves.
enum Kind {
    Halves,
    /// Numbers that must be rounded.
    Numbers,
    /// A function of one value that must be rounded once.
    Function,
}

impl Spread<'_> {
    /// Replaces a node; returns what is to be reported. `None` if it stays.
    fn node(&mut self, node: &Node) -> Option<Option<String>> {
        if let Op::Fused(Fused::Rounded(inner)) = &node.op {
            self.rounded.insert(node.only_output()?, inner.to);
            return None;
        }
        if matches!(operator(node)?.row.fast, Some(Fast::Cast)) {
            return self.cast(node).then_some(None);
        }
        self.operator(node)?;
        Some(Some(format!("`{}` stores its halves as f32", node.name)))
    }

    /// Enters a Cast from or to a stored image; returns whether it is superfluous.
    fn cast(&mut self, node: &Node) -> bool {
        let (Some(x), Some(y)) = (node.input(0), node.only_output()) else {
            return false;
        };
        let to = half_of(self.made.graph, y);
        if to.is_some() && self.rounded.get(&x).copied() == to {
            self.wide.insert(y, x);
            return false;
        }
        let is_float = dtype(self.made.graph.known(y)) == Some(DType::Float);
        match self.wide.get(&x) {
            Some(&wide) if is_float && !self.outputs.contains(&y) => {
                self.same.insert(y, wide);
                true
            }
            _ => false,
        }
    }

    fn operator(&mut self, node: &Node) -> Option<()> {
        let operator = operator(node)?;
        let y = node.only_output()?;
        let half = half_of(self.made.graph, y)?;
        let kind = self.kind(node, operator)?;
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for input in &node.inputs {
            inputs.push(match *input {
                Some(id) => Some(self.wide_form(id)?),
                None => None,
            });
        }
        let (result, op) = (self.made.wide(y), node.op.clone());
        match kind {
            Kind::Halves => self.made.push(node.name.clone(), op, inputs, result),
            Kind::Numbers => {
                let numbers = self.made.wide(y);
                self.made.push(node.name.clone(), op, inputs, numbers);
                self.made.round(numbers, result, half);
            }
            Kind::Function => {
                let rounded = Fused::Rounded(Rounded {
                    function: Some(operator.clone()),
                    to: half,
                });
                self.made
                    .push(node.name.clone(), Op::Fused(rounded), inputs, result);
            }
        }
        self.rounded.insert(result, half);
        self.wide.insert(y, result);
        self.made.cast(result, y)
    }

    /// Returns the form of an operand in f32; constants and other halves are converted.
    fn wide_form(&mut self, id: ValueId) -> Option<ValueId> {
        if let Some(&wide) = self.wide.get(&id) {
            return Some(wide);
        }
        if self.made.graph.constant(id).is_some() {
            return self.made.constant(id);
        }
        let wide = self.made.wide(id);
        self.made.cast(id, wide)?;
        self.wide.insert(id, wide);
        Some(wide)
    }

    /// Returns what an operator makes of stored images; `None` if it does not work on them here.
    fn kind(&self, node: &Node, operator: &Operator) -> Option<Kind> {
        let graph = &*self.made.graph;
        let shape = graph.shape_of(node.only_output()?)?;
        let (x, half) = (node.input(0)?, half_of(graph, node.only_output()?)?);
        let is_stored = |id: ValueId| self.wide.contains_key(&id);
        let alone = node.inputs.iter().skip(1).all(Option::is_none) && is_stored(x);
        let moving = |id: ValueId| half_of(graph, id) == Some(half) && graph.constant(id).is_none();
        match operator.row.fast? {
            Fast::Activation(make) if alone => {
                let exact = make(&operator.attributes).ok()?.keeps(half);
                let kind = if exact { Kind::Halves } else { Kind::Function };
                (exact || is_rounded(operator)).then_some(kind)
            }
            Fast::Clip => {
                let constant = |at: usize| node.input(at).is_some_and(|id| graph.constant(id).is_some());
                (is_stored(x) && constant(1) && constant(2)).then_some(Kind::Halves)
            }
            Fast::Binary(function) => {
                let (a, b) = (x, node.input(1)?);
                let fits = node.inputs.len() == 2 && (is_stored(a) || is_stored(b)) && moving(a) && moving(b);
                let [left, right] = [graph.shape_of(a)?, graph.shape_of(b)?];
                let alike = left == shape && right == shape;
                let by_channel = (left == shape && is_by_channel(&shape, &right))
                    || (right == shape && is_by_channel(&shape, &left));
                let kind = match function {
                    Binary::Add | Binary::Mul if alike || by_channel => Kind::Numbers,
                    Binary::Sub if alike => Kind::Numbers,
                    Binary::Max | Binary::Min if alike => Kind::Halves,
                    _ => return None,
                };
                fits.then_some(kind)
            }
            Fast::Pool(Pooled { mean, .. }) if alone => Some(if mean { Kind::Numbers } else { Kind::Halves }),
            Fast::Normalization(Normalization::Neighbours) if alone => Some(Kind::Numbers),
            Fast::Concat => {
                let inputs: Vec<ValueId> = node.inputs.iter().copied().collect::<Option<_>>()?;
                let fits = inputs.iter().copied().all(moving) && inputs.iter().copied().any(is_stored);
                fits.then_some(Kind::Halves)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::{AttributeValue, Node as FileNode};
    use onnx_tensor::{Tensor, bf16, f16};

    use super::super::{convolution, dead, epilogue};
    use super::{convolutions, images};
    use crate::fixture::{Fixture, node};

    /// Nodes between x, as this half type, and y. The constants are c (by channel), w and v (3 × 3), and the
    /// bounds low and high.
    fn fixture(to: i64, nodes: Vec<FileNode>) -> Fixture {
        let cast = |from: &str, into: &str, to| node("Cast", from, into, &[("to", AttributeValue::Int(to))]);
        let mut all = vec![cast("x", "h", to)];
        all.extend(nodes);
        all.push(cast("r", "y", 1));
        let value = |at: usize| (at * 7919 % 251) as f32 / 500.0 - 0.25;
        let tensor = |shape: &[usize]| {
            let values = (0..shape.iter().product()).map(value);
            match to {
                10 => Tensor::new(shape, values.map(f16::from_f32).collect::<Vec<_>>()).unwrap(),
                _ => Tensor::new(shape, values.map(bf16::from_f32).collect::<Vec<_>>()).unwrap(),
            }
        };
        let bound = |value: f32| match to {
            10 => Tensor::scalar(f16::from_f32(value)),
            _ => Tensor::scalar(bf16::from_f32(value)),
        };
        // Conv takes bfloat16 from opset 22 on.
        Fixture::new(&[2, 9, 6, 5], all)
            .opset(22)
            .constant("w", tensor(&[9, 9, 1, 1]))
            .constant("v", tensor(&[9, 9, 3, 3]))
            .constant("low", bound(0.0))
            .constant("high", bound(0.5))
    }

    fn pads() -> (&'static str, AttributeValue) {
        ("pads", AttributeValue::Ints(vec![1; 4]))
    }

    fn residual() -> Vec<FileNode> {
        vec![
            node("Conv", "h w", "a", &[]),
            node("Clip", "a low high", "b", &[]),
            node("Conv", "b v", "c", &[pads()]),
            node("Add", "c b", "d", &[]),
            node("Conv", "d w", "r", &[]),
        ]
    }

    #[test]
    fn an_image_is_converted_before_the_first_and_after_the_last_convolution() {
        fixture(10, residual()).check(
            &[convolutions, images, dead::run, convolution::run, epilogue::run],
            &[
                "Cast-21",
                "Cast-13",
                "Conv-22 then Narrow { to: F16, low: 0.0, high: 0.5 }",
                "Conv-22 then Narrow { to: F16, low: -inf, high: inf }",
                "Add-14",
                "Rounded to F16",
                "Conv-22 then Narrow { to: F16, low: -inf, high: inf }",
                "Cast-13",
                "Cast-21",
            ],
        );
    }

    #[test]
    fn results_are_those_of_the_general_code() {
        let functions = vec![
            node("Conv", "h w", "a", &[]),
            node("Sigmoid", "a", "b", &[]),
            node("HardSwish", "b", "c", &[]),
            node(
                "MaxPool",
                "c",
                "d",
                &[("kernel_shape", AttributeValue::Ints(vec![2, 2]))],
            ),
            node("GlobalAveragePool", "d", "e", &[]),
            node("Mul", "d e", "f", &[]),
            node("Concat", "f d", "g", &[("axis", AttributeValue::Int(1))]),
            node("Relu", "g", "r", &[]),
        ];
        for (to, unit) in [(10, 1.0 / 1024.0), (16, 1.0 / 128.0)] {
            // Two units: a rounding of each convolution may differ, and the next one carries it on.
            fixture(to, residual()).check_kernels(&[], 2.0 * unit);
            fixture(to, functions.clone()).check_kernels(&[], 2.0 * unit);
        }
    }

    #[test]
    fn a_bound_that_is_no_half_stays_behind_the_rounding() {
        let to = |dtype: i64| [("to", AttributeValue::Int(dtype))];
        let nodes = vec![
            node("Cast", "x", "h", &to(10)),
            node("Conv", "h w", "a", &[]),
            node("Cast", "a", "b", &to(1)),
            node("Clip", "b low high", "y", &[]),
        ];
        let weights: Vec<f16> = (0..9).map(|at| f16::from_f32(at as f32 / 4.0)).collect();
        Fixture::new(&[1, 3, 2, 2], nodes)
            .constant("w", Tensor::new(&[3, 3, 1, 1], weights).unwrap())
            .constant("low", Tensor::scalar(0.0_f32))
            .constant("high", Tensor::scalar(0.1_f32))
            .check(
                &[convolutions, images, dead::run, convolution::run, epilogue::run],
                &[
                    "Cast-19",
                    "Cast-13",
                    "Conv-11 then Narrow { to: F16, low: -inf, high: inf }",
                    "Clip-13",
                ],
            );
    }
}
