//! Replaces `x · sigmoid(x)` by one Swish, and `x · hardsigmoid(x)` with the slope 1/6 and the
//! offset 1/2 by one HardSwish.

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
    let of = |x: ValueId, gate: ValueId| {
        let (_, gate) = around.sole_producer(gate)?;
        (gate.input(0)? == x).then(|| gated(gate))?
    };
    let found = of(a, b).map(|operator| (operator, vec![a]));
    found.or_else(|| of(b, a).map(|operator| (operator, vec![b])))
}

fn gated(gate: &Node) -> Option<Operator> {
    if gate.op.plain("Sigmoid").is_some() {
        return Operator::make("Swish", 24, [("alpha", AttributeValue::Float(1.0))]);
    }
    let attributes = &gate.op.plain("HardSigmoid")?.attributes;
    let (alpha, beta) = (attributes.float("alpha").ok()?, attributes.float("beta").ok()?);
    let standard = (alpha - 1.0 / 6.0).abs() <= f32::EPSILON / 6.0 && beta == 0.5;
    standard.then(|| Operator::make("HardSwish", 14, []))?
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
