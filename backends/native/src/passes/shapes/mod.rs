//! Shape inference: the extents of the outputs from those of the inputs, for each operator that models use.
//!
//! An extent may be unknown or named. An output without a rule is unknown until the node runs.

mod movement;
mod recurrent;
mod reduction;
mod windows;

use onnx_tensor::{Dim, Tensor};

use crate::ir::{Fused, Graph, Node, Op, Operator, shape};
use crate::ops::MatMulShape;
use crate::ops::call::{axes, axis};

type Shape = Vec<Dim>;

/// Returns the shapes of the outputs, as far as they are known.
pub fn of(graph: &Graph, node: &Node) -> Vec<Option<Shape>> {
    let operator = match &node.op {
        Op::Plain(operator) => operator,
        Op::Fused(Fused::Convolution(inner) | Fused::Product(inner)) => &inner.operator,
        Op::Fused(Fused::Interleaved(convolution)) => &convolution.inner.operator,
        Op::Fused(Fused::Attention(_)) => return vec![attention(graph, node)],
        Op::Fused(fused) => {
            let mut shape = node
                .input(0)
                .and_then(|id| shape(graph.known(id)))
                .map(<[Dim]>::to_vec);
            if let (Fused::Rearrange(sources), Some([_, channels, ..])) = (fused, shape.as_deref_mut()) {
                *channels = Dim::Fixed(sources.len());
            }
            return vec![shape];
        }
        _ => return Vec::new(),
    };
    let context = Context {
        graph,
        node,
        operator,
    };
    if operator.schema.name == "Split" {
        return context.split().unwrap_or_default();
    }
    if matches!(operator.schema.name, "RNN" | "GRU" | "LSTM") {
        return context.recurrent().unwrap_or_default();
    }
    let first = context.first();
    let count = node.outputs.len();
    match operator.schema.name {
        "Dropout" | "MaxPool" => vec![first; count],
        _ => vec![first],
    }
}

/// Returns the shape of a fused attention: that of the queries with the size of the values, if batches and
/// heads agree and the mask does not broadcast them.
fn attention(graph: &Graph, node: &Node) -> Option<Shape> {
    let fixed_at = |position: usize| graph.shape_of(node.input(position)?);
    let (q, k, v) = (fixed_at(0)?, fixed_at(1)?, fixed_at(2)?);
    let (&[batch, heads, queries, _], &[kb, kh, keys, _], &[vb, vh, _, size]) = (&q[..], &k[..], &v[..])
    else {
        return None;
    };
    let agree = [kb, vb] == [batch; 2] && [kh, vh].iter().all(|&other| other == heads || other == 1);
    let scores = [batch, heads, queries, keys];
    let mask = match node.input(3) {
        Some(_) => fixed_at(3)?,
        None => Vec::new(),
    };
    let widened = crate::ops::broadcast::broadcast_shape([mask.as_slice(), &scores]).ok()?;
    (agree && widened == scores).then(|| fixed(&[batch, heads, queries, size]))
}

struct Context<'a> {
    graph: &'a Graph,
    node: &'a Node,
    operator: &'a Operator,
}

