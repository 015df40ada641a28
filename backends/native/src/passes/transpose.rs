//! Merges a Transpose with the Transpose before it; the result is no node if they cancel.

use onnx_model::AttributeValue;

use super::Report;
use super::pattern::Links;
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op, Operator};

/// The second reads the operand of the first, which is dead if it has no other reader. The pass `identity`
/// removes a Transpose that changes nothing.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut links = Links::new(graph);
    for at in 0..graph.nodes.len() {
        let node = &graph.nodes[at];
        let Some(outer) = order(&node.op) else { continue };
        let around = links.around(graph);
        let before = node.input(0).and_then(|id| around.producer(id));
        let Some((source, inner)) =
            before.and_then(|(_, before)| Some((before.input(0)?, order(&before.op)?)))
        else {
            continue;
        };
        let Some(both) = composed(&outer, &inner) else {
            continue;
        };
        let Some(operator) = Operator::make("Transpose", 13, [("perm", AttributeValue::Ints(both))]) else {
            continue;
        };
        report.push(format!("`{}` is merged with the transpose before it", node.name));
        let merged = Node {
            op: Op::Plain(operator),
            inputs: vec![Some(source)],
            ..node.clone()
        };
        links.replace(graph, at, merged);
    }
    Ok(report)
}

/// Returns the order of both, with `inner` applied first.
pub fn composed(outer: &[i64], inner: &[i64]) -> Option<Vec<i64>> {
    let through = |&axis: &i64| inner.get(usize::try_from(axis).ok()?).copied();
    outer.iter().map(through).collect()
}

/// Returns the order of the axes of a Transpose.
pub fn order(op: &Op) -> Option<Vec<i64>> {
    op.plain("Transpose")?
        .attributes
        .ints("perm")
        .ok()?
        .map(<[i64]>::to_vec)
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::Ints;

    use super::super::{dead, identity};
    use super::run;
    use crate::fixture::{Fixture, node};

    fn transposes(first: &[i64], second: &[i64]) -> Fixture {
        let nodes = vec![
            node("Transpose", "x", "a", &[("perm", Ints(first.to_vec()))]),
            node("Transpose", "a", "b", &[("perm", Ints(second.to_vec()))]),
            node("Exp", "b", "y", &[]),
        ];
        Fixture::new(&[2, 3, 4], nodes)
    }

    #[test]
    fn two_transposes_merge_or_cancel() {
        let passes = [run, dead::run, super::super::infer::run, identity::run];
        transposes(&[1, 2, 0], &[1, 0, 2]).check(&passes, &["Transpose-13", "Exp-13"]);
        transposes(&[1, 2, 0], &[2, 0, 1]).check(&passes, &["Exp-13"]);
    }
}
