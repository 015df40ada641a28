//! Replaces `x · sigmoid(x)` and `x · sigmoid(alpha · x)`, the fast GELU of CLIP, by one Swish, and
//! `x · hardsigmoid(x)` with the slope 1/6 and the offset 1/2 by one HardSwish.

use onnx_model::AttributeValue;
use onnx_tensor::DType;

use super::Report;
use super::formula::{Formula, Found, Fusion, Made, call, either, fuse, once, scalar, value};
use super::pattern::Around;
use crate::error::NodeError;
use crate::ir::{Graph, Node, Operator, dtype};

/// Replaces the product of each match; the function is then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    Ok(fuse(graph, &fusions()))
}

/// Swish and HardSwish.
pub fn fusions() -> [Fusion; 2] {
    [
        Fusion {
            formula: swish(),
            make: |around, found| {
                let alpha = found.number("alpha").unwrap_or(1.0) as f32;
                let alpha = ("alpha", AttributeValue::Float(alpha));
                of_float(around, found, Operator::make("Swish", 24, [alpha])?)
            },
        },
        Fusion {
            formula: hard_swish(),
            make: |around, found| of_float(around, found, Operator::make("HardSwish", 14, [])?),
        },
    ]
}

/// Returns an operator with its argument, if that is f32.
fn of_float(around: &Around, found: &Found, operator: Operator) -> Option<Made> {
    let x = found.value("x")?;
    (dtype(around.graph.known(x)) == Some(DType::Float)).then(|| (operator, vec![x]))
}

fn swish() -> Formula {
    let x = || value("x");
    x() * once(call("Sigmoid", [either([x(), once(x() * scalar("alpha"))])]))
}

fn hard_swish() -> Formula {
    let x = || value("x");
    x() * once(call("HardSigmoid", [x()]).when(is_standard))
}

/// Whether a HardSigmoid has the slope and the offset of HardSwish.
fn is_standard(_: &Around, node: &Node) -> bool {
    let attributes = node.op.plain("HardSigmoid").map(|operator| &operator.attributes);
    let number = |name| attributes?.float(name).ok();
    number("alpha") == Some(1.0 / 6.0) && number("beta") == Some(0.5)
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
