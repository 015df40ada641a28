//! Replaces `x · sigmoid(x)` and `x · sigmoid(alpha · x)`, the fast GELU of CLIP, by one Swish, and
//! `x · hardsigmoid(x)` with the slope 1/6 and the offset 1/2 by one HardSwish.

use onnx_model::AttributeValue;
use onnx_tensor::DType;

use super::Report;
use super::pattern::{Around, replace_matches};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Operator, ValueId, dtype};

/// Replaces the product of each match; the function is then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    Ok(replace_matches(graph, find))
}

/// Returns the operator and the argument of a product of a value of f32 and its gate.
fn find(around: &Around, node: &Node) -> Option<(Operator, Vec<ValueId>)> {
    let product = node.op.plain("Mul")?;
    let (a, b) = (node.input(0)?, node.input(1)?);
    if product.schema.since < 7 || dtype(around.graph.known(a)) != Some(DType::Float) {
        return None;
    }
    let of = |x: ValueId, gate: ValueId| gated(around, x, around.sole_producer(gate)?.1);
    let found = of(a, b).map(|operator| (operator, vec![a]));
    found.or_else(|| of(b, a).map(|operator| (operator, vec![b])))
}

/// Returns the operator that multiplies `x` by this gate.
fn gated(around: &Around, x: ValueId, gate: &Node) -> Option<Operator> {
    let argument = gate.input(0)?;
    if gate.op.plain("Sigmoid").is_some() {
        let alpha = match argument == x {
            true => 1.0,
            false => factor(around, x, argument)?,
        };
        return Operator::make("Swish", 24, [("alpha", AttributeValue::Float(alpha))]);
    }
    let attributes = &gate.op.plain("HardSigmoid")?.attributes;
    let (alpha, beta) = (attributes.float("alpha").ok()?, attributes.float("beta").ok()?);
    let standard = alpha == 1.0 / 6.0 && beta == 0.5;
    (standard && argument == x).then(|| Operator::make("HardSwish", 14, []))?
}

/// Returns the constant by which `x` is multiplied for this value.
fn factor(around: &Around, x: ValueId, product: ValueId) -> Option<f32> {
    let (_, node) = around.sole_producer(product)?;
    node.op.plain("Mul")?;
    let (a, b) = (node.input(0)?, node.input(1)?);
    let of =
        |value: ValueId, number: ValueId| (value == x).then(|| around.scalar_without_axes(number, value))?;
    of(a, b).or_else(|| of(b, a)).map(|alpha| alpha as f32)
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::Float;

    use super::super::{convolution, dead, epilogue};
    use super::run;
    use crate::fixture::{Fixture, node};

    #[test]
    fn products_with_their_gate_become_one_function() {
        let nodes = vec![
            node("Sigmoid", "x", "a", &[]),
            node("Mul", "a x", "b", &[]),
            node(
                "HardSigmoid",
                "b",
                "c",
                &[("alpha", Float(1.0 / 6.0)), ("beta", Float(0.5))],
            ),
            node("Mul", "b c", "y", &[]),
        ];
        Fixture::new(&[2, 3], nodes).check(&[run, dead::run], &["Swish-24", "HardSwish-14"]);
    }

    #[test]
    fn a_factor_of_the_gate_is_merged() {
        for product in ["x alpha", "alpha x"] {
            let nodes = vec![
                node("Mul", product, "a", &[]),
                node("Sigmoid", "a", "b", &[]),
                node("Mul", "x b", "y", &[]),
            ];
            Fixture::new(&[2, 3], nodes)
                .constant("alpha", onnx_tensor::Tensor::scalar(1.702_f32))
                .check(&[run, dead::run], &["Swish-24"]);
        }
        // The factor multiplies another value.
        let nodes = vec![
            node("Neg", "x", "n", &[]),
            node("Mul", "n alpha", "a", &[]),
            node("Sigmoid", "a", "b", &[]),
            node("Mul", "x b", "y", &[]),
        ];
        Fixture::new(&[2, 3], nodes)
            .constant("alpha", onnx_tensor::Tensor::scalar(1.702_f32))
            .check(&[run], &["Neg-13", "Mul-14", "Sigmoid-13", "Mul-14"]);
    }

    #[test]
    fn the_function_is_merged_into_a_convolution() {
        let nodes = vec![
            node("Conv", "x w", "a", &[]),
            node("Sigmoid", "a", "b", &[]),
            node("Mul", "a b", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 4, 4], nodes).varied("w", &[3, 2, 1, 1]);
        fixture.check(
            &[run, dead::run, convolution::run, epilogue::run],
            &["Conv-11 then Swish { alpha: 1.0 }"],
        );
    }

    #[test]
    fn other_products_stay() {
        let nodes = vec![
            node("Sigmoid", "x", "a", &[]),
            node("Mul", "a a", "b", &[]),
            node("HardSigmoid", "b", "c", &[]),
            node("Mul", "b c", "y", &[]),
        ];
        Fixture::new(&[2, 3], nodes).check(&[run], &["Sigmoid-13", "Mul-14", "HardSigmoid-6", "Mul-14"]);
    }
}
