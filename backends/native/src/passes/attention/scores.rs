//! The formula of a decomposed attention, and what its parts give.

use onnx_tensor::Tensor;

use super::super::formula::{Formula, Found, call, constant, either, named, once, scalar, value};
use super::super::pattern::Around;
use super::operands::turned;
use crate::ir::{Node, ValueId};

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

/// The names of a factor, and of a divisor in its place.
pub type Factor = [&'static str; 2];
const OF_SCORES: Factor = ["scale_of_scores", "divisor_of_scores"];
const OF_QUERIES: Factor = ["scale_of_queries", "divisor_of_queries"];
const OF_TURNED: Factor = ["scale_of_turned_keys", "divisor_of_turned_keys"];
const OF_KEYS: Factor = ["scale_of_keys", "divisor_of_keys"];

/// The constants of all factors.
pub const FACTORS: [Factor; 4] = [OF_SCORES, OF_QUERIES, OF_TURNED, OF_KEYS];

/// A number as low as this hides a key: its weight is zero beside every score that is not hidden.
const LOWEST: f64 = -1e30;

/// `softmax(scores) · v`. Scores are a product of queries and keys times a constant, with up to two
/// summands or with a constant in place of some.
pub fn formula() -> Formula {
    let keys = scaled(turned(scaled(value("keys"), OF_KEYS)), OF_TURNED);
    let product = once(call("MatMul", [scaled(value("q"), OF_QUERIES), keys]));
    let scores = || once(scaled(product.clone(), OF_SCORES));
    let masked = || either([once(scores() + value("mask")), scores()]);
    let hidden = either([
        call("Where", [value("hidden"), scalar("low"), scores()]),
        call("Where", [value("kept"), scores(), scalar("low")]),
    ]);
    let all = either([
        windows(masked()),
        once(hidden),
        masked(),
        once(masked() + value("second")),
    ]);
    let weights = || call("Softmax", [all.clone()]).when(is_over_keys);
    let is_nan = call("IsNaN", [value("weights")]);
    let without_nan = call("Where", [is_nan, 0.0.into(), named("weights", weights())]);
    call("MatMul", [once(either([weights(), without_nan])), value("v")])
}

/// `f`, times or divided by a constant.
fn scaled(f: Formula, [factor, divisor]: Factor) -> Formula {
    either([f.clone() * scalar(factor), f.clone() / scalar(divisor), f])
}

/// Scores with a summand of windows, which shifted windows of Swin have: the scores `[b·w, h, q, k]` become
/// `[b, w, h, q, k]`, a constant `[1, w, 1, q, k]` is added, and they become `[b·w, h, q, k]` again.
fn windows(scores: Formula) -> Formula {
    let apart = named("apart", once(call("Reshape", [named("scores", scores)])));
    named(
        "together",
        once(call("Reshape", [once(apart + constant("windows"))])),
    )
}

fn is_over_keys(_: &Around, softmax: &Node) -> bool {
    let operator = softmax.op.plain("Softmax");
    let axis = operator.and_then(|operator| operator.attributes.int("axis").ok());
    matches!(axis, Some(-1 | 3))
}

/// Returns the factor of queries, keys and scores together.
pub fn scale(found: &Found) -> f64 {
    let number = |name| found.number(name).unwrap_or(1.0);
    FACTORS
        .map(|[factor, divisor]| number(factor) / number(divisor))
        .iter()
        .product()
}

/// Returns the scores that are replaced, by a number that hides their keys.
pub fn hidden(found: &Found) -> Option<Hidden> {
    let number = found.number("low").filter(|number| *number <= LOWEST)?;
    let hidden = found.value("hidden");
    Some(Hidden {
        condition: hidden.or_else(|| found.value("kept"))?,
        where_true: hidden.is_some(),
        number: number as f32,
    })
}

/// Returns the summand of windows in the shape of the scores.
pub fn of_windows(found: &Found) -> Option<Tensor> {
    let shape = |name| found.shape(name);
    let (before, between, after) = (shape("scores")?, shape("apart")?, shape("together")?);
    let &[batch, windows, heads, queries, keys] = &between[..] else {
        return None;
    };
    let same = before == after && after == [batch.checked_mul(windows)?, heads, queries, keys];
    let constant = found.tensor("windows")?;
    let (Tensor::Float(values), &[1, own, of_heads, rows, columns]) = (constant, constant.shape()) else {
        return None;
    };
    let fits = own == windows && [1, heads].contains(&of_heads) && [rows, columns] == [queries, keys];
    if !same || !fits || between.contains(&0) {
        return None;
    }
    let once: Vec<f32> = values.iter().copied().collect();
    Tensor::new(&[before[0], of_heads, rows, columns], once.repeat(batch)).ok()
}
