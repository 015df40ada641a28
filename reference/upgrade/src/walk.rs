//! Converts a node step by step to the nodes that replace it.

use std::collections::VecDeque;

use onnx_model::Node;
use onnx_schema::{OperatorSchema, canonical_domain, lookup};

use crate::derive::MEANINGLESS;
use crate::rewrite::{Row, row};
use crate::site::{Placed, Reason, Shared, Site};
use crate::step::{Adapter, Step, next};
use crate::{Change, Refusal};

/// The result for a node.
pub(crate) struct Walked {
    pub nodes: Vec<Node>,
    pub changes: Vec<Change>,
    /// Whether the node has another version than before.
    pub is_newer: bool,
}

/// Converts a node through all steps up to the target. Its bodies are already converted.
pub(crate) fn walk(
    mut shared: Shared,
    graph: &str,
    original: &Node,
    schema: &'static OperatorSchema,
) -> Result<Walked, Refusal> {
    let mut walked = Walked {
        nodes: Vec::new(),
        changes: Vec::new(),
        is_newer: false,
    };
    let first = Placed {
        node: original.clone(),
        opset: schema.since,
    };
    let mut waiting = VecDeque::from([first]);
    while let Some(Placed { node, opset }) = waiting.pop_front() {
        let Some(schema) = lookup(canonical_domain(&node.domain), &node.operator, opset) else {
            walked.nodes.push(node);
            continue;
        };
        let Some(step) = next(schema).filter(|step| step.to.since <= shared.target) else {
            walked.nodes.push(node);
            continue;
        };
        walked.is_newer = true;
        let taken = take(node, step, &mut shared, &mut walked.changes, (graph, original));
        let placed = taken.map_err(|reason| Refusal {
            graph: graph.to_owned(),
            node: original.label().to_owned(),
            operator: schema.to_string(),
            to: step.to.since,
            reason,
        })?;
        for placed in placed.into_iter().rev() {
            waiting.push_front(placed);
        }
    }
    Ok(walked)
}

/// Converts a node by one step.
fn take(
    mut node: Node,
    step: Step,
    shared: &mut Shared,
    changes: &mut Vec<Change>,
    (graph, original): (&str, &Node),
) -> Result<Vec<Placed>, Reason> {
    node.attributes
        .retain(|attribute| attribute.name != MEANINGLESS || step.to.attribute(MEANINGLESS).is_some());
    let opset = step.to.since;
    match row(step.to) {
        Some(Row::Rewrite(rewrite, what)) => {
            changes.push(Change {
                graph: graph.to_owned(),
                node: original.label().to_owned(),
                operator: step.from.to_string(),
                to: opset,
                what,
            });
            let mut site = Site {
                node,
                to: step.to,
                shared,
                placed: Vec::new(),
            };
            rewrite(&mut site)?;
            Ok(site.placed)
        }
        Some(Row::None(_)) | None => match step.adapter() {
            Adapter::Unchanged => Ok(vec![Placed { node, opset }]),
            Adapter::Rewritten(reason) => Err(reason.to_owned()),
            Adapter::None(reason) => Err(reason),
        },
    }
}