impl Context<'_> {
    fn shape(&self, position: usize) -> Option<&[Dim]> {
        shape(self.graph.known(self.node.input(position)?))
    }

    fn fixed(&self, position: usize) -> Option<Vec<usize>> {
        self.graph.shape_of(self.node.input(position)?)
    }

    fn constant(&self, position: usize) -> Option<&Tensor> {
        self.graph.constant(self.node.input(position)?)
    }

    fn ints(&self, position: usize) -> Option<Vec<i64>> {
        crate::ops::call::int64s(self.constant(position)?).ok()
    }

    fn ints_or_attribute(&self, position: usize, name: &str) -> Option<Vec<i64>> {
        self.ints(position)
            .or_else(|| Some(self.operator.attributes.ints(name).ok()??.to_vec()))
    }

    fn int(&self, name: &str) -> Option<i64> {
        self.operator.attributes.find_int(name).ok()?
    }

    /// Returns the shape of the first output.
    fn first(&self) -> Option<Shape> {
        let name = self.operator.schema.name;
        match name {
            // Only the second operand broadcasts; its axes start at `axis`.
            "Add" | "Sub" | "Mul" | "Div" | "Pow" | "And" | "Or" | "Xor" | "Equal" | "Greater" | "Less"
                if self.operator.schema.since < 7 =>
            {
                Some(self.shape(0)?.to_vec())
            }
            "Add" | "Sub" | "Mul" | "Div" | "Pow" | "Mod" | "And" | "Or" | "Xor" | "Equal" | "Greater"
            | "Less" | "GreaterOrEqual" | "LessOrEqual" | "Where" | "Max" | "Min" | "Sum" | "Mean"
            | "BitShift" => self.broadcast(),
            "Conv" | "ConvInteger" => self.conv(1),
            "QLinearConv" => self.conv(3),
            "ConvTranspose" => self.conv_transpose(),
            "MaxPool" | "AveragePool" | "LpPool" => self.pool(),
            "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => self.global_pool(),
            "MatMul" | "MatMulInteger" | "QLinearMatMul" => {
                let right = if name == "QLinearMatMul" { 3 } else { 1 };
                let shape = MatMulShape::new(&self.fixed(0)?, &self.fixed(right)?).ok()?;
                Some(fixed(&shape.result))
            }
            "Gemm" => {
                let (a, b) = (self.shape(0)?, self.shape(1)?);
                let side = |matrix: &[Dim], flag: &str, which: usize| {
                    let turned = self.operator.attributes.flag(flag).ok()?;
                    matrix.get(if turned { 1 - which } else { which }).cloned()
                };
                Some(vec![side(a, "transA", 0)?, side(b, "transB", 1)?])
            }
            "Reshape" => {
                let allow = self.int("allowzero").unwrap_or(0) != 0;
                let wanted = self.ints_or_attribute(1, "shape")?;
                Some(fixed(
                    &crate::ops::reshaped(&self.fixed(0)?, &wanted, allow).ok()?,
                ))
            }
            "Flatten" => {
                let shape = self.fixed(0)?;
                let at = self.int("axis")?;
                let at = if at < 0 { at + shape.len() as i64 } else { at };
                let (before, after) = shape.split_at_checked(usize::try_from(at).ok()?)?;
                Some(fixed(&[before.iter().product(), after.iter().product()]))
            }
            "Squeeze" => {
                let shape = self.shape(0)?;
                let listed = axes(&self.ints_or_attribute(1, "axes")?, shape.len()).ok()?;
                let kept = shape.iter().enumerate().filter(|(at, _)| !listed.contains(at));
                Some(kept.map(|(_, dim)| dim.clone()).collect())
            }
            "Unsqueeze" => {
                let mut shape = self.shape(0)?.to_vec();
                let listed = self.ints_or_attribute(1, "axes")?;
                for at in axes(&listed, shape.len() + listed.len()).ok()? {
                    if at > shape.len() {
                        return None;
                    }
                    shape.insert(at, Dim::Fixed(1));
                }
                Some(shape)
            }
            "Transpose" => self.transpose(),
            "Concat" => self.concat(),
            "Gather" => {
                let (data, indices) = (self.shape(0)?, self.shape(1)?);
                let at = axis(self.int("axis")?, data.len()).ok()?;
                Some([&data[..at], indices, &data[at + 1..]].concat())
            }
            "Slice" => self.slice(),
            "Shape" => Some(vec![Dim::Fixed(self.shape(0)?.len())]),
            "Size" => Some(Vec::new()),
            "Expand" => {
                let wanted = crate::ops::call::extents(&self.ints(1)?).ok()?;
                let own = self.fixed(0)?;
                let shape =
                    crate::ops::broadcast::broadcast_shape([own.as_slice(), wanted.as_slice()]).ok()?;
                Some(fixed(&shape))
            }
            "ConstantOfShape" => Some(fixed(&crate::ops::call::extents(&self.ints(0)?).ok()?)),
            "Attention" if self.node.outputs.len() == 1 && self.node.input(4).is_none() => {
                let (q, v) = (self.fixed(0)?, self.fixed(2)?);
                match (&q[..], &v[..]) {
                    (&[batch, heads, queries, _], &[_, _, _, size]) => {
                        Some(fixed(&[batch, heads, queries, size]))
                    }
                    _ => None,
                }
            }
            "Pad" => self.pad(),
            "Resize" | "Upsample" => self.resize(),
            _ if name.starts_with("Reduce") => self.reduce(),
            "ArgMax" | "ArgMin" => {
                let shape = self.shape(0)?;
                let at = axis(self.int("axis")?, shape.len()).ok()?;
                self.reduced(shape, &[at])
            }
            _ if keeps_shape(name) => Some(self.shape(0)?.to_vec()),
            _ => None,
        }
    }

    fn broadcast(&self) -> Option<Shape> {
        let shapes = (0..self.node.inputs.len()).map(|position| self.shape(position));
        let shapes = shapes.collect::<Option<Vec<_>>>()?;
        let rank = shapes.iter().map(|shape| shape.len()).max()?;
        let along = |from_end: usize| {
            let mut result = Dim::Fixed(1);
            for shape in &shapes {
                let Some(dim) = shape.len().checked_sub(from_end + 1).map(|at| &shape[at]) else {
                    continue;
                };
                result = match (&result, dim) {
                    (Dim::Fixed(1), other) | (other, Dim::Fixed(1)) => other.clone(),
                    (Dim::Fixed(extent), _) | (_, Dim::Fixed(extent)) => Dim::Fixed(*extent),
                    (Dim::Named(a), Dim::Named(b)) if a == b => Dim::Named(a.clone()),
                    _ => Dim::Unknown,
                };
            }
            result
        };
        Some((0..rank).rev().map(along).collect())
    }
}

