//! Infers the type of every value: element types by the schema of each operator, shapes by the rules of
//! `shapes`.
//!
//! This finds at load an operator over an element type that its version does not support.

use onnx_schema::{OperatorSchema, SchemaType, TypeRef};
use onnx_tensor::{DType, Dim, ValueType};

use super::{Report, compositions, shape_values, shapes};
use crate::error::{NodeError, Problem};
use crate::ir::{Fused, Graph, Node, Op, Operator, bounded};

/// Infers unknown types, node by node. The report says why extents stay unknown.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let nodes = std::mem::take(&mut graph.nodes);
    let inferred = nodes.iter().try_for_each(|one| node(graph, one));
    let unknown = nodes.iter().filter_map(|node| unknown(graph, node)).collect();
    graph.nodes = nodes;
    inferred.map(|()| unknown)
}

/// Returns why the extents of the first output of a node are unknown, if its operator says so.
fn unknown(graph: &Graph, node: &Node) -> Option<String> {
    let reason = node.op.operator()?.row.shapes.reason()?;
    let open = graph.shape_of(node.output(0)?).is_none();
    open.then(|| {
        format!(
            "the shape of `{}` ({}) is unknown: {reason}",
            node.name,
            node.op.label()
        )
    })
}

/// Infers the outputs of one node.
pub fn node(graph: &mut Graph, node: &Node) -> Result<(), NodeError> {
    let at_node = |problem: Problem| NodeError {
        node: node.name.clone(),
        operator: node.op.label(),
        problem,
    };
    check_types(graph, node).map_err(at_node)?;
    if let Op::If { branches, .. } = &node.op {
        for (output, known) in node
            .outputs
            .iter()
            .zip(shapes::of_branches(graph, node, branches))
        {
            if let (Some(id), Some(known)) = (output, known) {
                graph.values[id.index()].known = Some(bounded(known));
            }
        }
        return Ok(());
    }
    if let Some(types) = compositions::types(graph, node) {
        for (output, known) in node.outputs.iter().zip(types) {
            if let (Some(id), Some(known)) = (output, known) {
                graph.values[id.index()].known = Some(bounded(known));
            }
        }
        return Ok(());
    }
    let shapes = shapes::of(graph, node);
    for (position, output) in node.outputs.iter().enumerate() {
        let Some(id) = *output else { continue };
        let by_shape = shapes.get(position).cloned().flatten();
        let Some(dtype) = output_dtype(graph, node, position) else {
            continue;
        };
        let value = &mut graph.values[id.index()];
        let inferred = bounded(ValueType::Tensor {
            dtype,
            shape: by_shape,
        });
        match &value.known {
            // The type of the file, or of an earlier inference, is kept where it says more.
            Some(known) if says_more(known, &inferred) => {}
            Some(ValueType::Tensor { .. }) | None => value.known = Some(inferred),
            Some(_) => {}
        }
    }
    shape_values::constants(graph, node);
    Ok(())
}

/// Whether a known type has the extents of the inferred one, and also those that the inferred one lacks.
fn says_more(known: &ValueType, inferred: &ValueType) -> bool {
    if crate::ir::dtype(Some(known)) != crate::ir::dtype(Some(inferred)) {
        return false;
    }
    let Some(dims) = crate::ir::shape(Some(inferred)) else {
        return true;
    };
    let known = crate::ir::fixed_shape(Some(known)).filter(|known| known.len() == dims.len());
    known.is_some_and(|known| {
        let agrees = |(dim, extent): (&Dim, usize)| match dim {
            Dim::Fixed(other) => *other == extent,
            Dim::Named(_) | Dim::Unknown => true,
        };
        dims.iter().zip(known).all(agrees)
    })
}

/// Checks that every input has a type of its schema, and that inputs of one type parameter have the same
/// type.
pub fn check_types(graph: &Graph, node: &Node) -> Result<(), Problem> {
    let Op::Plain(Operator { schema, .. }) = &node.op else {
        return Ok(());
    };
    let mut bound: Vec<(&str, DType)> = Vec::new();
    for (position, input) in node.inputs.iter().enumerate() {
        // For values that are not tensors the declared type may differ: a sequence may be given for a
        // declared optional.
        let known = input.and_then(|id| graph.known(id));
        let Some(known) = known.filter(|known| matches!(known, ValueType::Tensor { .. })) else {
            continue;
        };
        let Some(formal) = schema.input(position) else {
            break;
        };
        let types = schema.types(formal);
        if !types.is_empty() && !types.iter().any(|one| one.matches(known)) {
            return Err(Problem::Invalid(format!(
                "input {position} is {known}, which this version does not support"
            )));
        }
        let (TypeRef::Constraint(name), true, Some(dtype)) =
            (formal.type_ref, formal.homogeneous, crate::ir::dtype(Some(known)))
        else {
            continue;
        };
        match bound.iter().find(|(other, _)| *other == name) {
            Some((_, first)) if *first != dtype => {
                return Err(Problem::Invalid(format!(
                    "input {position} is {known}, but an input before it gives type parameter {name} the type {first}"
                )));
            }
            Some(_) => {}
            None => bound.push((name, dtype)),
        }
    }
    Ok(())
}

