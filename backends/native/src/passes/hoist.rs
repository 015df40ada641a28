//! Moves a Transpose up through elementwise operators to the Transposes before them, with which it merges or
//! cancels.
//!
//! Models that were trained with channels last have a pair of Transposes around every convolution, with an
//! activation or a sum in between. The same elements are combined as before, so the bits do not change.

use onnx_model::AttributeValue;

use super::pattern::{Around, Links, operator};
use super::transpose::{composed, order};
use super::{Report, infer};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op, Operator, ValueId};

/// The maximum number of elementwise operators that a Transpose moves through.
const MAX_DEPTH: usize = 8;

/// Moves every Transpose whose paths upwards all end at Transposes.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut links = Links::new(graph);
    for node in std::mem::take(&mut graph.nodes) {
        let built = moved_up(graph, &links, &node)?;
        if built.is_empty() {
            links.push(graph, node);
            continue;
        }
        report.push(format!("`{}` is moved up", node.name));
        links.forget(&node);
        built.into_iter().for_each(|node| links.push_new(graph, node));
    }
    Ok(report)
}

/// Returns the nodes that replace a Transpose; the last computes its result. Empty if it is not moved. The
/// graph contains the nodes before it.
fn moved_up(graph: &mut Graph, links: &Links, node: &Node) -> Result<Vec<Node>, NodeError> {
    let mut built = Vec::new();
    let (Some(order), Some(input)) = (order(&node.op), node.input(0)) else {
        return Ok(built);
    };
    let around = links.around(graph);
    let direct = around
        .producer(input)
        .is_some_and(|(_, node)| node.op.plain("Transpose").is_some());
    if direct || !ends(&around, input, MAX_DEPTH) {
        return Ok(built);
    }
    let outputs = node.outputs.clone();
    let end = MoveUp {
        graph,
        links,
        built: &mut built,
    }
    .value(input, &order)?;
    match built.last_mut() {
        Some(last) if end.is_some() => last.outputs = outputs,
        _ => built.clear(),
    }
    Ok(built)
}

/// Whether every path up from a value leads through elementwise nodes with one reader to a Transpose.
fn ends(around: &Around, id: ValueId, left: usize) -> bool {
    let Some((_, node)) = around.sole_producer(id).filter(|_| left > 0) else {
        return false;
    };
    order(&node.op).is_some()
        || operands(around, node).is_some_and(|operands| {
            operands
                .into_iter()
                .all(|operand| around.same_shape(operand, id) && ends(around, operand, left - 1))
        })
}

/// Returns the operands of an elementwise node except scalars; `None` for any other node.
fn operands(around: &Around, node: &Node) -> Option<Vec<ValueId>> {
    let operator = operator(node)?;
    if !operator.row.pointwise {
        return None;
    }
    let is_scalar = |id: &ValueId| {
        let constant = around.graph.constant(*id);
        constant.is_some_and(|tensor| tensor.len() == 1 && tensor.rank() <= 1)
    };
    Some(
        node.inputs
            .iter()
            .flatten()
            .copied()
            .filter(|id| !is_scalar(id))
            .collect(),
    )
}

/// The state of replacing a Transpose.
struct MoveUp<'g> {
    graph: &'g mut Graph,
    links: &'g Links,
    built: &'g mut Vec<Node>,
}

impl MoveUp<'_> {
    /// Returns the transposed value; `None` if it cannot be built.
    fn value(&mut self, id: ValueId, order: &[i64]) -> Result<Option<ValueId>, NodeError> {
        let Some((_, node)) = self.links.around(self.graph).producer(id) else {
            return Ok(None);
        };
        let mut node = node.clone();
        if let Some(inner) = super::transpose::order(&node.op) {
            let both = composed(order, &inner);
            let Some((source, both)) = node.input(0).zip(both) else {
                return Ok(None);
            };
            // An order of another length is refused where it runs.
            let rank = crate::ir::shape(self.graph.known(source)).map(<[_]>::len);
            if rank != Some(both.len()) {
                return Ok(None);
            }
            if both.iter().zip(0..).all(|(axis, place)| *axis == place) {
                return Ok(Some(source));
            }
            let Some(operator) = Operator::make("Transpose", 13, [("perm", AttributeValue::Ints(both))])
            else {
                return Ok(None);
            };
            node.op = Op::Plain(operator);
            return self.add(node).map(Some);
        }
        let wanted = operands(&self.links.around(self.graph), &node).unwrap_or_default();
        for position in 0..node.inputs.len() {
            if let Some(operand) = node.inputs[position].filter(|id| wanted.contains(id)) {
                let Some(operand) = self.value(operand, order)? else {
                    return Ok(None);
                };
                node.inputs[position] = Some(operand);
            }
        }
        self.add(node).map(Some)
    }

    /// Adds a node with a new output value.
    fn add(&mut self, mut node: Node) -> Result<ValueId, NodeError> {
        let id = self.graph.add(node.name.clone(), None, None);
        node.outputs = vec![Some(id)];
        infer::node(self.graph, &node)?;
        self.built.push(node);
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::Ints;
    use onnx_model::Node;
    use onnx_tensor::Tensor;

    use super::super::{dead, identity};
    use super::run;
    use crate::fixture::{Fixture, node};

    fn turned(input: &str, output: &str, order: [i64; 3]) -> Node {
        node("Transpose", input, output, &[("perm", Ints(order.to_vec()))])
    }

    #[track_caller]
    fn check(nodes: Vec<Node>, expected: &[&str]) {
        Fixture::new(&[2, 3, 4], nodes)
            .constant("two", Tensor::scalar(2.0_f32))
            .varied("w", &[3, 4, 2])
            .check(&[run, dead::run, identity::run], expected);
    }

    #[test]
    fn two_transposes_around_elementwise_operators_cancel() {
        let nodes = vec![
            turned("x", "a", [1, 2, 0]),
            node("Mul", "a two", "b", &[]),
            node("Relu", "b", "c", &[]),
            turned("c", "y", [2, 0, 1]),
        ];
        check(nodes, &["Mul-14", "Relu-14"]);
    }

    #[test]
    fn a_sum_of_transposed_values_is_transposed_once() {
        let nodes = vec![
            node("Exp", "x", "e", &[]),
            turned("x", "a", [1, 2, 0]),
            turned("e", "b", [1, 2, 0]),
            node("Add", "a b", "c", &[]),
            turned("c", "y", [2, 0, 1]),
        ];
        check(nodes, &["Exp-13", "Add-14"]);
        let nodes = vec![
            turned("x", "a", [1, 2, 0]),
            node("Sqrt", "a", "b", &[]),
            turned("b", "y", [1, 0, 2]),
        ];
        check(nodes, &["Transpose-13", "Sqrt-13"]);
    }

    #[test]
    fn values_with_other_readers_and_broadcasts_are_not_changed() {
        let nodes = vec![
            turned("x", "a", [1, 2, 0]),
            node("Exp", "a", "b", &[]),
            turned("b", "c", [2, 0, 1]),
            turned("b", "d", [2, 0, 1]),
            node("Sub", "c d", "y", &[]),
        ];
        check(
            nodes,
            &["Transpose-13", "Exp-13", "Transpose-13", "Transpose-13", "Sub-14"],
        );
        let nodes = vec![
            turned("x", "a", [1, 2, 0]),
            node("Add", "a w", "b", &[]),
            turned("b", "y", [2, 0, 1]),
        ];
        check(nodes, &["Transpose-13", "Add-14", "Transpose-13"]);
    }
}
