//! Folds nodes that read only constants.

use onnx_tensor::Value;

use super::Report;
use super::infer;
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op};
use crate::kernels::Device;

/// Folds in order, so that chains fold completely. Types are inferred along the way, which makes more
/// constants known (Shape of a fixed shape).
pub fn run(graph: &mut Graph, device: &Device) -> Result<Report, NodeError> {
    fold(graph, device, |node| {
        device.folds_bodies || matches!(node.op, Op::Plain(_))
    })
}

/// Folds the nodes that `wanted` accepts, as [`run`] does.
pub fn fold(graph: &mut Graph, device: &Device, wanted: impl Fn(&Node) -> bool) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut kept = Vec::with_capacity(graph.nodes.len());
    for node in std::mem::take(&mut graph.nodes) {
        infer::node(graph, &node)?;
        if !wanted(&node) {
            kept.push(node);
            continue;
        }
        let known = node
            .outputs
            .iter()
            .flatten()
            .all(|&id| graph.value(id).constant.is_some());
        if known {
            report.push(format!("`{}` has a known value", node.name));
            continue;
        }
        let inputs: Vec<Option<&Value>> = node
            .inputs
            .iter()
            .map(|input| input.and_then(|id| graph.value(id).constant.as_ref()))
            .collect();
        let complete = node
            .inputs
            .iter()
            .zip(&inputs)
            .all(|(id, value)| id.is_none() || value.is_some());
        let deterministic = node
            .op
            .operator()
            .is_some_and(|operator| !operator.schema.nondeterministic);
        let fused = matches!(node.op, Op::Fused(_));
        let foldable = complete && !fused && (deterministic || !matches!(node.op, Op::Plain(_)));
        // A node that fails here also fails at run time and reports it there. A branch that is not taken must
        // not fail the load.
        let Some(values) = foldable.then(|| (device.evaluate)(&node, &inputs).ok()).flatten() else {
            kept.push(node);
            continue;
        };
        report.push(format!("`{}` is folded", node.name));
        for (id, value) in node.outputs.iter().zip(values) {
            if let Some(id) = id {
                graph.set_constant(*id, value);
            }
        }
    }
    graph.nodes = kept;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::run;
    use crate::fixture::{Fixture, device, node};

    #[test]
    fn values_that_follow_from_shapes_are_folded() {
        let nodes = vec![
            node("Shape", "x", "s", &[]),
            node("Gather", "s one", "n", &[]),
            node(
                "Concat",
                "n open",
                "t",
                &[("axis", onnx_model::AttributeValue::Int(0))],
            ),
            node("Reshape", "x t", "y", &[]),
        ];
        let fixture = Fixture::new(&[2, 3, 4], nodes).constant("one", Tensor::vector(vec![1_i64]));
        fixture
            .constant("open", Tensor::vector(vec![-1_i64]))
            .check(&[|graph| run(graph, &device(1))], &["Reshape-19"]);
    }
}
