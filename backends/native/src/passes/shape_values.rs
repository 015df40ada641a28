//! Values that follow from shapes alone.

use onnx_tensor::{Tensor, Value};

use crate::ir::{Graph, Node, Op};

/// Makes constants of Shape and Size of what has a fixed shape.
pub fn constants(graph: &mut Graph, node: &Node) {
    let (Op::Plain(operator), Some(output)) = (&node.op, node.output(0)) else {
        return;
    };
    if !matches!(operator.schema.name, "Shape" | "Size") || !operator.schema.domain.is_empty() {
        return;
    }
    let Some(extents) = node.input(0).and_then(|id| graph.shape_of(id)) else {
        return;
    };
    let extents: Vec<i64> = extents
        .into_iter()
        .map(|extent| i64::try_from(extent).unwrap_or(i64::MAX))
        .collect();
    let tensor = if operator.schema.name == "Size" {
        Tensor::scalar(
            extents
                .iter()
                .fold(1_i64, |all, &extent| all.saturating_mul(extent)),
        )
    } else {
        let rank = extents.len() as i64;
        let bound = |name: &str, default: i64| {
            let at = operator
                .attributes
                .find_int(name)
                .ok()
                .flatten()
                .unwrap_or(default);
            (if at < 0 { at.saturating_add(rank) } else { at }).clamp(0, rank) as usize
        };
        let (start, end) = (bound("start", 0), bound("end", rank));
        Tensor::vector(extents.get(start..end).unwrap_or_default().to_vec())
    };
    graph.set_constant(output, Value::Tensor(tensor));
}