/// Returns the element type of an output, if it is a tensor whose type follows from the inputs or the
/// attributes.
fn output_dtype(graph: &Graph, node: &Node, position: usize) -> Option<DType> {
    let operator = match &node.op {
        Op::Plain(operator) => operator,
        Op::Fused(Fused::Reorder) => return crate::ir::dtype(graph.known(node.input(0)?)),
        // The zero point of the result has its type.
        Op::Fused(Fused::Bytes(_)) => return crate::ir::dtype(graph.known(node.inputs.last().copied()??)),
        Op::Fused(_) => return Some(DType::Float),
        _ => return None,
    };
    if position == 0
        && let Some(dtype) = shapes::dtype_of_first(graph, node, operator)
    {
        return Some(dtype);
    }
    let of_input = |position: usize| crate::ir::dtype(graph.known(node.input(position)?));
    by_constraint(operator.schema, position, of_input)
}

/// Uses the type variable that the output shares with an input, or its only possible type.
fn by_constraint(
    schema: &OperatorSchema,
    position: usize,
    of_input: impl Fn(usize) -> Option<DType>,
) -> Option<DType> {
    let formal = schema.output(position)?;
    if let TypeRef::Constraint(name) = formal.type_ref {
        let shares = |at: &usize| schema.inputs[*at].type_ref == TypeRef::Constraint(name);
        let found = (0..schema.inputs.len()).filter(shares).find_map(&of_input);
        if found.is_some() {
            return found;
        }
    }
    match schema.types(formal) {
        [SchemaType::Tensor(dtype)] => Some(*dtype),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue;
    use onnx_tensor::{Tensor, Value};

    use super::run;
    use crate::fixture::{Fixture, node};

    /// Checks the known type of each inner value, one line for each node.
    #[track_caller]
    fn check(fixture: &Fixture, expected: &[&str]) {
        let text = fixture.text(&[|graph| run(graph)]).expect("types fit");
        let nodes = text.lines().filter(|line| line.contains(" = "));
        let found: Vec<_> = nodes
            .map(|line| line.split(" = ").next().and_then(|left| left.split_once(' ')))
            .map(|defined| defined.map_or("", |(_, named)| named))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn types_and_shapes_are_inferred_along_nodes() {
        let nodes = vec![
            node("MatMul", "x w", "product", &[]),
            node("Cast", "product", "whole", &[("to", AttributeValue::Int(7))]),
            node("Greater", "product product", "truth", &[]),
            node(
                "ReduceSum",
                "product",
                "sum",
                &[("keepdims", AttributeValue::Int(0))],
            ),
            node("Unsqueeze", "sum axis", "y", &[]),
        ];
        let fixture = Fixture::new(&[2, 3, 4], nodes)
            .varied("w", &[4, 5])
            .constant("axis", onnx_tensor::Tensor::vector(vec![0_i64]));
        check(
            &fixture,
            &[
                "product: float[2, 3, 5]",
                "whole: int64[2, 3, 5]",
                "truth: bool[2, 3, 5]",
                "sum: float[]",
                "y: float[1]",
            ],
        );
    }

    #[test]
    fn an_extent_that_depends_on_values_is_unknown() {
        let nodes = vec![
            node("NonZero", "x", "places", &[]),
            node("Transpose", "places", "y", &[]),
        ];
        check(
            &Fixture::new(&[2, 3], nodes),
            &["places: int64[2, ?]", "y: int64[?, 2]"],
        );
    }

    #[test]
    fn two_types_for_one_type_parameter_are_found_at_load() {
        let fixture = Fixture::new(&[2], vec![node("Add", "x k", "y", &[])])
            .initializer("k", Value::Tensor(Tensor::vector(vec![1_i64, 2])));
        let error = fixture
            .text(&[|graph| run(graph)])
            .expect_err("Add takes one type");
        let expected =
            "input 1 is tensor(int64), but an input before it gives type parameter T the type float";
        assert!(error.to_string().contains(expected), "{error}");
    }

    #[test]
    fn a_type_that_the_version_does_not_take_is_found_at_load() {
        let fixture = Fixture::new(&[2], vec![node("Not", "x", "y", &[])]);
        let error = fixture
            .text(&[|graph| run(graph)])
            .expect_err("Not does not support floats");
        assert_eq!(
            error.to_string(),
            "node `y` (Not-1): input 0 is tensor(float), which this version does not support"
        );
    }
}
