//! Values that follow from shapes only.

use onnx_tensor::{Tensor, Value};

use crate::ir::{Graph, Node, Op};

/// Makes the result of Shape and Size a constant if the shape of the operand is fixed.
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
        let axes = crate::ops::listed_axes(&operator.attributes, extents.len());
        Tensor::vector(extents.get(axes).unwrap_or_default().to_vec())
    };
    graph.set_constant(output, Value::Tensor(tensor));
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue;

    use super::super::{constants, dead, infer};
    use crate::fixture::{Fixture, device, node};

    /// Checks that after folding the operator and its operand are gone and only the constant is left.
    #[track_caller]
    fn check(operator: &str, attributes: &[(&str, i64)], expected: &str) {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|&(name, value)| (name, AttributeValue::Int(value)))
            .collect();
        let nodes = vec![
            node("Exp", "x", "e", &[]),
            node(operator, "e", "s", &attributes),
            node("Identity", "s", "y", &[]),
        ];
        let text = Fixture::new(&[2, 3, 4], nodes)
            .text(&[
                |graph| infer::run(graph),
                |graph| constants::run(graph, &device(1)),
                dead::run,
            ])
            .expect("types fit");
        let found: Vec<_> = text.lines().skip(1).collect();
        assert_eq!(found, [format!("return const {expected}")], "{text}");
    }

    #[test]
    fn values_of_a_shape_are_constant_and_the_operand_is_dead() {
        check("Shape", &[], "int64[3] [2.0, 3.0, 4.0]");
        check("Shape", &[("start", -2)], "int64[2] [3.0, 4.0]");
        check("Shape", &[("start", 1), ("end", 2)], "int64[1] [3.0]");
        check("Shape", &[("start", 2), ("end", 1)], "int64[0] []");
        check("Size", &[], "int64[] [24.0]");
    }
}
