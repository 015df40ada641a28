//! Shape inference: the extents of the outputs from those of the inputs, for each operator that models use.
//!
//! An extent may be unknown or named. An output without a rule is unknown until the node runs.

mod image;
mod indexing;
mod ml;
mod movement;
mod products;
mod recurrent;
mod reduction;
mod reshaping;
mod same;
mod several;
#[cfg(test)]
mod tests;
mod windows;

pub use ml::dtype_of;
pub use several::of_branches;

use onnx_tensor::{Dim, Tensor};

use crate::ir::{Fused, Graph, Node, Op, Operator, shape};
use crate::ops::call::{axes, axis, extent};
use crate::ops::listed_axes;

type Shape = Vec<Dim>;

/// Returns the shapes of the outputs, as far as they are known.
pub fn of(graph: &Graph, node: &Node) -> Vec<Option<Shape>> {
    let operator = match &node.op {
        Op::Plain(operator) => operator,
        Op::Fused(Fused::Convolution(inner) | Fused::Product(inner)) => &inner.operator,
        Op::Fused(Fused::Dequantized(inner)) => &inner.product.operator,
        Op::Fused(Fused::Interleaved(convolution)) => &convolution.inner.operator,
        Op::Fused(Fused::Attention(inner)) => return vec![attention(graph, node, inner.groups)],
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
        // The types of an If are those of its branches; the number of rounds of a loop depends on values.
        Op::If { .. } | Op::Repeat { .. } => return Vec::new(),
    };
    let context = Context {
        graph,
        node,
        operator,
    };
    match context.several() {
        Some(shapes) => shapes,
        None => vec![context.first()],
    }
}

/// Returns the shape of a fused attention: that of the queries with the size of the values, if batches and
/// heads agree and the mask does not broadcast them.
fn attention(graph: &Graph, node: &Node, groups: usize) -> Option<Shape> {
    let fixed_at = |position: usize| graph.shape_of(node.input(position)?);
    let (q, k, v) = (fixed_at(0)?, fixed_at(1)?, fixed_at(2)?);
    let (&[batch, heads, queries, _], &[kb, kh, keys, _], &[vb, vh, _, size]) = (&q[..], &k[..], &v[..])
    else {
        return None;
    };
    let shared = |own: usize| match groups {
        1 => own == heads || own == 1,
        _ => own.checked_mul(groups) == Some(heads),
    };
    let agree = [kb, vb] == [batch; 2] && [kh, vh].into_iter().all(shared);
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
            | "BitShift" | "BitwiseAnd" | "BitwiseOr" | "BitwiseXor" => self.broadcast(),
            "Conv" | "ConvInteger" => self.conv(1),
            "QLinearConv" => self.conv(3),
            "ConvTranspose" => self.conv_transpose(),
            "MaxPool" | "AveragePool" | "LpPool" => self.pool(),
            "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => self.global_pool(),
            "MatMul" | "MatMulInteger" => self.matmul(1),
            "QLinearMatMul" => self.matmul(3),
            "Einsum" => self.einsum(),
            "Det" => {
                let shape = self.shape(0)?;
                Some(shape.get(..shape.len().checked_sub(2)?)?.to_vec())
            }
            "Gemm" => {
                let (a, b) = (self.shape(0)?, self.shape(1)?);
                let side = |matrix: &[Dim], flag: &str, which: usize| {
                    let turned = self.operator.attributes.flag(flag).ok()?;
                    matrix.get(if turned { 1 - which } else { which }).cloned()
                };
                Some(vec![side(a, "transA", 0)?, side(b, "transB", 1)?])
            }
            "Reshape" => self.reshape(),
            "Flatten" => self.flatten(),
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
            "Shape" => {
                let axes = listed_axes(&self.operator.attributes, self.shape(0)?.len());
                Some(vec![Dim::Fixed(axes.len())])
            }
            "Size" => Some(Vec::new()),
            "Expand" => self.expand(),
            "Tile" => self.tile(),
            "ConstantOfShape" => self.listed(0),
            "Range" => Some(vec![Dim::Unknown]),
            "BlackmanWindow" | "HammingWindow" | "HannWindow" => {
                let size = self.ints(0).and_then(|size| extent(*size.first()?).ok());
                Some(vec![size.map_or(Dim::Unknown, Dim::Fixed)])
            }
            "OptionalHasElement" | "SequenceLength" => Some(Vec::new()),
            "GatherElements" => Some(self.shape(1)?.to_vec()),
            "GatherND" => self.gather_nd(),
            "ArrayFeatureExtractor" => self.extracted(),
            "TreeEnsemble" | "TreeEnsembleRegressor" => self.predicted("n_targets"),
            "LinearRegressor" => self.predicted("targets"),
            "OneHotEncoder" => self.encoded(),
            "FeatureVectorizer" => self.joined_features(),
            "Compress" => self.compress(),
            "NonZero" => Some(vec![Dim::Fixed(self.shape(0)?.len()), Dim::Unknown]),
            "NonMaxSuppression" => Some(vec![Dim::Unknown, Dim::Fixed(3)]),
            "OneHot" => self.one_hot(),
            "NegativeLogLikelihoodLoss" => self.loss(),
            "AffineGrid" => self.affine_grid(),
            "GridSample" => self.grid_sample(),
            "DepthToSpace" | "SpaceToDepth" => self.blocks(),
            "RoiAlign" => self.regions(),
            "CenterCropPad" => self.center_crop_pad(),
            "Col2Im" => self.col2im(),
            "MaxUnpool" => self.unpool(),
            "DeformConv" => {
                let (x, w, offset) = (self.shape(0)?, self.shape(1)?, self.shape(2)?);
                Some([&x[..1], w.get(..1)?, offset.get(2..)?].concat())
            }
            "Pad" => self.pad(),
            "Resize" | "Upsample" => self.resize(),
            _ if name.starts_with("Reduce") => self.reduce(),
            "ArgMax" | "ArgMin" => {
                let shape = self.shape(0)?;
                let at = axis(self.int("axis")?, shape.len()).ok()?;
                self.reduced(shape, &[at])
            }
            _ if same::keeps_shape(name) => Some(self.shape(0)?.to_vec()),
            _ => None,
        }
    }

    fn broadcast(&self) -> Option<Shape> {
        let shapes = (0..self.node.inputs.len()).map(|position| self.shape(position));
        broadcast(&shapes.collect::<Option<Vec<_>>>()?)
    }
}

