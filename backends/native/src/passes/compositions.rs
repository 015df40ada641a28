//! Replaces operators that are compositions by their nodes.

use super::{Report, infer};
use crate::composition;
use crate::error::NodeError;
use crate::ir::Graph;

/// Replaces each composed operator whose operands are known well enough. A node that is invalid here is so at
/// run time and reports it there: a branch that is not taken must not fail the load.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    for node in std::mem::take(&mut graph.nodes) {
        infer::node(graph, &node)?;
        match composition::nodes(graph, &node) {
            Err(error) if error.is_fault_of_model() => graph.nodes.push(node),
            Err(error) => return Err(error),
            Ok(Some(nodes)) => {
                report.push(format!(
                    "`{}` ({}) is {} nodes",
                    node.name,
                    node.op.label(),
                    nodes.len()
                ));
                for made in &nodes {
                    infer::node(graph, made)?;
                }
                graph.nodes.extend(nodes);
            }
            Ok(None) => graph.nodes.push(node),
        }
    }
    Ok(report)
}
