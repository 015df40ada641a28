//! Operators and types that tract does not have are found in the model.

use std::sync::Arc;

use backend_api::BackendError;
use onnx_model::{AttributeValue, Graph, Node};
use onnx_tensor::DType;

use crate::models::{file, graph, info, load, node, tract, with};

/// Checks the result with known and with unknown extents at load, which must be the same.
fn check(inputs: &[(&str, DType)], nodes: &[Node], operator: Option<&str>) {
    for extent in [2, -1] {
        let inputs: Vec<_> = inputs
            .iter()
            .map(|(name, dtype)| info(name, *dtype, &[extent]))
            .collect();
        let model = file(graph(&inputs, &[info("y", DType::Float, &[extent])], nodes));
        match load(&mut tract([("constants", "none")]), model, &[]).err() {
            Some(BackendError::Unsupported {
                operator: found,
                message,
            }) => {
                assert_eq!(found.as_deref(), operator, "{message}");
            }
            other => panic!("{nodes:?} is not unsupported: {other:?}"),
        }
    }
}

#[test]
fn the_error_names_a_missing_operator() {
    let unique = || node("Unique", &["x"], &["y", "indices"]);
    let foreign = Node {
        domain: "my.domain".to_owned(),
        ..node("Frobnicate", &["x"], &["y"])
    };
    check(&[("x", DType::Float)], &[unique()], Some("Unique"));
    check(&[("x", DType::Float)], &[foreign], Some("my.domain.Frobnicate"));
}

#[test]
fn the_error_names_a_missing_operator_in_a_body() {
    let body = |operator: &str| {
        let output = info("out", DType::Float, &[-1]);
        AttributeValue::Graph(Arc::new(Graph {
            name: operator.to_owned(),
            ..graph(&[], &[output], &[node(operator, &["x"], &["out"])])
        }))
    };
    let branch = with(node("If", &["c"], &["y"]), "then_branch", body("Neg"));
    let branch = with(branch, "else_branch", body("Unique"));
    check(
        &[("x", DType::Float), ("c", DType::Bool)],
        &[branch],
        Some("Unique"),
    );
}

#[test]
fn an_element_type_in_an_attribute_is_checked() {
    let cast = |name: &str, from, to| {
        let to = AttributeValue::Int(DType::to_onnx(to).into());
        with(node("Cast", &[from], &[name]), "to", to)
    };
    let there = cast("narrow", "x", DType::Bfloat16);
    check(
        &[("x", DType::Float)],
        &[there, cast("y", "narrow", DType::Float)],
        None,
    );
}
