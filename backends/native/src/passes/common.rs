//! Merges nodes that compute the same from the same values.
//!
//! Equal constants are not merged: models whose weights are all equal (ONNX's light models) would otherwise
//! lose branches that a trained model has.

use std::collections::HashMap;

use super::Report;
use crate::error::NodeError;
use crate::ir::{Graph, Op, ValueId};

type Key = (String, Vec<Option<ValueId>>, usize);

/// Keeps the first of equal nodes.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut seen: HashMap<Key, (String, Vec<Option<ValueId>>)> = HashMap::new();
    let mut target: Vec<ValueId> = (0..graph.values.len() as u32).map(ValueId).collect();
    let mut kept = Vec::with_capacity(graph.nodes.len());
    for mut node in std::mem::take(&mut graph.nodes) {
        node.inputs
            .iter_mut()
            .flatten()
            .for_each(|id| *id = target[id.index()]);
        let Op::Plain(operator) = &node.op else {
            kept.push(node);
            continue;
        };
        let holds_tensor = operator.attributes.iter().any(|(_, value)| {
            use onnx_model::AttributeValue::{Float, Floats, Int, Ints, String};
            !matches!(value, Int(_) | Ints(_) | Float(_) | Floats(_) | String(_))
        });
        if operator.schema.nondeterministic || holds_tensor {
            kept.push(node);
            continue;
        }
        let key = (operator.to_string(), node.inputs.clone(), node.outputs.len());
        let known = seen.get(&key);
        // A node with more outputs than the first is kept.
        let covered = |outputs: &[Option<ValueId>]| {
            node.outputs
                .iter()
                .zip(outputs)
                .all(|(ours, theirs)| ours.is_none() || theirs.is_some())
        };
        match known.filter(|(_, outputs)| covered(outputs)) {
            Some((first, outputs)) => {
                report.push(format!("`{}` is merged into `{first}`", node.name));
                for (ours, theirs) in node.outputs.iter().zip(outputs) {
                    if let (Some(ours), Some(theirs)) = (ours, theirs) {
                        target[ours.index()] = *theirs;
                    }
                }
            }
            None => {
                seen.entry(key)
                    .or_insert_with(|| (node.name.clone(), node.outputs.clone()));
                kept.push(node);
            }
        }
    }
    graph.nodes = kept;
    graph.outputs.iter_mut().for_each(|id| *id = target[id.index()]);
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::fixture::{Fixture, node};

    #[test]
    fn equal_nodes_over_equal_values_are_merged() {
        let nodes = vec![
            node("Exp", "x", "a", &[]),
            node("Exp", "x", "b", &[]),
            node("Neg", "a", "c", &[]),
            node("Neg", "b", "d", &[]),
            node("Add", "c d", "y", &[]),
        ];
        Fixture::new(&[3], nodes).check(&[run], &["Exp-13", "Neg-13", "Add-14"]);
    }

    #[test]
    fn equal_constants_are_not_merged() {
        let nodes = vec![
            node("Mul", "x a", "c", &[]),
            node("Mul", "x b", "d", &[]),
            node("Add", "c d", "y", &[]),
        ];
        let fixture = Fixture::new(&[3], nodes).varied("a", &[3]).varied("b", &[3]);
        fixture.check(&[run], &["Mul-14", "Mul-14", "Add-14"]);
    }
}
