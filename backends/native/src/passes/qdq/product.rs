//! Quantized sums of products of dequantized bytes.

use native_kernels::Activation;
use onnx_tensor::{DType, Tensor};

use super::super::epilogue::activation;
use super::super::pattern::{Around, operator};
use super::scaled::Scaled;
use crate::ir::{Graph, Node, Op, Operator, ValueId};
use crate::kernels::{MAX_SUMMAND, is_convolution};
use crate::ops::movement::reshape;
use crate::ops::numbers::slice;

/// A Conv, MatMul or Gemm with its quantized operands and result.
pub struct Product {
    node: Node,
    kind: Kind,
    x: Scaled,
    w: Scaled,
    /// An i32 tensor with the scale of the products.
    bias: Option<ValueId>,
    y: Scaled,
}

enum Kind {
    Conv(Operator),
    MatMul(Operator),
    /// A convolution of single pixels with these filters.
    Pixels {
        conv: Operator,
        filters: Tensor,
    },
}

impl Product {
    /// Returns the product that a QuantizeLinear quantizes to `y`.
    pub fn find(around: &Around, quantize: &Node, y: Scaled) -> Option<Product> {
        let (_, node) = around.sole_producer(quantize.input(0)?)?;
        let node = before_saturation(around, node, &y)?;
        let x = Scaled::dequantized(around, node.input(0)?).filter(Scaled::is_one)?;
        let w = Scaled::dequantized(around, node.input(1)?)?;
        if ![&x, &w, &y].iter().all(|side| side.is_bytes()) {
            return None;
        }
        let weights = around.graph.constant(w.bytes)?;
        let kind = Kind::of(operator(node)?, weights, &w)?;
        let bias = match node.input(2) {
            Some(id) => Some(bias(around, id, &x, &w, kind.channels(weights)?)?),
            None => None,
        };
        let node = node.clone();
        Some(Product {
            node,
            kind,
            x,
            w,
            bias,
            y,
        })
    }

    /// Returns the name of the original node.
    pub fn name(&self) -> &str {
        &self.node.name
    }

    /// Adds the operator on bytes in place of the QuantizeLinear.
    pub fn write(self, graph: &mut Graph, quantize: &Node) {
        let [x_scale, x_zero] = self.x.inputs(graph);
        let [w_scale, w_zero] = self.w.inputs(graph);
        let [y_scale, y_zero] = self.y.inputs(graph);
        let mut inputs = vec![Some(self.x.bytes), x_scale, x_zero];
        inputs.extend([Some(self.w.bytes), w_scale, w_zero, y_scale, y_zero]);
        let name = self.node.name.clone();
        let node = |op: Operator, inputs: Vec<Option<ValueId>>, outputs: Vec<Option<ValueId>>| Node {
            name: name.clone(),
            op: Op::Plain(op),
            inputs,
            outputs,
        };
        match self.kind {
            Kind::MatMul(op) => graph.nodes.push(node(op, inputs, quantize.outputs.clone())),
            Kind::Conv(op) => {
                inputs.push(self.bias);
                graph.nodes.push(node(op, inputs, quantize.outputs.clone()));
            }
            Kind::Pixels { conv, filters } => {
                let turned = ["Unsqueeze", "Squeeze"].map(|name| Operator::make(name, 13, []));
                let [Some(unsqueeze), Some(squeeze)] = turned else {
                    return graph.nodes.push(quantize.clone());
                };
                let axes = Some(graph.add_constant("axes", Tensor::vector(vec![2_i64, 3])));
                let pixels = graph.add(format!("{name}.pixels"), None, None);
                let result = graph.add(format!("{name}.result"), None, None);
                inputs[0] = Some(pixels);
                inputs[3] = Some(graph.add_constant(format!("{name}.filters"), filters));
                inputs.push(self.bias);
                let bytes = Some(self.x.bytes);
                for made in [
                    node(unsqueeze, vec![bytes, axes], vec![Some(pixels)]),
                    node(conv, inputs, vec![Some(result)]),
                    node(squeeze, vec![Some(result), axes], quantize.outputs.clone()),
                ] {
                    // The following passes need the types of new values.
                    let _ = super::super::infer::node(graph, &made);
                    graph.nodes.push(made);
                }
            }
        }
    }
}

