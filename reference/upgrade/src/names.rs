//! New names for values.

use std::collections::HashSet;

use onnx_model::{Graph, Model, Node};

/// Makes names that no value in any graph of the model has.
pub(crate) struct Names {
    taken: HashSet<String>,
    next: usize,
}

impl Names {
    pub(crate) fn of(model: &Model) -> Names {
        let mut names = Names {
            taken: HashSet::new(),
            next: 0,
        };
        names.graph(&model.graph);
        for function in &model.functions {
            names
                .taken
                .extend(function.inputs.iter().chain(&function.outputs).cloned());
            function.nodes.iter().for_each(|node| names.node(node));
        }
        names
    }

    /// Returns a new name.
    pub(crate) fn fresh(&mut self) -> String {
        loop {
            let name = format!("upgrade_{}", self.next);
            self.next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    fn graph(&mut self, graph: &Graph) {
        let infos = graph.inputs.iter().chain(&graph.outputs).chain(&graph.value_info);
        self.taken.extend(infos.map(|info| info.name.clone()));
        self.taken
            .extend(graph.initializers.iter().map(|(name, _)| name.clone()));
        graph.nodes.iter().for_each(|node| self.node(node));
    }

    fn node(&mut self, node: &Node) {
        self.taken
            .extend(node.inputs.iter().chain(&node.outputs).cloned());
        for body in node.bodies() {
            self.graph(body);
        }
    }
}
