//! Replaces a decomposed `(x - mean) / √(variance + ε) · scale + bias` over the last axis by one
//! LayerNormalization.

use onnx_model::AttributeValue;

use super::Report;
use super::pattern::{Around, replace_matches};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Operator, ValueId, dtype};
use onnx_tensor::{DType, Dim, Tensor};

/// Replaces the last node of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    Ok(replace_matches(graph, find))
}

/// The attributes of a normalization over the last axis.
pub fn over_last_axis(epsilon: f64) -> [(&'static str, AttributeValue); 2] {
    [
        ("axis", AttributeValue::Int(-1)),
        ("epsilon", AttributeValue::Float(epsilon as f32)),
    ]
}

/// Returns the LayerNormalization with its operands, if the node is the last sum of one.
fn find(around: &Around, node: &Node) -> Option<(Operator, Vec<ValueId>)> {
    node.op.plain("Add")?;
    let (normal_scaled, bias) = with_row(around, node)?;
    let (_, scaling) = around.sole_producer(normal_scaled)?;
    scaling.op.plain("Mul")?;
    let (normal, scale) = with_row(around, scaling)?;
    let (_, division) = around.sole_producer(normal)?;
    division.op.plain("Div")?;
    let (centered, deviation) = (division.input(0)?, division.input(1)?);
    let (_, root) = around.producer(deviation)?;
    root.op.plain("Sqrt")?;
    let (_, sum) = around.producer(root.input(0)?)?;
    sum.op.plain("Add")?;
    let (a, b) = (sum.input(0)?, sum.input(1)?);
    let (variance, epsilon) = match (around.scalar_without_axes(a, b), around.scalar_without_axes(b, a)) {
        (_, Some(epsilon)) => (a, epsilon),
        (Some(epsilon), _) => (b, epsilon),
        _ => return None,
    };
    let square = mean_over_last(around, variance)?;
    let squared = squared(around, square)?;
    let x = centered_of(around, centered)?;
    let same = squared == centered || centered_of(around, squared) == Some(x);
    let same = same && fits_last(around, scale, x) && fits_last(around, bias, x);
    let float = dtype(around.graph.known(x)) == Some(DType::Float);
    let operator =
        (same && float).then(|| Operator::make("LayerNormalization", 17, over_last_axis(epsilon)))??;
    Some((operator, vec![x, scale, bias]))
}

/// Whether a constant row is as long as the last axis of `x`, or has one element. A longer row
/// would broadcast `x`.
pub fn fits_last(around: &Around, row: ValueId, x: ValueId) -> bool {
    let last = crate::ir::shape(around.graph.known(x)).and_then(<[Dim]>::last);
    let length = around.graph.constant(row).map(Tensor::len);
    length.is_some() && (length == Some(1) || length.map(Dim::Fixed).as_ref() == last)
}

/// Returns the variable operand and the constant, which is one row.
pub fn with_row(around: &Around, node: &Node) -> Option<(ValueId, ValueId)> {
    let (a, b) = (node.input(0)?, node.input(1)?);
    let row = |id: ValueId| around.graph.constant(id).is_some_and(|tensor| tensor.rank() == 1);
    match () {
        () if row(b) => Some((a, b)),
        () if row(a) => Some((b, a)),
        () => None,
    }
}

/// Returns the operand of a ReduceMean over the last axis with keepdims.
pub fn mean_over_last(around: &Around, id: ValueId) -> Option<ValueId> {
    let (_, node) = around.producer(id)?;
    let operator = node.op.plain("ReduceMean")?;
    let input = node.input(0)?;
    let rank = crate::ir::shape(around.graph.known(input))?.len();
    let axes = match node.input(1) {
        Some(id) => crate::ops::call::int64s(around.graph.constant(id)?).ok()?,
        None => operator.attributes.ints("axes").ok()??.to_vec(),
    };
    let last = axes == [-1] || axes == [rank as i64 - 1];
    (last && operator.attributes.int("keepdims").ok()? != 0).then_some(input)
}

/// Returns the operand of a square, by Pow or by Mul.
pub fn squared(around: &Around, id: ValueId) -> Option<ValueId> {
    let (_, node) = around.producer(id)?;
    if let Some(base) = around.with_number(node, "Pow", 2.0, false) {
        return Some(base);
    }
    node.op.plain("Mul")?;
    (node.input(0)? == node.input(1)?).then_some(node.input(0)?)
}

/// Returns `x` of `x - mean(x)`.
fn centered_of(around: &Around, id: ValueId) -> Option<ValueId> {
    let (_, node) = around.producer(id)?;
    node.op.plain("Sub")?;
    let x = node.input(0)?;
    (mean_over_last(around, node.input(1)?)? == x).then_some(x)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::super::dead;
    use super::run;
    use crate::fixture::{Fixture, node};

    fn decomposed(shape: &[usize], scale: usize) -> Fixture {
        let nodes = vec![
            node("ReduceMean", "x axes", "m", &[]),
            node("Sub", "x m", "d", &[]),
            node("Pow", "d two", "p", &[]),
            node("ReduceMean", "p axes", "v", &[]),
            node("Add", "v epsilon", "e", &[]),
            node("Sqrt", "e", "s", &[]),
            node("Div", "d s", "n", &[]),
            node("Mul", "n scale", "t", &[]),
            node("Add", "t bias", "y", &[]),
        ];
        let fixture = Fixture::new(shape, nodes)
            .varied("scale", &[scale])
            .varied("bias", &[scale]);
        let fixture = fixture
            .constant("two", Tensor::scalar(2.0_f32))
            .constant("epsilon", Tensor::scalar(1e-5_f32));
        fixture.constant("axes", Tensor::vector(vec![-1_i64]))
    }

    #[test]
    fn a_decomposed_normalization_is_fused() {
        decomposed(&[2, 3, 8], 8).check(&[run, dead::run], &["LayerNormalization-17"]);
        decomposed(&[2, 3, 8], 1).check(&[run, dead::run], &["LayerNormalization-17"]);
    }

    #[test]
    fn a_scale_longer_than_the_rows_is_not_fused() {
        let text = decomposed(&[2, 3, 1], 8).text(&[|graph| super::super::infer::run(graph), run]);
        let text = text.expect("types fit");
        assert!(!text.contains("LayerNormalization"), "{text}");
    }
}
