//! Types of the inputs and outputs of bodies.

use onnx_model::{AttributeValue, Graph};
use onnx_tensor::{DType, ValueType};

use super::call::Call;
use super::scope::Scope;
use super::{Frame, Kind, Typing};
use crate::problem::Problem;

impl<'m> Typing<'m, '_> {
    /// The output types of If, Loop, Scan and SequenceMap; `None` for every other operator.
    pub(super) fn bodies(
        &mut self,
        call: &Call<'_, 'm>,
        frame: Frame<'_, 'm>,
        scope: &Scope<'m, '_>,
        problems: &mut Vec<Problem>,
    ) -> Option<Vec<Kind>> {
        if !call.schema.domain.is_empty() {
            return None;
        }
        let mut run = |name: &str, given: &[Kind]| match graph(call, name) {
            Some(graph) => self.body(call.node, name, graph, frame, scope, given),
            None => Vec::new(),
        };
        Some(match call.schema.name {
            "If" => {
                let (then, other) = (run("then_branch", &[]), run("else_branch", &[]));
                branches(then, other, problems)
            }
            "Loop" => {
                let carried = call.inputs.get(2..).unwrap_or_default();
                let counters = [DType::Int64, DType::Bool].map(|dtype| Some(ValueType::tensor(dtype)));
                let given = [&counters, carried].concat();
                let mut outputs = run("body", &given);
                states(&outputs, &given[1..], problems);
                // The first is the condition, which is not an output of the node.
                outputs.drain(..outputs.len().min(1));
                outputs
            }
            "Scan" => {
                // The first input of Scan-8 holds the lengths of the sequences.
                let first = usize::from(call.schema.since == 8);
                let given = call.inputs.get(first..).unwrap_or_default();
                let outputs = run("body", given);
                let scanned = match call.attributes.value("num_scan_inputs") {
                    Some(AttributeValue::Int(count)) => usize::try_from(*count).unwrap_or(usize::MAX),
                    _ => usize::MAX,
                };
                let count = given.len().saturating_sub(scanned);
                states(&outputs, &given[..count], problems);
                outputs
            }
            "SequenceMap" => {
                let elements: Vec<Kind> = call.inputs.iter().map(element).collect();
                let sequence = |kind: Kind| kind.map(|kind| ValueType::Sequence(Box::new(kind)));
                run("body", &elements).into_iter().map(sequence).collect()
            }
            _ => return None,
        })
    }
}

/// The graph in an attribute, which may come from the call of the enclosing function.
fn graph<'m>(call: &Call<'_, 'm>, name: &str) -> Option<&'m Graph> {
    match call.attributes.value(name) {
        Some(AttributeValue::Graph(graph)) => Some(graph),
        _ => None,
    }
}

/// The type that a SequenceMap passes to its body: the element of a sequence, a tensor unchanged.
fn element(kind: &Kind) -> Kind {
    match kind {
        Some(ValueType::Sequence(element)) => Some((**element).clone()),
        other => other.clone(),
    }
}

/// The first outputs of a body are the states that its next iteration reads. An optional may hold a value of
/// its element type.
fn states(outputs: &[Kind], read: &[Kind], problems: &mut Vec<Problem>) {
    // Another rule counts them.
    if outputs.len() < read.len() {
        return;
    }
    for (output, pair) in outputs.iter().zip(read).enumerate() {
        let (Some(found), Some(expected)) = pair else {
            continue;
        };
        let is_optional = |kind: &ValueType| matches!(kind, ValueType::Optional(_));
        if found != expected && !is_optional(found) && !is_optional(expected) {
            problems.push(Problem::StateType {
                output,
                found: found.to_string(),
                expected: expected.to_string(),
            });
        }
    }
}

/// Both branches must return values of the same type; if one is unknown, the other is used.
fn branches(then: Vec<Kind>, other: Vec<Kind>, problems: &mut Vec<Problem>) -> Vec<Kind> {
    let mut outputs = Vec::with_capacity(then.len());
    for (index, pair) in then.into_iter().zip(other).enumerate() {
        outputs.push(match pair {
            (Some(then), Some(other)) if then != other => {
                let (then, other) = (then.to_string(), other.to_string());
                problems.push(Problem::BranchType { index, then, other });
                None
            }
            (then, other) => then.or(other),
        });
    }
    outputs
}
