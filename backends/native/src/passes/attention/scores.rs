//! The scores of a decomposed attention: the product, its scale and summands, and the softmax.

use onnx_tensor::Tensor;

use super::super::pattern::{Around, operator};
use crate::ir::{Node, ValueId};

/// Scores before the softmax.
pub struct Scores<'g> {
    /// The product of queries and keys.
    pub product: &'g Node,
    /// The constant factor after the product.
    pub scale: f64,
    /// What is added.
    pub mask: Option<ValueId>,
    /// What is added then.
    pub second: Option<Summand>,
    /// What is replaced.
    pub hidden: Option<Hidden>,
}

/// A summand of scores.
pub enum Summand {
    /// A value.
    Value(ValueId),
    /// A constant, whose shape is not the one in the graph.
    Constant(Tensor),
}

/// Scores that a constant replaces.
pub struct Hidden {
    /// The condition of the Where.
    pub condition: ValueId,
    /// Whether it is true where a score is replaced.
    pub where_true: bool,
    /// The constant.
    pub number: f32,
}

/// Returns the softmax over keys that gives these weights, and whether weights that are NaN become zero.
pub fn softmax<'g>(around: &Around<'g>, weights: ValueId) -> Option<(&'g Node, bool)> {
    let (_, last) = around.sole_producer(weights)?;
    let (softmax, nan_is_zero) = match last.op.plain("Where") {
        None => (last, false),
        Some(_) => (without_nan(around, last)?, true),
    };
    let axis = softmax.op.plain("Softmax")?.attributes.int("axis").ok()?;
    matches!(axis, -1 | 3).then_some((softmax, nan_is_zero))
}

/// Returns the producer of `w` in `Where(IsNaN(w), 0, w)`.
fn without_nan<'g>(around: &Around<'g>, last: &Node) -> Option<&'g Node> {
    let (condition, zero, weights) = (last.input(0)?, last.input(1)?, last.input(2)?);
    let (_, check) = around.producer(condition)?;
    check.op.plain("IsNaN")?;
    let same = check.input(0)? == weights && around.scalar_without_axes(zero, weights)? == 0.0;
    (same && around.uses(weights) == 2)
        .then(|| around.producer(weights))?
        .map(|(_, node)| node)
}

/// Returns the parts of scores: a product, times a constant, with up to two summands or a Where.
pub fn scores<'g>(around: &Around<'g>, id: ValueId) -> Option<Scores<'g>> {
    if let Some((inner, summand)) = windows(around, id) {
        return with_mask(around, inner, Some(summand));
    }
    let (_, node) = around.sole_producer(id)?;
    if node.op.plain("Where").is_some() {
        let (inner, hidden) = replaced(around, node)?;
        let (product, scale) = scaled(around, inner)?;
        return Some(Scores {
            product,
            scale,
            mask: None,
            second: None,
            hidden: Some(hidden),
        });
    }
    with_mask(around, id, None).or_else(|| {
        let [a, b] = summands(node)?;
        with_mask(around, a, Some(Summand::Value(b)))
            .or_else(|| with_mask(around, b, Some(Summand::Value(a))))
    })
}

/// Returns the parts of scores before a second summand.
fn with_mask<'g>(around: &Around<'g>, id: ValueId, second: Option<Summand>) -> Option<Scores<'g>> {
    let (_, node) = around.sole_producer(id)?;
    let found = |id: ValueId, mask: Option<ValueId>| Some((scaled(around, id)?, mask));
    let ((product, scale), mask) = match summands(node) {
        Some([a, b]) => found(a, Some(b)).or_else(|| found(b, Some(a)))?,
        None => found(id, None)?,
    };
    Some(Scores {
        product,
        scale,
        mask,
        second,
        hidden: None,
    })
}

fn summands(node: &Node) -> Option<[ValueId; 2]> {
    node.op.plain("Add")?;
    Some([node.input(0)?, node.input(1)?])
}

/// Returns the scores and the summand of windows, which shifted windows of Swin have: the scores
/// `[b·w, h, q, k]` become `[b, w, h, q, k]`, a constant `[1, w, 1, q, k]` is added, and they become
/// `[b·w, h, q, k]` again.
fn windows(around: &Around, id: ValueId) -> Option<(ValueId, Summand)> {
    let (_, back) = around.sole_producer(id)?;
    back.op.plain("Reshape")?;
    let (_, add) = around.sole_producer(back.input(0)?)?;
    let [a, b] = summands(add)?;
    let apart = |scores: ValueId, constant: ValueId| {
        let (_, split) = around.sole_producer(scores)?;
        split.op.plain("Reshape")?;
        Some((split.input(0)?, scores, around.graph.constant(constant)?))
    };
    let (source, split, constant) = apart(a, b).or_else(|| apart(b, a))?;
    let shape = |id: ValueId| around.graph.shape_of(id);
    let (before, between, after) = (shape(source)?, shape(split)?, shape(id)?);
    let &[batch, windows, heads, queries, keys] = &between[..] else {
        return None;
    };
    let same = before == after && after == [batch.checked_mul(windows)?, heads, queries, keys];
    let (Tensor::Float(values), &[1, own, of_heads, rows, columns]) = (constant, constant.shape()) else {
        return None;
    };
    let fits = own == windows && [1, heads].contains(&of_heads) && [rows, columns] == [queries, keys];
    if !same || !fits || between.contains(&0) {
        return None;
    }
    let once: Vec<f32> = values.iter().copied().collect();
    let repeated = Tensor::new(&[before[0], of_heads, rows, columns], once.repeat(batch)).ok()?;
    Some((source, Summand::Constant(repeated)))
}

/// A number as low as this hides a key: its weight is zero beside every score that is not hidden.
const LOWEST: f64 = -1e30;

/// Returns the scores that a Where keeps.
fn replaced(around: &Around, node: &Node) -> Option<(ValueId, Hidden)> {
    let (condition, a, b) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let low = |id: ValueId, scores: ValueId| {
        around
            .scalar_without_axes(id, scores)
            .filter(|number| *number <= LOWEST)
    };
    let hidden = |number: f64, where_true: bool| Hidden {
        condition,
        where_true,
        number: number as f32,
    };
    if let Some(number) = low(a, b) {
        return Some((b, hidden(number, true)));
    }
    low(b, a).map(|number| (a, hidden(number, false)))
}

/// Returns the product and its constant factor.
fn scaled<'g>(around: &Around<'g>, id: ValueId) -> Option<(&'g Node, f64)> {
    let (_, node) = around.sole_producer(id)?;
    if operator(node)?.schema.name == "MatMul" {
        return Some((node, 1.0));
    }
    let (inner, scale) = factor(around, node)?;
    let (_, product) = around.sole_producer(inner)?;
    product.op.plain("MatMul")?;
    Some((product, scale))
}

/// Returns the variable and the constant factor of a multiplication or division by a number.
pub fn factor(around: &Around, node: &Node) -> Option<(ValueId, f64)> {
    let name = operator(node)?.schema.name;
    let (a, b) = (node.input(0)?, node.input(1));
    match name {
        "Div" => Some((a, 1.0 / around.scalar_without_axes(b?, a)?)),
        "Mul" => {
            let b = b?;
            let of_b = around.scalar_without_axes(b, a).map(|scale| (a, scale));
            of_b.or_else(|| Some((b, around.scalar_without_axes(a, b)?)))
        }
        _ => None,
    }
}