/// Returns the shape that all of these broadcast to; `None` if fixed extents do not.
fn broadcast(shapes: &[&[Dim]]) -> Option<Shape> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let along = |from_end: usize| {
        let dims = shapes
            .iter()
            .filter_map(|shape| shape.get(shape.len().checked_sub(from_end + 1)?));
        dims.cloned().try_fold(Dim::Fixed(1), both)
    };
    (0..rank).rev().map(along).collect()
}

/// Returns the extent to which two broadcast.
fn both(a: Dim, b: Dim) -> Option<Dim> {
    match (a, b) {
        (Dim::Fixed(1), other) | (other, Dim::Fixed(1)) => Some(other),
        (Dim::Fixed(a), Dim::Fixed(b)) => (a == b).then_some(Dim::Fixed(a)),
        (Dim::Fixed(extent), _) | (_, Dim::Fixed(extent)) => Some(Dim::Fixed(extent)),
        (Dim::Named(a), Dim::Named(b)) if a == b => Some(Dim::Named(a)),
        _ => Some(Dim::Unknown),
    }
}

/// Returns the extent if it is fixed.
fn whole(dim: &Dim) -> Option<usize> {
    match dim {
        Dim::Fixed(extent) => Some(*extent),
        Dim::Named(_) | Dim::Unknown => None,
    }
}

/// Applies a function to a fixed extent; the result is unknown for another, or if the function has none.
fn mapped(dim: &Dim, apply: impl FnOnce(usize) -> Option<usize>) -> Dim {
    whole(dim).and_then(apply).map_or(Dim::Unknown, Dim::Fixed)
}

fn fixed(shape: &[usize]) -> Shape {
    shape.iter().map(|&extent| Dim::Fixed(extent)).collect()
}
