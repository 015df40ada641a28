//! Checks nodes against the rules of their operators, as far as types and constants are known.

use std::borrow::Cow;

use crate::error::{NodeError, Problem};
use crate::ir::{Graph, Node, Op, Operator};
use crate::ops::rules::{Argument, Arguments};

/// Checks every node.
///
/// # Errors
/// The first rule that a node breaks.
pub fn check(graph: &Graph) -> Result<(), NodeError> {
    graph.nodes.iter().try_for_each(|node| check_node(graph, node))
}

/// Checks one node.
///
/// # Errors
/// The rule that it breaks.
pub fn check_node(graph: &Graph, node: &Node) -> Result<(), NodeError> {
    let Op::Plain(operator) = &node.op else {
        return Ok(());
    };
    follow(graph, node, operator).map_err(|problem| NodeError {
        node: node.name.clone(),
        operator: node.op.label(),
        problem,
    })
}

/// Whether a node follows the rule of its operator, and the rule needs to know nothing more: then a pass may
/// remove the node.
pub fn hold(graph: &Graph, node: &Node, operator: &Operator) -> bool {
    let known = |id| graph.shape_of(id).is_some();
    operator.row.rule.is_none()
        || (node.inputs.iter().skip(1).flatten().all(|&id| known(id))
            && follow(graph, node, operator).is_ok())
}

fn follow(graph: &Graph, node: &Node, operator: &Operator) -> Result<(), Problem> {
    let Some(rule) = operator.row.rule else {
        return Ok(());
    };
    let input = |position: usize| {
        node.input(position).map(|id| Argument {
            shape: graph.shape_of(id).map(Cow::Owned),
            elements: graph.constant(id),
        })
    };
    rule(&Arguments {
        since: operator.schema.since,
        attributes: &operator.attributes,
        input: &input,
        output: &|position| node.output(position).is_some(),
    })
}
