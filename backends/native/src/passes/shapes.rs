//! Shapes: for each operator that models use, the extents of its outputs from those of its inputs.
//!
//! An extent may be unknown or named; an output without a rule stays unknown, and is measured when it is there.

use onnx_tensor::{Dim, Tensor};

use crate::ir::{Fused, Graph, Node, Op, Operator, shape};
use crate::ops::call::{axes, axis};
use crate::ops::numbers::floats;
use crate::ops::{MatMulShape, Rounding, Window};

type Shape = Vec<Dim>;

/// The shapes of the outputs, as far as they follow.
pub fn of(graph: &Graph, node: &Node) -> Vec<Option<Shape>> {
    let operator = match &node.op {
        Op::Plain(operator) => operator,
        Op::Fused(Fused::Convolution(inner) | Fused::Product(inner)) => &inner.operator,
        Op::Fused(Fused::Affine(_) | Fused::Shuffle(_) | Fused::Reorder) => {
            let same = node.input(0).and_then(|id| shape(graph.known(id)));
            return vec![same.map(<[Dim]>::to_vec)];
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
    let first = context.first();
    let count = node.outputs.len();
    match operator.schema.name {
        "Dropout" | "MaxPool" => vec![first; count],
        _ => vec![first],
    }
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

    /// The shape of the first output.
    fn first(&self) -> Option<Shape> {
        let name = self.operator.schema.name;
        match name {
            "Add" | "Sub" | "Mul" | "Div" | "Pow" | "Mod" | "And" | "Or" | "Xor" | "Equal" | "Greater"
            | "Less" | "GreaterOrEqual" | "LessOrEqual" | "Where" | "Max" | "Min" | "Sum" | "Mean"
            | "BitShift" => self.broadcast(),
            "Conv" => self.conv(),
            "MaxPool" | "AveragePool" | "LpPool" => self.pool(),
            "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => {
                let shape = self.shape(0)?;
                Some(
                    shape
                        .iter()
                        .enumerate()
                        .map(|(at, dim)| if at < 2 { dim.clone() } else { Dim::Fixed(1) })
                        .collect(),
                )
            }
            "MatMul" => {
                let shape = MatMulShape::new(&self.fixed(0)?, &self.fixed(1)?).ok()?;
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
                Some(fixed(
                    &crate::ops::reshaped(&self.fixed(0)?, &self.ints(1)?, allow).ok()?,
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
            _ if SAME.contains(&name) => Some(self.shape(0)?.to_vec()),
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

    fn conv(&self) -> Option<Shape> {
        let (x, w) = (self.shape(0)?, self.fixed(1)?);
        let (filters, kernel) = (*w.first()?, w.get(2..)?);
        let mut result = vec![x.first()?.clone(), Dim::Fixed(filters)];
        result.extend(self.windows(x.get(2..)?, kernel, Rounding::Down)?);
        Some(result)
    }

    fn pool(&self) -> Option<Shape> {
        let x = self.shape(0)?;
        let kernel = crate::ops::call::extents(self.operator.attributes.ints("kernel_shape").ok()??).ok()?;
        let up = self.int("ceil_mode").unwrap_or(0) != 0;
        let mut result = x.get(..2)?.to_vec();
        let rounding = if up { Rounding::Up } else { Rounding::Down };
        result.extend(self.windows(x.get(2..)?, &kernel, rounding)?);
        Some(result)
    }

    fn windows(&self, input: &[Dim], kernel: &[usize], rounding: Rounding) -> Option<Shape> {
        let extents = input.iter().map(|dim| match dim {
            Dim::Fixed(extent) => Some(*extent),
            _ => None,
        });
        let Some(extents) = extents.collect::<Option<Vec<usize>>>() else {
            return Some(vec![Dim::Unknown; input.len()]);
        };
        let window = Window::new(&self.operator.attributes, &extents, kernel, rounding).ok()?;
        Some(fixed(&window.output))
    }

    fn transpose(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        match self.operator.attributes.ints("perm").ok()? {
            Some(order) => order
                .iter()
                .map(|&at| shape.get(usize::try_from(at).ok()?).cloned())
                .collect(),
            None => Some(shape.iter().rev().cloned().collect()),
        }
    }

    fn concat(&self) -> Option<Shape> {
        let mut result = self.shape(0)?.to_vec();
        let at = axis(self.int("axis")?, result.len()).ok()?;
        let mut total = Some(0);
        for position in 0..self.node.inputs.len() {
            total = match (total, self.shape(position)?.get(at)?) {
                (Some(sum), Dim::Fixed(extent)) => Some(sum + extent),
                _ => None,
            };
        }
        result[at] = total.map_or(Dim::Unknown, Dim::Fixed);
        Some(result)
    }

    fn slice(&self) -> Option<Shape> {
        let mut result = self.shape(0)?.to_vec();
        let old = self.operator.schema.since < 10;
        let list = |position: usize, name: &str| match old {
            true => Some(self.operator.attributes.ints(name).ok()??.to_vec()),
            false => self.ints(position),
        };
        let (starts, ends) = (list(1, "starts")?, list(2, "ends")?);
        let given = |position: usize| self.node.input(position).is_some();
        let listed = match old || given(3) {
            true => list(3, "axes").or_else(|| old.then(|| (0..starts.len() as i64).collect()))?,
            false => (0..starts.len() as i64).collect(),
        };
        let steps = if !old && given(4) {
            self.ints(4)?
        } else {
            vec![1; starts.len()]
        };
        for (place, &which) in listed.iter().enumerate() {
            let at = axis(which, result.len()).ok()?;
            let (start, end, step) = (*starts.get(place)?, *ends.get(place)?, *steps.get(place)?);
            result[at] = match result[at] {
                Dim::Fixed(extent) => Dim::Fixed(crate::ops::resolve_slice(extent, start, end, step).ok()?.2),
                _ => Dim::Unknown,
            };
        }
        Some(result)
    }

    fn split(&self) -> Option<Vec<Option<Shape>>> {
        let shape = self.shape(0)?;
        let at = axis(self.int("axis")?, shape.len()).ok()?;
        let count = self.node.outputs.len();
        let lengths = match (self.ints_or_attribute(1, "split"), &shape[at]) {
            (Some(lengths), _) => crate::ops::call::extents(&lengths).ok()?,
            (None, Dim::Fixed(extent)) if self.node.input(1).is_none() => {
                let each = extent.div_ceil(count);
                (0..count)
                    .map(|part| extent.saturating_sub(part * each).min(each))
                    .collect()
            }
            _ => return None,
        };
        let part = |&length: &usize| {
            let mut part = shape.to_vec();
            part[at] = Dim::Fixed(length);
            Some(part)
        };
        Some(lengths.iter().map(part).collect())
    }

    fn pad(&self) -> Option<Shape> {
        let shape = self.fixed(0)?;
        if self.node.input(3).is_some() {
            return None;
        }
        let pads = self.ints_or_attribute(1, "pads")?;
        let padded = |at: usize| {
            let total = shape[at] as i64 + pads.get(at)? + pads.get(at + shape.len())?;
            usize::try_from(total).ok().map(Dim::Fixed)
        };
        (0..shape.len()).map(padded).collect()
    }

    /// By constant sizes or scales for all axes.
    fn resize(&self) -> Option<Shape> {
        let shape = self.fixed(0)?;
        let plain = self
            .operator
            .attributes
            .text("keep_aspect_ratio_policy")
            .is_ok_and(|policy| matches!(policy, "" | "stretch"))
            && self.operator.attributes.ints("axes").ok()?.is_none()
            && self
                .operator
                .attributes
                .text("coordinate_transformation_mode")
                .is_ok_and(|mode| mode != "tf_crop_and_resize");
        if !plain {
            return None;
        }
        let attribute = || {
            self.operator
                .attributes
                .floats("scales")
                .ok()?
                .map(<[f32]>::to_vec)
        };
        if let Some(sizes) = self
            .node
            .input(3)
            .and_then(|_| self.ints(3))
            .filter(|sizes| sizes.len() == shape.len())
        {
            return Some(fixed(&crate::ops::call::extents(&sizes).ok()?));
        }
        let position = if self.operator.schema.name == "Resize" && self.operator.schema.since >= 11 {
            2
        } else {
            1
        };
        let scales = match self.node.input(position) {
            Some(_) => floats(self.constant(position)?)
                .ok()?
                .into_iter()
                .map(|x| x as f32)
                .collect(),
            None => attribute()?,
        };
        let scaled =
            |(&extent, scale): (&usize, f32)| Dim::Fixed((extent as f64 * f64::from(scale)).floor() as usize);
        (scales.len() == shape.len()).then(|| shape.iter().zip(scales).map(scaled).collect())
    }

    fn reduce(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        let listed = match self.node.input(1) {
            Some(_) => self.ints(1)?,
            None => self
                .operator
                .attributes
                .ints("axes")
                .ok()?
                .map(<[i64]>::to_vec)
                .unwrap_or_default(),
        };
        if listed.is_empty() && self.int("noop_with_empty_axes").unwrap_or(0) != 0 {
            return Some(shape.to_vec());
        }
        let listed = match listed.is_empty() {
            true => (0..shape.len()).collect(),
            false => axes(&listed, shape.len()).ok()?,
        };
        self.reduced(shape, &listed)
    }

    fn reduced(&self, shape: &[Dim], listed: &[usize]) -> Option<Shape> {
        let keep = self.int("keepdims")? != 0;
        let extents = shape
            .iter()
            .enumerate()
            .filter_map(|(at, dim)| match listed.contains(&at) {
                true => keep.then_some(Dim::Fixed(1)),
                false => Some(dim.clone()),
            });
        Some(extents.collect())
    }
}

fn fixed(shape: &[usize]) -> Shape {
    shape.iter().map(|&extent| Dim::Fixed(extent)).collect()
}

/// Operators whose first output has the shape of their first input.
const SAME: [&str; 64] = [
    "Abs",
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "BatchNormalization",
    "BitCast",
    "BitwiseNot",
    "Cast",
    "CastLike",
    "Ceil",
    "Celu",
    "Clip",
    "Cos",
    "Cosh",
    "CumProd",
    "CumSum",
    "DequantizeLinear",
    "Dropout",
    "Elu",
    "Erf",
    "Exp",
    "EyeLike",
    "Floor",
    "Gelu",
    "GroupNormalization",
    "HardSigmoid",
    "HardSwish",
    "Hardmax",
    "Identity",
    "InstanceNormalization",
    "IsInf",
    "IsNaN",
    "LRN",
    "LayerNormalization",
    "LeakyRelu",
    "Log",
    "LogSoftmax",
    "LpNormalization",
    "Mish",
    "Neg",
    "Not",
    "PRelu",
    "QuantizeLinear",
    "RMSNormalization",
    "Reciprocal",
    "Relu",
    "RotaryEmbedding",
    "Round",
    "ScatterElements",
    "ScatterND",
    "Selu",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softmax",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Tanh",
    "ThresholdedRelu",
];
