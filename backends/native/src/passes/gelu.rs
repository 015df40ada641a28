//! Replaces `x/2 · (1 + erf(x/√2))`, with its factors in any order, by one Gelu.

use super::Report;
use super::pattern::{Around, Links};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op, Operator, ValueId};

/// Replaces the last node of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut links = Links::new(graph);
    for at in 0..graph.nodes.len() {
        let node = &graph.nodes[at];
        if node.op.plain("Mul").is_none() {
            continue;
        }
        let found = find(&links.around(graph), node);
        let (Some(x), Some(operator)) = (found, Operator::make("Gelu", 20, [])) else {
            continue;
        };
        report.push(format!("`{}` and the nodes before it become a Gelu", node.name));
        let gelu = Node {
            op: Op::Plain(operator),
            inputs: vec![Some(x)],
            ..node.clone()
        };
        links.replace(graph, at, gelu);
    }
    Ok(report)
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

/// Returns the argument of the Gelu, if the node is its last multiplication.
fn find(around: &Around, node: &Node) -> Option<ValueId> {
    node.op.plain("Mul")?;
    let mut all = factors(around, node);
    let half = all.iter().position(|&id| around.scalar(id) == Some(0.5))?;
    let half = all.remove(half);
    let [a, b] = all[..] else {
        return None;
    };
    [(a, b), (b, a)]
        .into_iter()
        .find_map(|(x, gate)| (inside(around, gate)? == x).then_some(x))
        .filter(|&x| around.scalar_without_axes(half, x).is_some())
}

/// Returns `x` of `1 + erf(x/√2)`.
fn inside(around: &Around, gate: ValueId) -> Option<ValueId> {
    let erf = around.with_number(around.producer(gate)?.1, "Add", 1.0, true)?;
    let (_, erf) = around.producer(erf)?;
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
    use super::super::fixture::{Fixture, node};
    use super::run;

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
    fn a_number_that_adds_axes_is_not_fused() {
        let half = Tensor::new(&[1, 1, 1], vec![0.5_f32]).unwrap();
        check(half, &["Div-14", "Erf-13", "Add-14", "Mul-14", "Mul-14"]);
    }
}
