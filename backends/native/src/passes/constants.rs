//! Replaces nodes whose results are known: those that read only constants by their values, bodies that run a
//! known number of times by their nodes (`inline`), and sequences with known elements by the elements
//! (`sequences`).

use onnx_tensor::Value;

use super::inline::Room;
use super::sequences::Lists;
use super::{Report, einsum, infer};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op, ValueId};
use crate::kernels::Device;

/// Replaces in order, so that chains are replaced completely. Types are inferred along the way, which makes
/// more constants known (Shape of a fixed shape).
pub fn run(graph: &mut Graph, device: &Device) -> Result<Report, NodeError> {
    let (mut room, mut lists) = (Room::of(graph), Lists::default());
    let wanted = |node: &Node| device.folds_bodies || matches!(node.op, Op::Plain(_));
    walk(graph, device, wanted, |graph, node| {
        room.inlined(graph, node)
            .or_else(|| lists.replaced(graph, node))
            .or_else(|| constant_product(graph, node))
    })
}

/// Folds the nodes that `wanted` accepts, as [`run`] does.
pub fn fold(graph: &mut Graph, device: &Device, wanted: impl Fn(&Node) -> bool) -> Result<Report, NodeError> {
    walk(graph, device, wanted, |_, _| None)
}

/// Visits the nodes that `wanted` accepts, and also the nodes by which `replaced` replaces one of them.
fn walk(
    graph: &mut Graph,
    device: &Device,
    wanted: impl Fn(&Node) -> bool,
    mut replaced: impl FnMut(&mut Graph, &Node) -> Option<Vec<Node>>,
) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut left = std::mem::take(&mut graph.nodes);
    left.reverse();
    let mut kept = Vec::with_capacity(left.len());
    while let Some(node) = left.pop() {
        infer::node(graph, &node)?;
        if !wanted(&node) {
            kept.push(node);
            continue;
        }
        let is_known = |id| graph.value(id).constant.is_some();
        if node.outputs.iter().flatten().all(|&id| is_known(id)) {
            report.push(format!("`{}` has a known value", node.name));
        } else if let Some(nodes) = replaced(graph, &node) {
            report.push(format!("`{}` is replaced by {} nodes", node.name, nodes.len()));
            left.extend(nodes.into_iter().rev());
        } else if let Some(values) = values(graph, &node, device) {
            report.push(format!("`{}` is folded", node.name));
            for (id, value) in node.outputs.iter().zip(values) {
                if let Some(id) = id {
                    graph.set_constant(*id, value);
                }
            }
        } else {
            kept.push(node);
        }
    }
    graph.nodes = kept;
    Ok(report)
}

/// A result with more elements is not folded if it has more than its operands: lists of indices, which
/// exporters compute from extents, can have more elements than all weights of a model.
const MAX_GROWN: usize = 1 << 22;

/// Whether the first result of a node is known to be large and to have more elements than its operands.
fn grows(graph: &Graph, node: &Node) -> bool {
    let elements = |id: ValueId| graph.shape_of(id).map(|shape| shape.iter().product::<usize>());
    let given: usize = node.inputs.iter().flatten().filter_map(|&id| elements(id)).sum();
    let result = node.output(0).and_then(elements);
    result.is_some_and(|result| result > MAX_GROWN.max(given))
}

/// Whether all inputs of a node are constants.
fn is_constant(graph: &Graph, node: &Node) -> bool {
    let mut given = node.inputs.iter().flatten();
    given.all(|&id| graph.value(id).constant.is_some())
}

/// Returns the nodes of an Einsum of constants that is a product of matrices: products have a kernel.
fn constant_product(graph: &mut Graph, node: &Node) -> Option<Vec<Node>> {
    is_constant(graph, node)
        .then(|| einsum::product(graph, node))
        .flatten()
}

/// Returns the outputs of a node that reads only constants. A node that fails here also fails at run time and
/// reports it there: a branch that is not taken must not fail the load.
fn values(graph: &Graph, node: &Node, device: &Device) -> Option<Vec<Value>> {
    let random = match &node.op {
        Op::Plain(operator) => operator.schema.nondeterministic,
        Op::If { .. } | Op::Repeat { .. } => false,
        Op::Fused(_) => return None,
    };
    if random || !is_constant(graph, node) || grows(graph, node) {
        return None;
    }
    let constant = |id| graph.value(id).constant.as_ref();
    let inputs: Vec<Option<&Value>> = node.inputs.iter().map(|input| input.and_then(constant)).collect();
    (device.fold)(node, &inputs, device).ok()
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
