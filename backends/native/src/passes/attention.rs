//! Replaces scores of queries and keys, scale, mask, softmax and the product with the values by a fused
//! attention.
//!
//! The result is not ONNX's Attention, which is stricter about shapes and returns zeros, not NaN, if every
//! key is masked.

use onnx_model::AttributeValue;
use onnx_tensor::DType;

use super::Report;
use super::pattern::{Around, Links};
use crate::error::NodeError;
use crate::ir::{Fused, Graph, Node, Op, Operator, ValueId, dtype, shape};

/// The parts of a decomposed attention.
struct Parts {
    q: ValueId,
    /// The transposed value for the keys, and the order of its axes.
    keys: (ValueId, Vec<i64>),
    v: ValueId,
    mask: Option<ValueId>,
    scale: f64,
}

/// Replaces the last product of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut links = Links::new(graph);
    for node in std::mem::take(&mut graph.nodes) {
        let parts = node
            .op
            .plain("MatMul")
            .and_then(|_| find(&links.around(graph), &node));
        match parts.and_then(|parts| made(graph, &node, parts)) {
            Some(made) => {
                report.push(format!(
                    "`{}` and the nodes before it become an Attention",
                    node.name
                ));
                links.forget(&node);
                made.into_iter().for_each(|node| links.push_new(graph, node));
            }
            None => links.push(graph, node),
        }
    }
    Ok(report)
}

/// Returns the transposition of the keys and the attention that replaces this node.
fn made(graph: &mut Graph, last: &Node, parts: Parts) -> Option<[Node; 2]> {
    // Attention reads the keys with their last two axes exchanged.
    let (source, mut order) = parts.keys;
    let end = order.len();
    order.swap(end.checked_sub(2)?, end - 1);
    let turn = Operator::make("Transpose", 13, [("perm", AttributeValue::Ints(order.clone()))])?;
    let extents = shape(graph.known(source)).map(<[_]>::to_vec);
    let turned = extents.and_then(|extents| {
        order
            .iter()
            .map(|&axis| extents.get(usize::try_from(axis).ok()?).cloned())
            .collect::<Option<Vec<_>>>()
    });
    let name = format!("{}.keys", last.name);
    let known = Some(onnx_tensor::ValueType::Tensor {
        dtype: DType::Float,
        shape: turned,
    });
    let keys = graph.add(name.clone(), known, None);
    let transpose = Node {
        name,
        op: Op::Plain(turn),
        inputs: vec![Some(source)],
        outputs: vec![Some(keys)],
    };
    let attention = Node {
        op: Op::Fused(Fused::Attention(parts.scale as f32)),
        inputs: vec![Some(parts.q), Some(keys), Some(parts.v), parts.mask],
        ..last.clone()
    };
    Some([transpose, attention])
}

fn find(around: &Around, node: &Node) -> Option<Parts> {
    let rank_four = |id: ValueId| {
        let known = around.graph.known(id);
        shape(known).is_some_and(|shape| shape.len() == 4) && dtype(known) == Some(DType::Float)
    };
    node.op.plain("MatMul")?;
    let (weights, v) = (node.input(0)?, node.input(1)?);
    let (_, softmax) = around.sole_producer(weights)?;
    let axis = softmax.op.plain("Softmax")?.attributes.int("axis").ok()?;
    if !matches!(axis, -1 | 3) {
        return None;
    }
    let scores = softmax.input(0)?;
    let (scores, mask) = masked(around, scores).map_or((scores, None), |(scores, mask)| (scores, Some(mask)));
    let (product, scale, number) = scaled(around, scores)?;
    let (_, product) = around.sole_producer(product)?;
    product.op.plain("MatMul")?;
    let (q, keys) = (product.input(0)?, product.input(1)?);
    if number.is_some_and(|number| around.scalar_without_axes(number, q).is_none()) {
        return None;
    }
    let (_, transpose) = around.producer(keys)?;
    let order = transpose
        .op
        .plain("Transpose")?
        .attributes
        .ints("perm")
        .ok()??
        .to_vec();
    let source = transpose.input(0)?;
    let rank = |id: ValueId| shape(around.graph.known(id)).map(<[_]>::len);
    if mask.is_some_and(|mask| rank(mask).is_none_or(|rank| !(2..=4).contains(&rank))) {
        return None;
    }
    let fits = [q, keys, v].into_iter().all(rank_four) && order.len() == 4;
    fits.then_some(Parts {
        q,
        keys: (source, order),
        v,
        mask,
        scale,
    })
}

/// Returns the scores and the mask that is added to them.
fn masked(around: &Around, id: ValueId) -> Option<(ValueId, ValueId)> {
    let (_, node) = around.sole_producer(id)?;
    node.op.plain("Add")?;
    let (a, b) = (node.input(0)?, node.input(1)?);
    [(a, b), (b, a)]
        .into_iter()
        .find(|&(scores, _)| scaled(around, scores).is_some())
}

/// Returns a product's variable factor, its constant factor, and the value of that constant.
fn scaled(around: &Around, id: ValueId) -> Option<(ValueId, f64, Option<ValueId>)> {
    let (_, node) = around.sole_producer(id)?;
    let operator = super::pattern::operator(node)?;
    let (a, b) = (node.input(0)?, node.input(1)?);
    match operator.schema.name {
        "MatMul" => Some((id, 1.0, None)),
        "Div" => Some((a, 1.0 / around.scalar(b)?, Some(b))),
        "Mul" => around
            .scalar(b)
            .map(|scale| (a, scale, Some(b)))
            .or_else(|| Some((b, around.scalar(a)?, Some(a)))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{Int, Ints};
    use onnx_tensor::Tensor;

    use super::super::dead;
    use super::super::fixture::{Fixture, node};
    use super::run;

    #[test]
    fn a_decomposed_attention_is_fused() {
        let nodes = vec![
            node("Transpose", "x", "k", &[("perm", Ints(vec![0, 1, 3, 2]))]),
            node("MatMul", "x k", "s", &[]),
            node("Div", "s root", "t", &[]),
            node("Add", "t mask", "m", &[]),
            node("Softmax", "m", "w", &[("axis", Int(-1))]),
            node("MatMul", "w x", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 5, 4], nodes).varied("mask", &[1, 1, 5, 5]);
        let fixture = fixture.constant("root", Tensor::scalar(2.0_f32));
        fixture.check(&[run, dead::run], &["Transpose-13", "Attention by 0.5"]);
    }

    /// The mask extends a batch of one to three. No kernel supports that; the result is that of the
    /// operators.
    #[test]
    fn a_mask_can_broadcast_the_scores() {
        let nodes = vec![
            node("Transpose", "x", "k", &[("perm", Ints(vec![0, 1, 3, 2]))]),
            node("MatMul", "x k", "s", &[]),
            node("Add", "mask s", "m", &[]),
            node("Softmax", "m", "w", &[("axis", Int(-1))]),
            node("MatMul", "w x", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 5, 4], nodes).varied("mask", &[3, 1, 5, 5]);
        fixture.check(&[run, dead::run], &["Transpose-13", "Attention by 1"]);
    }
}
