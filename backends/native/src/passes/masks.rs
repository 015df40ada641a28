//! Writes the boolean mask of an Attention over f32 as a summand, 0 or −∞, which its kernel reads.
//!
//! The specification defines a boolean mask by this summand. Nodes with the same mask share it.

use std::collections::HashMap;

use onnx_tensor::{DType, Tensor};

use super::pattern::operator;
use super::{Report, infer};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op, Operator, ValueId, dtype};

/// The position of the mask among the inputs.
const MASK: usize = 3;

/// Replaces the boolean mask of every Attention over f32.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut summands: HashMap<ValueId, ValueId> = HashMap::new();
    let Some(select) = Operator::make("Where", 16, []) else {
        return Ok(report);
    };
    for mut node in std::mem::take(&mut graph.nodes) {
        if let Some(mask) = boolean(graph, &node) {
            report.push(format!("`{}` reads a summand", node.name));
            let summand = match summands.get(&mask) {
                Some(&summand) => summand,
                None => {
                    let made = summand_of(graph, &node, mask, &select);
                    infer::node(graph, &made)?;
                    let summand = made.outputs[0].unwrap_or(mask);
                    graph.nodes.push(made);
                    *summands.entry(mask).or_insert(summand)
                }
            };
            node.inputs[MASK] = Some(summand);
        }
        graph.nodes.push(node);
    }
    Ok(report)
}

/// The boolean mask of an Attention whose queries are f32.
fn boolean(graph: &Graph, node: &Node) -> Option<ValueId> {
    operator(node).filter(|found| found.schema.name == "Attention")?;
    let mask = node.input(MASK)?;
    let of_type = |id, wanted| dtype(graph.known(id)) == Some(wanted);
    (of_type(mask, DType::Bool) && of_type(node.input(0)?, DType::Float)).then_some(mask)
}

fn summand_of(graph: &mut Graph, node: &Node, mask: ValueId, select: &Operator) -> Node {
    let mut scalar = |name: &str, value: f32| Some(graph.add_constant(name, Tensor::scalar(value)));
    let inputs = vec![
        Some(mask),
        scalar("kept", 0.0),
        scalar("masked", f32::NEG_INFINITY),
    ];
    let summand = graph.add(format!("{}.summand", node.name), None, None);
    Node {
        name: node.name.clone(),
        op: Op::Plain(select.clone()),
        inputs,
        outputs: vec![Some(summand)],
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::Int;

    use super::run;
    use crate::fixture::{Fixture, node};

    #[track_caller]
    fn check(mask: &[usize], expected: &[&str]) {
        let bound = onnx_tensor::Tensor::scalar(0.5_f32);
        let causal = [("is_causal", Int(1))];
        let nodes = vec![
            node("Greater", "m bound", "mask", &[]),
            node("Attention", "x k v mask", "a", &[]),
            node("Attention", "a k v mask", "y", &causal),
        ];
        Fixture::new(&[2, 4, 5, 3], nodes)
            .opset(23)
            .varied("k", &[2, 2, 6, 3])
            .varied("v", &[2, 2, 6, 3])
            .varied("m", mask)
            .constant("bound", bound)
            .check(&[run], expected);
    }

    #[test]
    fn nodes_with_the_same_boolean_mask_share_a_summand() {
        let shared = ["Greater-13", "Where-16", "Attention-23", "Attention-23"];
        check(&[5, 6], &shared);
        check(&[2, 1, 1, 6], &shared);
    }

    #[test]
    fn a_mask_of_floats_is_unchanged() {
        let nodes = vec![node("Attention", "x x x m", "y", &[])];
        let fixture = Fixture::new(&[1, 2, 5, 4], nodes).opset(23).varied("m", &[5, 5]);
        fixture.check(&[run], &["Attention-23"]);
    }
}