fn fixed(shape: &[usize]) -> Shape {
    shape.iter().map(|&extent| Dim::Fixed(extent)).collect()
}

/// Whether the first output of an operator has the shape of its first input.
fn keeps_shape(name: &str) -> bool {
    matches!(
        name,
        "Abs"
            | "Acos"
            | "Acosh"
            | "Asin"
            | "Asinh"
            | "Atan"
            | "Atanh"
            | "BatchNormalization"
            | "BitCast"
            | "BitwiseNot"
            | "Cast"
            | "CastLike"
            | "Ceil"
            | "Celu"
            | "Clip"
            | "Cos"
            | "Cosh"
            | "CumProd"
            | "CumSum"
            | "DequantizeLinear"
            | "Dropout"
            | "Elu"
            | "Erf"
            | "Exp"
            | "EyeLike"
            | "Floor"
            | "Gelu"
            | "GroupNormalization"
            | "HardSigmoid"
            | "HardSwish"
            | "Hardmax"
            | "Identity"
            | "InstanceNormalization"
            | "IsInf"
            | "IsNaN"
            | "LRN"
            | "LayerNormalization"
            | "LeakyRelu"
            | "Log"
            | "LogSoftmax"
            | "LpNormalization"
            | "Mish"
            | "Neg"
            | "Not"
            | "PRelu"
            | "QuantizeLinear"
            | "RMSNormalization"
            | "Reciprocal"
            | "Relu"
            | "RotaryEmbedding"
            | "Round"
            | "ScatterElements"
            | "ScatterND"
            | "Selu"
            | "Sigmoid"
            | "Sign"
            | "Sin"
            | "Sinh"
            | "Softmax"
            | "Softplus"
            | "Softsign"
            | "Sqrt"
            | "Tanh"
            | "ThresholdedRelu"
    )
}
