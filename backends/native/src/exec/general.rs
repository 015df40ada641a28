//! Runs one node over whole values.

use std::sync::Arc;

use onnx_tensor::Value;

use super::deferred::Deferred;
use super::{Program, branch, repeat, scan, scan_batch};
use crate::error::{NodeError, Problem};
use crate::ir::{Graph, Node, Op, Operator};
use crate::kernels::Device;
use crate::ops::{Call, Form, Repetition};

/// Runs a node once, for constant folding: by its kernel, if it has one and no body.
pub fn fold(node: &Node, inputs: &[Option<&Value>], device: &Device) -> Result<Vec<Value>, NodeError> {
    let Op::Plain(_) = &node.op else {
        return evaluate(node, inputs);
    };
    let inputs: Vec<Option<Value>> = inputs.iter().map(|input| input.cloned()).collect();
    // Packed weights of a constant would stay in memory, so no input counts as one.
    let mut alone = Deferred::new(vec![false; inputs.len()]);
    alone.run(node, &inputs, device).map_err(|problem| NodeError {
        node: node.name.clone(),
        operator: node.op.label(),
        problem,
    })
}

/// Runs a node once over whole values; compiles its bodies for this run.
pub fn evaluate(node: &Node, inputs: &[Option<&Value>]) -> Result<Vec<Value>, NodeError> {
    let programs = |bodies: &[Arc<Graph>]| {
        let device = Arc::new(Device::folding(fold));
        let program = |body: &Arc<Graph>| Program::of_body(Arc::clone(body), Arc::clone(&device));
        bodies.iter().map(program).collect::<Result<Vec<_>, _>>()
    };
    let mut bodies = match &node.op {
        Op::If { branches, .. } => programs(branches)?,
        Op::Repeat { body, .. } => programs(std::slice::from_ref(body))?,
        Op::Plain(_) | Op::Fused(_) => Vec::new(),
    };
    evaluate_with(node, inputs, &mut bodies)
}

/// Runs a node.
pub fn evaluate_with(
    node: &Node,
    inputs: &[Option<&Value>],
    bodies: &mut [Program],
) -> Result<Vec<Value>, NodeError> {
    let at_node = |problem: Problem| NodeError {
        node: node.name.clone(),
        operator: node.op.label(),
        problem,
    };
    match (&node.op, bodies) {
        (Op::Plain(operator), _) => operator.row.run(&call(node, operator, inputs)).map_err(at_node),
        (Op::If { .. }, [then, otherwise]) => {
            let chosen = branch::condition(inputs).map_err(at_node)?;
            let captured = inputs[1..].iter().map(|input| input.cloned()).collect();
            if chosen {
                then.run(captured)
            } else {
                otherwise.run(captured)
            }
        }
        (
            Op::Repeat {
                operator,
                own_inputs,
                body,
            },
            [program],
        ) => {
            let (own, captured) = inputs.split_at((*own_inputs).min(inputs.len()));
            let body = repeat::Body {
                graph: body,
                program,
                captured,
            };
            let call = call(node, operator, own);
            let outcome = match operator.row.form {
                Form::Repeat(Repetition::While) => repeat::run_loop(&call, body),
                Form::Repeat(Repetition::Axis) => scan::run(&call, body),
                Form::Repeat(Repetition::Batch) => scan_batch::run(&call, body),
                Form::Repeat(Repetition::Sequence) => repeat::run_map(&call, body),
                Form::Plain(_) | Form::Function(_) | Form::Composed(_) | Form::Branch => {
                    operator.row.run(&call).map_err(branch::BodyError::Own)
                }
            };
            outcome.map_err(|error| error.at(at_node))
        }
        _ => Err(at_node(Problem::Unsupported(
            "it is not implemented over whole values".to_owned(),
        ))),
    }
}

fn call<'a>(node: &Node, operator: &'a Operator, inputs: &'a [Option<&'a Value>]) -> Call<'a> {
    Call {
        since: operator.schema.since,
        attributes: &operator.attributes,
        inputs,
        outputs: node.outputs.len(),
    }
}
