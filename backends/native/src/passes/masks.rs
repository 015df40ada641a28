//! Writes the boolean mask of an Attention over f32 or halves as a summand, 0 or −∞, which its kernel
//! reads.
//!
//! The specification defines a boolean mask by this summand. Nodes with the same mask share it.

use std::collections::HashMap;

use onnx_tensor::{DType, Tensor, bf16, f16};

use super::pattern::operator;
use super::{Report, infer};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op, Operator, ValueId, dtype};

/// The position of the mask among the inputs.
const MASK: usize = 3;

/// Replaces the boolean mask of every Attention over f32 or halves.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut summands: HashMap<(ValueId, DType), ValueId> = HashMap::new();
    let Some(select) = Operator::make("Where", 16, []) else {
        return Ok(report);
    };
    for mut node in std::mem::take(&mut graph.nodes) {
        if let Some((mask, queries, constants)) = boolean(graph, &node) {
            report.push(format!("`{}` reads a summand", node.name));
            let summand = match summands.get(&(mask, queries)) {
                Some(&summand) => summand,
                None => {
                    let made = summand_of(graph, &node, mask, constants, &select);
                    infer::node(graph, &made)?;
                    let summand = made.outputs[0].unwrap_or(mask);
                    graph.nodes.push(made);
                    *summands.entry((mask, queries)).or_insert(summand)
                }
            };
            node.inputs[MASK] = Some(summand);
        }
        graph.nodes.push(node);
    }
    Ok(report)
}

/// The boolean mask of an Attention, with the type of its queries and 0 and −∞ of this type.
fn boolean(graph: &Graph, node: &Node) -> Option<(ValueId, DType, [Tensor; 2])> {
    operator(node).filter(|found| found.schema.name == "Attention")?;
    let mask = node.input(MASK)?;
    let queries = dtype(graph.known(node.input(0)?))?;
    let constants = match queries {
        DType::Float => [0.0, f32::NEG_INFINITY].map(Tensor::scalar),
        DType::Float16 => [f16::ZERO, f16::NEG_INFINITY].map(Tensor::scalar),
        DType::Bfloat16 => [bf16::ZERO, bf16::NEG_INFINITY].map(Tensor::scalar),
        _ => return None,
    };
    (dtype(graph.known(mask)) == Some(DType::Bool)).then_some((mask, queries, constants))
}

fn summand_of(
    graph: &mut Graph,
    node: &Node,
    mask: ValueId,
    [kept, masked]: [Tensor; 2],
    select: &Operator,
) -> Node {
    let mut constant = |name: &str, value: Tensor| Some(graph.add_constant(name, value));
    let inputs = vec![Some(mask), constant("kept", kept), constant("masked", masked)];
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
    fn halves_have_a_summand_of_their_type() {
        let cast = |from: &str, to: &str, dtype: i64| node("Cast", from, to, &[("to", Int(dtype))]);
        let nodes = vec![
            node("Greater", "m bound", "mask", &[]),
            cast("x", "q", 16),
            node("Attention", "q q q mask", "a", &[]),
            cast("a", "y", 1),
        ];
        let expected = ["Greater-13", "Cast-23", "Where-16", "Attention-23", "Cast-23"];
        Fixture::new(&[1, 2, 5, 4], nodes)
            .opset(23)
            .varied("m", &[5, 5])
            .constant("bound", onnx_tensor::Tensor::scalar(0.5_f32))
            .check(&[run], &expected);
    }

    #[test]
    fn a_mask_of_floats_is_unchanged() {
        let nodes = vec![node("Attention", "x x x m", "y", &[])];
        let fixture = Fixture::new(&[1, 2, 5, 4], nodes).opset(23).varied("m", &[5, 5]);
        fixture.check(&[run], &["Attention-23"]);
    }
}
