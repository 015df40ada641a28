//! Replaces scores of queries and keys, scale, mask, softmax and the product with the values by a
//! fused attention.
//!
//! The scale may be applied before or after the product of queries and keys, in one factor or in two. A
//! mask is added to the scores, alone or before a second summand, or replaces some of them. Heads of keys
//! and values may be repeated for groups of query heads; the fused attention reads them without the copies.
//!
//! The result is not ONNX's Attention, which is stricter about shapes and returns zeros, not NaN,
//! if every key is masked.

mod operands;
mod scores;

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor};

use super::Report;
use super::formula::Formula;
use super::pattern::{Around, Links};
use crate::error::NodeError;
use crate::ir::{Attention, Fused, Graph, Masking, Node, Op, Operator, ValueId, dtype, shape};
use crate::ops::numbers::bools;
use operands::{Keys, keys, without_groups};
#[cfg(test)]
pub use scores::FACTORS;
pub use scores::formula;
use scores::{Hidden, Summand, hidden, of_windows, scale};

/// The parts of a decomposed attention.
struct Parts {
    q: ValueId,
    keys: Keys,
    v: ValueId,
    mask: Option<ValueId>,
    /// What is added after the mask.
    second: Option<Summand>,
    /// The scores that a constant replaces.
    hidden: Option<Hidden>,
    fused: Attention,
}

/// Replaces the last product of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut links = Links::new(graph);
    let formula = formula();
    for node in std::mem::take(&mut graph.nodes) {
        let parts = find(&links.around(graph), &formula, &node);
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

/// Returns the attention that replaces this node, after the nodes for its operands.
fn made(graph: &mut Graph, last: &Node, parts: Parts) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    let keys = transposed(graph, last, parts.keys, &mut nodes)?;
    let mask = match parts.hidden {
        Some(hidden) => Some(replacing(graph, last, &hidden, &mut nodes)?),
        None => parts.mask,
    };
    let second = parts.second.map(|second| match second {
        Summand::Value(id) => id,
        Summand::Constant(tensor) => graph.add_constant(format!("{}.windows", last.name), tensor),
    });
    nodes.push(Node {
        op: Op::Fused(Fused::Attention(parts.fused)),
        inputs: vec![Some(parts.q), Some(keys), Some(parts.v), mask, second],
        ..last.clone()
    });
    Some(nodes)
}

/// Returns the keys as `[batch, heads, keys, size]`: the source, if it has this order.
fn transposed(graph: &mut Graph, last: &Node, keys: Keys, nodes: &mut Vec<Node>) -> Option<ValueId> {
    let Keys { source, order } = keys;
    if order.iter().copied().eq(0..4) {
        return Some(source);
    }
    let turn = Operator::make("Transpose", 13, [("perm", AttributeValue::Ints(order.to_vec()))])?;
    let extents = shape(graph.known(source)).map(<[_]>::to_vec);
    let turned = extents.and_then(|extents| {
        let extent = |&axis: &i64| extents.get(usize::try_from(axis).ok()?).cloned();
        order.iter().map(extent).collect::<Option<Vec<_>>>()
    });
    let name = format!("{}.keys", last.name);
    let known = Some(onnx_tensor::ValueType::Tensor {
        dtype: DType::Float,
        shape: turned,
    });
    let id = graph.add(name.clone(), known, None);
    nodes.push(Node {
        name,
        op: Op::Plain(turn),
        inputs: vec![Some(source)],
        outputs: vec![Some(id)],
    });
    Some(id)
}

/// Returns a mask that is 0 where a score stays, and else the number that replaces it.
fn replacing(graph: &mut Graph, last: &Node, hidden: &Hidden, nodes: &mut Vec<Node>) -> Option<ValueId> {
    let name = format!("{}.mask", last.name);
    let [if_true, if_false] = if hidden.where_true {
        [hidden.number, 0.0]
    } else {
        [0.0, hidden.number]
    };
    if let Some(condition) = graph.constant(hidden.condition) {
        let values = bools(condition).ok()?;
        let values = values
            .into_iter()
            .map(|hide| if hide { if_true } else { if_false });
        let mask = Tensor::new(condition.shape(), values.collect::<Vec<f32>>()).ok()?;
        return Some(graph.add_constant(name, mask));
    }
    let dims = shape(graph.known(hidden.condition)).map(<[_]>::to_vec);
    let known = onnx_tensor::ValueType::Tensor {
        dtype: DType::Float,
        shape: dims,
    };
    let chosen = [if_true, if_false].map(|number| graph.add_constant(name.clone(), Tensor::scalar(number)));
    let id = graph.add(name.clone(), Some(known), None);
    nodes.push(Node {
        name,
        op: Op::Plain(Operator::make("Where", 16, [])?),
        inputs: [hidden.condition].into_iter().chain(chosen).map(Some).collect(),
        outputs: vec![Some(id)],
    });
    Some(id)
}

fn find(around: &Around, formula: &Formula, node: &Node) -> Option<Parts> {
    let found = formula.of_node(around, node)?;
    let [q, v] = found.values(["q", "v"])?;
    let keys = keys(&found)?;
    let nan_is_zero = match found.value("weights") {
        // Only the test for NaN and the choice read the weights.
        Some(weights) => (around.uses(weights) == 2).then_some(true)?,
        None => false,
    };
    // The product of several factors may be a number that f32 does not represent.
    let scale = Some(scale(&found) as f32).filter(|scale| scale.is_normal())?;
    let hidden = match found.value("low") {
        Some(_) => Some(hidden(&found)?),
        None => None,
    };
    let second = match found.value("windows") {
        Some(_) => Some(Summand::Constant(of_windows(&found)?)),
        None => found.value("second").map(Summand::Value),
    };
    let rank = |id: ValueId| shape(around.graph.known(id)).map(<[_]>::len);
    let is_mask = |id: ValueId| rank(id).is_some_and(|rank| (2..=4).contains(&rank));
    let mut masks = ["mask", "second", "hidden", "kept"]
        .into_iter()
        .filter_map(|name| found.value(name));
    let mut floats = [q, keys.source, v].into_iter();
    if !floats.all(|id| is_float_of_four_axes(around, id)) || !masks.all(is_mask) {
        return None;
    }
    let masking = match hidden {
        Some(_) => Masking::Replaced,
        None => Masking::Added,
    };
    let (keys, v, groups) = without_groups(around, q, keys, v);
    Some(Parts {
        q,
        keys,
        v,
        mask: found.value("mask"),
        second,
        hidden,
        fused: Attention {
            scale,
            groups,
            masking,
            nan_is_zero,
        },
    })
}

fn is_float_of_four_axes(around: &Around, id: ValueId) -> bool {
    let known = around.graph.known(id);
    shape(known).is_some_and(|shape| shape.len() == 4) && dtype(known) == Some(DType::Float)
}

#[cfg(test)]
mod tests;
