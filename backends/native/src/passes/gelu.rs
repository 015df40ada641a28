//! Replaces `x/2 · (1 + erf(x/√2))` and `x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³)))` by one Gelu.

use std::f64::consts::{FRAC_2_PI, SQRT_2};

use onnx_model::AttributeValue;

use super::Report;
use super::formula::{Formula, Found, Fusion, Made, call, either, fuse, over, square, value};
use crate::error::NodeError;
use crate::ir::{Graph, Operator};

/// Replaces the last node of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    Ok(fuse(graph, &fusions()))
}

/// The two forms of Gelu.
pub fn fusions() -> [Fusion; 2] {
    [
        Fusion {
            formula: exact(),
            make: |_, found| gelu(found, "none"),
        },
        Fusion {
            formula: by_tanh(),
            make: |_, found| gelu(found, "tanh"),
        },
    ]
}

fn gelu(found: &Found, form: &str) -> Option<Made> {
    let form = AttributeValue::String(form.as_bytes().to_vec());
    let operator = Operator::make("Gelu", 20, [("approximate", form)])?;
    Some((operator, vec![found.value("x")?]))
}

fn exact() -> Formula {
    let x = || value("x");
    0.5 * x() * (1.0 + call("Erf", [over(x(), SQRT_2)]))
}

fn by_tanh() -> Formula {
    let x = || value("x");
    let cubic = either([
        0.044_715 * call("Pow", [x(), 3.0.into()]),
        0.044_715 * x() * x() * x(),
    ]);
    let inner = either([
        FRAC_2_PI.sqrt() * (x() + cubic),
        FRAC_2_PI.sqrt() * x() * (1.0 + 0.044_715 * square(x())),
    ]);
    0.5 * x() * (1.0 + call("Tanh", [inner]))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::super::dead;
    use super::run;
    use crate::fixture::{Fixture, node};

    /// Runs the pass on a decomposed Gelu with this tensor as its factor one half.
    #[track_caller]
    fn check(half: Tensor, expected: &[&str]) {
        let nodes = vec![
            node("Div", "x root", "d", &[]),
            node("Erf", "d", "e", &[]),
            node("Add", "one e", "g", &[]),
            node("Mul", "x g", "m", &[]),
            node("Mul", "m half", "y", &[]),
        ];
        Fixture::new(&[2, 3], nodes)
            .constant("root", Tensor::scalar(std::f32::consts::SQRT_2))
            .constant("one", Tensor::scalar(1.0_f32))
            .constant("half", half)
            .check(&[run, dead::run], expected);
    }

    #[test]
    fn a_decomposed_gelu_is_fused() {
        check(Tensor::scalar(0.5_f32), &["Gelu-20"]);
    }

    #[test]
    fn a_gelu_by_tanh_is_fused() {
        let nodes = vec![
            node("Pow", "x three", "c", &[]),
            node("Mul", "factor c", "m", &[]),
            node("Add", "x m", "a", &[]),
            node("Mul", "a root", "r", &[]),
            node("Tanh", "r", "t", &[]),
            node("Add", "t one", "g", &[]),
            node("Mul", "x half", "h", &[]),
            node("Mul", "h g", "y", &[]),
        ];
        let number = |fixture: Fixture, name: &str, value: f32| fixture.constant(name, Tensor::scalar(value));
        let numbers = [
            ("three", 3.0),
            ("factor", 0.044_715),
            ("root", 0.797_884_6),
            ("one", 1.0),
            ("half", 0.5),
        ];
        let fixture = Fixture::new(&[2, 3], nodes);
        let fixture = numbers
            .into_iter()
            .fold(fixture, |all, (name, value)| number(all, name, value));
        fixture.check(&[run, dead::run], &["Gelu-20"]);
    }

    #[test]
    fn a_number_that_adds_axes_is_not_fused() {
        let half = Tensor::new(&[1, 1, 1], vec![0.5_f32]).unwrap();
        check(half, &["Div-14", "Erf-13", "Add-14", "Mul-14", "Mul-14"]);
    }
}
