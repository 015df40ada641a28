//! Finds the last node that reads a name.

use std::collections::HashMap;

use onnx_model::Graph;

/// For each node, the names that no later node and no output reads, so that their memory can be freed.
pub(crate) fn last_uses(graph: &Graph) -> HashMap<usize, Vec<String>> {
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        node.visit_reads(&mut |name| {
            last.insert(name, index);
        });
    }
    let mut uses: HashMap<usize, Vec<String>> = HashMap::new();
    for (name, index) in last {
        if graph.outputs.iter().all(|output| output.name != name) {
            uses.entry(index).or_default().push(name.to_owned());
        }
    }
    uses
}
