//! `x/2 · (1 + erf(x/√2))`, in any order of its factors, becomes one Gelu.

use super::Report;
use super::pattern::Around;
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op, Operator, ValueId};

/// Replaces the last node of each; the others are dead then.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    for at in 0..graph.nodes.len() {
        if graph.nodes[at].op.plain("Mul").is_none() {
            continue;
        }
        let found = find(&Around::new(graph), &graph.nodes[at]);
        let (Some(x), Some(operator)) = (found, Operator::make("Gelu", 20, [])) else {
            continue;
        };
        report.push(format!("`{}` is the end of a Gelu", graph.nodes[at].name));
        graph.nodes[at].op = Op::Plain(operator);
        graph.nodes[at].inputs = vec![Some(x)];
    }
    Ok(report)
}

/// The factors of a product, nested products of single use opened up.
fn factors(around: &Around, id: ValueId, top: bool, all: &mut Vec<ValueId>) {
    let product = if top {
        around.producer(id)
    } else {
        around.sole_producer(id)
    };
    match product.filter(|(_, node)| node.op.plain("Mul").is_some()) {
        Some((_, Node { inputs, .. })) if all.len() < 4 => {
            inputs
                .iter()
                .flatten()
                .for_each(|&input| factors(around, input, false, all));
        }
        _ => all.push(id),
    }
}

/// What the Gelu is of, if the node is its last multiplication.
fn find(around: &Around, node: &Node) -> Option<ValueId> {
    node.op.plain("Mul")?;
    let mut all = Vec::new();
    factors(around, node.output(0)?, true, &mut all);
    let half = all.iter().position(|&id| around.scalar(id) == Some(0.5))?;
    let half = all.remove(half);
    let [a, b] = all[..] else {
        return None;
    };
    [(a, b), (b, a)]
        .into_iter()
        .find_map(|(x, gate)| (inside(around, gate)? == x).then_some(x))
        .filter(|&x| around.scalar_beside(half, x).is_some())
}

/// `x` of `1 + erf(x/√2)`.
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

    #[test]
    fn a_spelled_out_gelu_is_one() {
        let nodes = vec![
            node("Div", "x root", "d", &[]),
            node("Erf", "d", "e", &[]),
            node("Add", "one e", "g", &[]),
            node("Mul", "x g", "m", &[]),
            node("Mul", "m half", "y", &[]),
        ];
        let fixture = Fixture::new(&[2, 3], nodes)
            .constant("root", Tensor::scalar(std::f32::consts::SQRT_2))
            .constant("one", Tensor::scalar(1.0_f32))
            .constant("half", Tensor::scalar(0.5_f32));
        fixture.check(&[run, dead::run], &["Gelu-20"]);
    }

    #[test]
    fn a_number_that_adds_axes_stays() {
        let nodes = vec![
            node("Div", "x root", "d", &[]),
            node("Erf", "d", "e", &[]),
            node("Add", "one e", "g", &[]),
            node("Mul", "x g", "m", &[]),
            node("Mul", "m half", "y", &[]),
        ];
        let fixture = Fixture::new(&[2, 3], nodes)
            .constant("root", Tensor::scalar(std::f32::consts::SQRT_2))
            .constant("one", Tensor::scalar(1.0_f32))
            .constant("half", Tensor::new(&[1, 1, 1], vec![0.5_f32]).unwrap());
        let stays = ["Div-14", "Erf-13", "Add-14", "Mul-14", "Mul-14"];
        fixture.check(&[run, dead::run], &stays);
    }
}
