//! A graph made ready to run.

use std::sync::Arc;

use onnx_tensor::Value;

use super::general;
use crate::error::{NodeError, Problem};
use crate::ir::{Graph, ValueId};

/// A graph made ready to run, any number of times.
pub struct Program {
    graph: Arc<Graph>,
    /// After each node: the values that nothing reads any more.
    spent: Vec<Vec<ValueId>>,
}

impl Program {
    /// Of a graph.
    pub fn new(graph: Graph) -> Program {
        Program::shared(Arc::new(graph))
    }

    /// Of a body that its node holds as well.
    pub fn shared(graph: Arc<Graph>) -> Program {
        let mut last: Vec<Option<usize>> = vec![None; graph.values.len()];
        for (position, node) in graph.nodes.iter().enumerate() {
            for id in node.inputs.iter().chain(&node.outputs).flatten() {
                last[id.index()] = Some(position);
            }
        }
        for id in &graph.outputs {
            last[id.index()] = None;
        }
        let mut spent = vec![Vec::new(); graph.nodes.len()];
        for (index, position) in last.into_iter().enumerate() {
            if let Some(position) = position {
                spent[position].push(ValueId(index as u32));
            }
        }
        Program { graph, spent }
    }

    /// One run; an input that is not fed is `None`.
    pub fn run(&self, inputs: Vec<Option<Value>>) -> Result<Vec<Value>, NodeError> {
        let graph = &self.graph;
        let mut values: Vec<Option<Value>> = vec![None; graph.values.len()];
        for (id, value) in graph.inputs.iter().zip(inputs) {
            values[id.index()] = value;
        }
        for (node, spent) in graph.nodes.iter().zip(&self.spent) {
            let read = |id: &Option<ValueId>| {
                let id = (*id)?;
                values[id.index()].as_ref().or(graph.value(id).constant.as_ref())
            };
            let inputs: Vec<Option<&Value>> = node.inputs.iter().map(read).collect();
            let outputs = general::evaluate(node, &inputs)?;
            for (id, value) in node.outputs.iter().zip(outputs) {
                if let Some(id) = id {
                    values[id.index()] = Some(value);
                }
            }
            for id in spent {
                values[id.index()] = None;
            }
        }
        let result = |id: &ValueId| {
            let value = values[id.index()].as_ref().or(graph.value(*id).constant.as_ref());
            value.cloned().ok_or_else(|| NodeError {
                node: graph.value(*id).name.clone(),
                operator: "output".to_owned(),
                problem: Problem::Invalid("it has no value: an input is missing, or a node does not give it".to_owned()),
            })
        };
        graph.outputs.iter().map(result).collect()
    }
}