impl Kind {
    fn of(operator: &Operator, weights: &Tensor, scaled: &Scaled) -> Option<Kind> {
        let attributes = &operator.attributes;
        match operator.schema.name {
            "Conv" if is_convolution(weights.shape()) && scaled.is_along(0, weights) => {
                let same = attributes.iter().map(|(name, value)| (name, value.clone()));
                Some(Kind::Conv(Operator::make("QLinearConv", 10, same)?))
            }
            "MatMul" if weights.rank() == 2 && scaled.is_along(1, weights) => {
                Some(Kind::MatMul(Operator::make("QLinearMatMul", 10, [])?))
            }
            "Gemm" => {
                let turned = attributes.flag("transB").ok()?;
                let is_plain = !attributes.flag("transA").ok()?
                    && attributes.float("alpha").ok()? == 1.0
                    && attributes.float("beta").ok()? == 1.0;
                if !is_plain || weights.rank() != 2 || !scaled.is_along(usize::from(!turned), weights) {
                    return None;
                }
                let rows = if turned {
                    weights.clone()
                } else {
                    crate::ops::transpose(weights, &[1, 0]).ok()?
                };
                let filters = reshape(&rows, &[rows.shape()[0], rows.shape()[1], 1, 1]).ok()?;
                let conv = Operator::make("QLinearConv", 10, [])?;
                Some(Kind::Pixels { conv, filters })
            }
            _ => None,
        }
    }

    /// Returns the number of channels that a bias may have.
    fn channels(&self, weights: &Tensor) -> Option<usize> {
        match self {
            Kind::Conv(_) => weights.shape().first().copied(),
            Kind::Pixels { filters, .. } => filters.shape().first().copied(),
            Kind::MatMul(_) => None,
        }
    }
}

/// Returns the node itself, or the one before it if saturation to `y` does the same as the node: a Relu or
/// Clip that only cuts off values that the bytes cannot represent.
pub fn before_saturation<'g>(around: &Around<'g>, node: &'g Node, y: &Scaled) -> Option<&'g Node> {
    let cut_off = match activation(around, node) {
        Some(Activation::Relu) => y.saturates_within(0.0, f32::INFINITY),
        Some(Activation::Clip { low, high }) => y.saturates_within(low, high),
        _ => false,
    };
    if cut_off {
        Some(around.sole_producer(node.input(0)?)?.1)
    } else {
        Some(node)
    }
}

/// Returns the quantized bias, if its scale is that of the products of `x` and `w`, and the kernel adds it.
fn bias(around: &Around, id: ValueId, x: &Scaled, w: &Scaled, channels: usize) -> Option<ValueId> {
    let bias = Scaled::dequantized(around, id)?;
    let tensor = around.graph.constant(bias.bytes)?;
    // Tools give a channel with a large bias such small scales that its sums have no room in 32 bits.
    let small = |bias: &[i32]| bias.iter().all(|value| value.unsigned_abs() < MAX_SUMMAND);
    let fits = bias.dtype == DType::Int32
        && slice(tensor).is_ok_and(small)
        && tensor.shape() == [channels]
        && bias.is_along(0, tensor)
        && bias.zeros.iter().all(|zero| *zero == 0);
    let one_of = |scales: &[f64], at: usize| *scales.get(at).unwrap_or(&scales[0]);
    let same = (0..channels).all(|at| {
        let products = x.scales[0] * one_of(&w.scales, at);
        (one_of(&bias.scales, at) - products).abs() <= f64::from(f32::EPSILON) * products
    });
    (fits && same).then_some(bias.bytes)
}
