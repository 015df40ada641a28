//! Shape inference: what the rule of an operator gives for the operands of a node.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use onnx_tensor::{DType, Dim, ValueType};

use crate::ir::{Fused, Graph, Node, Op, Operator, dtype, shape};
use crate::ops::shapes::{Known, Operand, Shape};

/// Returns the shapes of the outputs, as far as they are known.
pub fn of(graph: &Graph, node: &Node) -> Vec<Option<Shape>> {
    let operator = match &node.op {
        Op::Plain(operator) => operator,
        Op::Fused(Fused::Convolution(inner) | Fused::Product(inner)) => &inner.operator,
        Op::Fused(Fused::Dequantized(inner)) => &inner.product.operator,
        Op::Fused(Fused::Interleaved(convolution)) => &convolution.inner.operator,
        Op::Fused(Fused::Bytes(inner)) => {
            let operands = node.inputs.iter().step_by(3).take(inner.operands).copied();
            let alone = Node {
                inputs: operands.collect(),
                ..node.clone()
            };
            return inner
                .operator
                .row
                .shapes
                .of(&known(graph, &alone, &inner.operator));
        }
        Op::Fused(Fused::Attention(inner)) => return vec![attention(graph, node, inner.groups)],
        Op::Fused(fused @ (Fused::Affine(_) | Fused::Rearrange(_) | Fused::Rounded(_) | Fused::Reorder)) => {
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
    operator.row.shapes.of(&known(graph, node, operator))
}

/// Returns the element type of the first output, if the operator has a rule for it that decides.
pub fn dtype_of_first(graph: &Graph, node: &Node, operator: &Operator) -> Option<DType> {
    operator.row.element?(&known(graph, node, operator))
}

fn known<'a>(graph: &'a Graph, node: &Node, operator: &'a Operator) -> Known<'a> {
    let operand = |id| Operand {
        dtype: dtype(graph.known(id)),
        shape: shape(graph.known(id)),
        constant: graph.constant(id),
    };
    Known {
        since: operator.schema.since,
        attributes: &operator.attributes,
        inputs: node.inputs.iter().map(|input| input.map(operand)).collect(),
        outputs: node.outputs.len(),
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
    let summand = |position: usize| match node.input(position) {
        Some(_) => fixed_at(position),
        None => Some(Vec::new()),
    };
    let summands = [summand(3)?, summand(4)?];
    let widened =
        crate::ops::broadcast::broadcast_shape([&summands[0][..], &summands[1][..], &scores[..]]).ok()?;
    (agree && widened == scores).then(|| {
        vec![batch, heads, queries, size]
            .into_iter()
            .map(Dim::Fixed)
            .collect()
    })
}

/// Returns the types of the outputs of an If: what both branches give for the types of their inputs.
pub fn of_branches(graph: &Graph, node: &Node, branches: &[Arc<Graph>; 2]) -> Vec<Option<ValueType>> {
    let [then, otherwise] = branches.each_ref().map(|branch| inferred(graph, node, branch));
    let common = |(a, b): (Option<ValueType>, Option<ValueType>)| {
        let (same, other) = (dtype(a.as_ref())?, dtype(b.as_ref())?);
        let both = |(a, b): (&Dim, &Dim)| if a == b { a.clone() } else { Dim::Unknown };
        let dims = shape(a.as_ref()).zip(shape(b.as_ref()));
        let dims = dims.filter(|(a, b)| a.len() == b.len());
        (same == other).then(|| ValueType::Tensor {
            dtype: same,
            shape: dims.map(|(a, b)| a.iter().zip(b).map(both).collect()),
        })
    };
    then.into_iter().zip(otherwise).map(common).collect()
}

/// Infers the outputs of a branch whose inputs have the types of the node's. What was known before
/// may be that of other inputs.
fn inferred(graph: &Graph, node: &Node, branch: &Arc<Graph>) -> Vec<Option<ValueType>> {
    let mut branch = Graph::clone(branch);
    branch.forget_shapes();
    for (&inner, outer) in branch.inputs.clone().iter().zip(node.inputs.iter().skip(1)) {
        branch.values[inner.index()].known = outer.and_then(|id| graph.known(id).cloned());
    }
    match super::infer::run(&mut branch) {
        Ok(_) => branch
            .outputs
            .iter()
            .map(|&id| branch.known(id).cloned())
            .collect(),
        Err(_) => vec![None; branch.outputs.len()],
    }
}
