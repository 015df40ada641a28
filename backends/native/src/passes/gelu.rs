//! Replaces `x/2 · (1 + erf(x/√2))` and `x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³)))`, with their
//! factors in any order, by one Gelu.

use onnx_model::AttributeValue;

use super::Report;
use super::pattern::{Around, replace_matches};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Operator, ValueId};

/// Replaces the last node of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    Ok(replace_matches(graph, find))
}

/// Returns the factors of a product; a factor that is itself a product of single use is replaced by its
/// factors, one level deep.
fn factors(around: &Around, node: &Node) -> Vec<ValueId> {
    let mut all = Vec::new();
    for &id in node.inputs.iter().flatten() {
        match around.sole_producer(id) {
            Some((_, inner)) if inner.op.plain("Mul").is_some() => all.extend(inner.inputs.iter().flatten()),
            _ => all.push(id),
        }
    }
    all
}

/// Returns the Gelu with its argument, if the node is its last multiplication.
fn find(around: &Around, node: &Node) -> Option<(Operator, Vec<ValueId>)> {
    node.op.plain("Mul")?;
    let mut all = factors(around, node);
    let half = all.iter().position(|&id| around.scalar(id) == Some(0.5))?;
    let half = all.remove(half);
    let [a, b] = all[..] else {
        return None;
    };
    let of = |x: ValueId, gate: ValueId| {
        let gate = around.with_number(around.producer(gate)?.1, "Add", 1.0, true)?;
        let (_, gate) = around.producer(gate)?;
        let exact = (erf(around, gate) == Some(x)).then_some((x, "none"));
        exact.or_else(|| (tanh(around, gate)? == x).then_some((x, "tanh")))
    };
    let (x, form) = of(a, b).or_else(|| of(b, a))?;
    around.scalar_without_axes(half, x)?;
    let form = AttributeValue::String(form.as_bytes().to_vec());
    Some((Operator::make("Gelu", 20, [("approximate", form)])?, vec![x]))
}

/// Returns `x` of `tanh(√(2/π)·(x + 0.044715·x³))`.
fn tanh(around: &Around, gate: &Node) -> Option<ValueId> {
    gate.op.plain("Tanh")?;
    let (_, scaled) = around.producer(gate.input(0)?)?;
    let root = (2.0 / std::f64::consts::PI).sqrt();
    let (_, sum) = around.producer(around.with_number(scaled, "Mul", root, true)?)?;
    sum.op.plain("Add")?;
    let (a, b) = (sum.input(0)?, sum.input(1)?);
    let of = |x: ValueId, cubic: ValueId| {
        let (_, cubic) = around.producer(cubic)?;
        let (_, cube) = around.producer(around.with_number(cubic, "Mul", 0.044_715, true)?)?;
        (around.with_number(cube, "Pow", 3.0, false)? == x).then_some(x)
    };
    of(a, b).or_else(|| of(b, a))
}

/// Returns `x` of `erf(x/√2)`.
fn erf(around: &Around, erf: &Node) -> Option<ValueId> {
    erf.op.plain("Erf")?;
    let (_, scaled) = around.producer(erf.input(0)?)?;
    let root = std::f64::consts::SQRT_2;
    around
        .with_number(scaled, "Div", root, false)
        .or_else(|| around.with_number(scaled, "Mul", 1.0 / root, true))
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
