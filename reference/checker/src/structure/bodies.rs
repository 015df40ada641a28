//! Checks the number of inputs and outputs of the bodies of If, Loop, Scan and SequenceMap.

use onnx_model::{AttributeValue, Graph, Node};
use onnx_schema::OperatorSchema;

use crate::problem::Problem;

/// Reports bodies whose number of inputs or outputs differs from what the node passes. If the node itself
/// has too few inputs, another rule reports that.
pub(super) fn body_arity(schema: &OperatorSchema, node: &Node, ir_version: i64) -> Vec<Problem> {
    if !schema.domain.is_empty() {
        return Vec::new();
    }
    let (inputs, outputs) = (node.inputs.len(), node.outputs.len());
    let body = |name, takes: usize, gives: usize| hold(node, name, (takes, gives), ir_version);
    match schema.name {
        "If" => ["then_branch", "else_branch"]
            .into_iter()
            .flat_map(|name| body(name, 0, outputs))
            .collect(),
        // The iteration number and the condition are inputs; the condition is an output.
        "Loop" => body("body", inputs.max(2), outputs + 1),
        // Scan-8 has the sequence lengths as an input, which the body does not get.
        "Scan" => body(
            "body",
            inputs.saturating_sub(usize::from(schema.since == 8)),
            outputs,
        ),
        "SequenceMap" => body("body", inputs, outputs),
        _ => Vec::new(),
    }
}

fn hold(node: &Node, name: &str, (takes, gives): (usize, usize), ir_version: i64) -> Vec<Problem> {
    let Some(AttributeValue::Graph(graph)) = node.attribute(name) else {
        return Vec::new();
    };
    let counts = [
        ("inputs", actual_inputs(graph, ir_version), takes),
        ("outputs", graph.outputs.len(), gives),
    ];
    let wrong = counts
        .into_iter()
        .filter(|(_, found, expected)| found != expected);
    wrong
        .map(|(what, found, expected)| Problem::BodyArity {
            body: name.to_owned(),
            what,
            found,
            expected,
        })
        .collect()
}

/// The number of inputs that the operator passes: before IR version 4 the constants of a body are also
/// among its inputs.
fn actual_inputs(graph: &Graph, ir_version: i64) -> usize {
    match ir_version {
        ..4 => graph.required_inputs().count(),
        _ => graph.inputs.len(),
    }
}
