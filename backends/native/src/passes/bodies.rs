//! The passes inside of bodies. A constant that a body captures is one inside as well.

use std::sync::Arc;

use crate::error::NodeError;
use crate::ir::{Graph, Op, ValueId};

/// Runs the passes in every body; types of captured values go in, and constants where they are known by now.
pub fn run(graph: &mut Graph) -> Result<(), NodeError> {
    for position in 0..graph.nodes.len() {
        let inputs = graph.nodes[position].inputs.clone();
        let mut op = graph.nodes[position].op.clone();
        match &mut op {
            Op::If { branches, .. } => {
                for branch in branches {
                    rewrite(graph, branch, inputs.get(1..).unwrap_or_default(), 0)?;
                }
            }
            Op::Repeat { own_inputs, body, .. } => {
                let captured = inputs.get(*own_inputs..).unwrap_or_default();
                let first = body.inputs.len().saturating_sub(captured.len());
                rewrite(graph, body, captured, first)?;
            }
            _ => continue,
        }
        graph.nodes[position].op = op;
    }
    Ok(())
}

fn rewrite(
    outer: &Graph,
    body: &mut Arc<Graph>,
    captured: &[Option<ValueId>],
    first: usize,
) -> Result<(), NodeError> {
    let mut inner = Graph::clone(body);
    for (&outside, &inside) in captured.iter().zip(&inner.inputs[first..]) {
        let Some(value) = outside.map(|id| outer.value(id)) else {
            continue;
        };
        let slot = &mut inner.values[inside.index()];
        if slot.known.is_none() || value.constant.is_some() {
            slot.known = value.known.clone();
            slot.constant = value.constant.clone();
        }
    }
    run(&mut inner)?;
    super::run_quietly(&mut inner)?;
    *body = Arc::new(inner);
    Ok(())
}
