//! Topological order of nodes, and the names that nodes read.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::Node;

impl Node {
    /// Calls `visit` with every name that the node or one of its bodies reads, including names that a body
    /// defines itself.
    pub fn visit_reads<'n>(&'n self, visit: &mut impl FnMut(&'n str)) {
        for name in self.inputs.iter().filter(|name| !name.is_empty()) {
            visit(name);
        }
        for graph in self.bodies() {
            graph.outputs.iter().for_each(|output| visit(&output.name));
            graph.nodes.iter().for_each(|inner| visit_reads_dyn(inner, visit));
        }
    }
}

/// Uses a trait object, because recursion over `impl FnMut` would instantiate without end.
fn visit_reads_dyn<'n>(node: &'n Node, mut visit: &mut dyn FnMut(&'n str)) {
    node.visit_reads(&mut visit);
}

/// Returns the positions of `nodes` in a topological order. Among nodes that are ready, the first in the file
/// comes first. Nodes in a cycle, or after one, are omitted.
pub fn topological_order(nodes: &[Node]) -> Vec<usize> {
    let mut producers: HashMap<&str, usize> = HashMap::new();
    for (index, node) in nodes.iter().enumerate() {
        for output in node.outputs.iter().filter(|output| !output.is_empty()) {
            producers.entry(output).or_insert(index);
        }
    }
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut waits_for = vec![0_usize; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        node.visit_reads(&mut |name| {
            if let Some(&producer) = producers.get(name) {
                readers[producer].push(index);
                waits_for[index] += 1;
            }
        });
    }
    let free = (0..nodes.len()).filter(|&index| waits_for[index] == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = free.map(Reverse).collect();
    let mut sorted = Vec::with_capacity(nodes.len());
    while let Some(Reverse(index)) = ready.pop() {
        sorted.push(index);
        for &reader in &readers[index] {
            waits_for[reader] -= 1;
            if waits_for[reader] == 0 {
                ready.push(Reverse(reader));
            }
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::topological_order;
    use crate::Node;

    fn node(inputs: &[&str], output: &str) -> Node {
        Node {
            inputs: inputs.iter().map(|&name| name.to_owned()).collect(),
            outputs: vec![output.to_owned()],
            ..Node::default()
        }
    }

    #[track_caller]
    fn check(nodes: &[Node], expected: &[usize]) {
        assert_eq!(topological_order(nodes), expected);
    }

    #[test]
    fn ready_nodes_keep_the_order_of_the_file() {
        check(&[node(&["x"], "a"), node(&["a", "a"], "b")], &[0, 1]);
        check(
            &[node(&["b"], "c"), node(&["a"], "b"), node(&["x"], "a")],
            &[2, 1, 0],
        );
        check(
            &[
                node(&["b"], "c"),
                node(&["x"], "a"),
                node(&["x"], "b"),
                node(&["x"], "d"),
            ],
            &[1, 2, 0, 3],
        );
        check(&[node(&["b"], "a"), node(&["a"], "b"), node(&["x"], "c")], &[2]);
    }
}
