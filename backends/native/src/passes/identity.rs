//! Removes nodes that return their input: Identity, Dropout at inference, casts to the same type; transposes,
//! reshapes, tiles, slices and pads that change nothing.

use super::{Report, rules};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op, ValueId, dtype};
use crate::ops::call::int64s;

/// Replaces every read of such a node's result by its input.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let nodes = std::mem::take(&mut graph.nodes);
    let mut replaced: Vec<(ValueId, ValueId)> = Vec::new();
    let mut kept = Vec::with_capacity(nodes.len());
    for node in nodes {
        match same(graph, &node) {
            Some(pair) => {
                report.push(format!("`{}` changes nothing", node.name));
                replaced.push(pair);
            }
            None => kept.push(node),
        }
    }
    graph.nodes = kept;
    // The nodes are visited in order, so that a chain is replaced by its source.
    let mut target: Vec<ValueId> = (0..graph.values.len() as u32).map(ValueId).collect();
    for (output, input) in replaced {
        target[output.index()] = target[input.index()];
    }
    let reads = graph
        .nodes
        .iter_mut()
        .flat_map(|node| node.inputs.iter_mut().flatten());
    reads
        .chain(&mut graph.outputs)
        .for_each(|id| *id = target[id.index()]);
    Ok(report)
}

/// Returns the output and the input that it equals.
fn same(graph: &Graph, node: &Node) -> Option<(ValueId, ValueId)> {
    let (input, output) = (node.input(0)?, node.only_output()?);
    let Op::Plain(operator) = &node.op else {
        return None;
    };
    let (from, to) = (graph.known(input), graph.known(output));
    if !rules::hold(graph, node, operator) {
        return None;
    }
    let holds = match operator.schema.name {
        "Identity" => true,
        // The guard of an operator that the import replaced.
        "SwiGLU" | "FlexAttention" => crate::ir::fixed_shape(from).is_some(),
        "Dropout" => match operator.schema.since {
            ..7 => operator.attributes.flag("is_test").ok()?,
            7..12 => true,
            _ => node.input(2).is_none(),
        },
        "Cast" | "CastLike" => dtype(from).is_some() && dtype(from) == dtype(to),
        "Transpose" => {
            let order = operator.attributes.ints("perm").ok()??;
            order.len() == crate::ir::shape(from)?.len()
                && order
                    .iter()
                    .enumerate()
                    .all(|(place, &axis)| i64::try_from(place) == Ok(axis))
        }
        "Reshape" | "Flatten" | "Expand" | "Squeeze" | "Unsqueeze" => keeps_shape(graph, input, output),
        // Every axis that is repeated keeps its extent, so it is repeated once.
        "Tile" if operator.schema.since >= 6 => keeps_shape(graph, input, output),
        // With steps of 1, all elements in their order.
        "Slice" => keeps_shape(graph, input, output) && node.input(4).is_none_or(|id| all_are(graph, id, 1)),
        "Pad" => match operator.schema.since {
            ..11 => operator
                .attributes
                .ints("pads")
                .ok()?
                .filter(|pads| crate::ir::shape(from).is_some_and(|shape| pads.len() == 2 * shape.len()))?
                .iter()
                .all(|&pad| pad == 0),
            _ => {
                let axes = node.input(3);
                crate::ir::shape(from).is_some()
                    && axes.is_none_or(|id| graph.constant(id).is_some())
                    && all_are(graph, node.input(1)?, 0)
            }
        },
        _ => false,
    };
    holds.then_some((output, input))
}

/// Whether two values have the same known extents.
fn keeps_shape(graph: &Graph, input: ValueId, output: ValueId) -> bool {
    let fixed = graph.shape_of(input);
    fixed.is_some() && fixed == graph.shape_of(output)
}

/// Whether a value is constant and all of its elements are this integer.
fn all_are(graph: &Graph, id: ValueId, value: i64) -> bool {
    let elements = graph.constant(id).and_then(|tensor| int64s(tensor).ok());
    elements.is_some_and(|elements| elements.iter().all(|&element| element == value))
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{Int, Ints};

    use super::run;
    use crate::fixture::{Fixture, node};

    #[test]
    fn nodes_that_change_nothing_are_removed() {
        let nodes = vec![
            node("Identity", "x", "a", &[]),
            node("Cast", "a", "b", &[("to", Int(1))]),
            node("Transpose", "b", "c", &[("perm", Ints(vec![0, 1]))]),
            node("Transpose", "c", "d", &[("perm", Ints(vec![1, 0]))]),
            node("Dropout", "d", "y", &[]),
        ];
        Fixture::new(&[2, 3], nodes).check(&[run], &["Transpose-13"]);
    }

    #[test]
    fn pads_slices_and_tiles_that_change_nothing_are_removed() {
        let list = |values: &[i64]| onnx_tensor::Tensor::vector(values.to_vec());
        let nodes = vec![
            node("Pad", "x none", "a", &[]),
            node("Slice", "a first far", "b", &[]),
            node("Tile", "b once", "c", &[]),
            node("Pad", "c moved", "d", &[]),
            node("Slice", "d end start axes back", "y", &[]),
        ];
        let fixture = Fixture::new(&[2, 3], nodes)
            .constant("none", list(&[0, 0, 0, 0]))
            .constant("first", list(&[0, 0]))
            .constant("far", list(&[i64::MAX, 3]))
            .constant("once", list(&[1, 1]))
            .constant("moved", list(&[0, 1, 0, -1]))
            .constant("end", list(&[-1]))
            .constant("start", list(&[i64::MIN]))
            .constant("axes", list(&[1]))
            .constant("back", list(&[-1]));
        fixture.check(&[run], &["Pad-19", "Slice-13"]);
    }
}
