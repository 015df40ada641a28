//! Replaces a decomposed `(x - mean) / √(variance + ε) · scale + bias` over the last axis by one
//! LayerNormalization.

use onnx_model::AttributeValue;

use super::Report;
use super::formula::{
    Formula, Found, Fusion, Made, call, constant, either, fuse, inverse, once, scalar, square, value,
};
use super::pattern::Around;
use crate::error::NodeError;
use crate::ir::{Graph, Node, Operator, ValueId, dtype, shape};
use crate::ops::call::int64s;
use onnx_tensor::{DType, Dim};

/// Replaces the last node of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    Ok(fuse(graph, &fusions()))
}

/// LayerNormalization.
pub fn fusions() -> [Fusion; 1] {
    [Fusion {
        formula: formula(),
        make: |around, found| normalization(around, found, "LayerNormalization", 17, &["scale", "bias"]),
    }]
}

fn formula() -> Formula {
    let x = || value("x");
    let centered = || x() - mean(x());
    once(normalized(centered(), mean(square(centered())))) + constant("bias")
}

/// `f / √(spread + ε) · scale`.
pub fn normalized(f: Formula, spread: Formula) -> Formula {
    let root = || call("Sqrt", [spread.clone() + scalar("epsilon")]);
    let scale = || constant("scale");
    either([
        once(f.clone() / root()) * scale(),
        f.clone() * inverse(root()) * scale(),
        once(f * scale()) / root(),
    ])
}

/// The mean over the last axis, which is kept.
pub fn mean(f: Formula) -> Formula {
    call("ReduceMean", [f]).when(|around, node| is_over_last(around, node).unwrap_or(false))
}

fn is_over_last(around: &Around, node: &Node) -> Option<bool> {
    let operator = node.op.plain("ReduceMean")?;
    let rank = shape(around.graph.known(node.input(0)?))?.len();
    let axes = match node.input(1) {
        Some(id) => int64s(around.graph.constant(id)?).ok()?,
        None => operator.attributes.ints("axes").ok()??.to_vec(),
    };
    let last = axes == [-1] || axes == [rank as i64 - 1];
    Some(last && operator.attributes.int("keepdims").ok()? != 0)
}

/// Returns a normalization of `x` of f32 over its last axis, whose rows of constants are as long as that axis
/// or have one element: a longer row would broadcast `x`.
pub fn normalization(around: &Around, found: &Found, name: &str, since: u32, rows: &[&str]) -> Option<Made> {
    let x = found.value("x")?;
    let last = shape(around.graph.known(x)).and_then(<[Dim]>::last);
    let rows: Option<Vec<ValueId>> = rows.iter().map(|row| found.value(row)).collect();
    let fits = |&row: &ValueId| match around.graph.constant(row).map(|constant| constant.shape()) {
        Some(&[length]) => length == 1 || last == Some(&Dim::Fixed(length)),
        _ => false,
    };
    let rows = rows.filter(|rows| rows.iter().all(fits))?;
    dtype(around.graph.known(x)).filter(|&dtype| dtype == DType::Float)?;
    let attributes = [
        ("axis", AttributeValue::Int(-1)),
        ("epsilon", AttributeValue::Float(found.number("epsilon")? as f32)),
    ];
    let operator = Operator::make(name, since, attributes)?;
    Some((operator, [x].into_iter().chain(rows).collect()))
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
