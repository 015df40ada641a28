//! Removes nodes whose results are not read, and unused outputs.

use super::Report;
use crate::error::NodeError;
use crate::ir::Graph;

/// Goes from the last node to the first, so that the producers of a dead node's inputs are removed too.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut read = vec![false; graph.values.len()];
    graph.outputs.iter().for_each(|id| read[id.index()] = true);
    let mut report = Report::new();
    let mut kept = Vec::with_capacity(graph.nodes.len());
    for mut node in std::mem::take(&mut graph.nodes).into_iter().rev() {
        for output in &mut node.outputs {
            *output = output.filter(|id| read[id.index()]);
        }
        if node.outputs.iter().any(Option::is_some) {
            node.inputs
                .iter()
                .flatten()
                .for_each(|id| read[id.index()] = true);
            kept.push(node);
        } else {
            report.push(format!("`{}` is not read", node.name));
        }
    }
    kept.reverse();
    graph.nodes = kept;
    // The memory of unread constants is freed.
    for (value, read) in graph.values.iter_mut().zip(read) {
        if !read {
            value.constant = None;
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::fixture::{Fixture, node};

    #[test]
    fn producers_for_dead_nodes_are_removed() {
        let nodes = vec![
            node("Exp", "x", "a", &[]),
            node("Neg", "a", "b", &[]),
            node("Abs", "x", "y", &[]),
        ];
        Fixture::new(&[3], nodes).check(&[run], &["Abs-13"]);
    }
}
