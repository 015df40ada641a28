//! One node over whole values.

use onnx_tensor::Value;

use super::{branch, repeat, scan};
use crate::error::{NodeError, Problem};
use crate::ir::{Node, Op};
use crate::ops::{Call, Form};

/// The outputs of a node.
pub fn evaluate(node: &Node, inputs: &[Option<&Value>]) -> Result<Vec<Value>, NodeError> {
    let at_node = |problem: Problem| NodeError {
        node: node.name.clone(),
        operator: node.op.label(),
        problem,
    };
    let own = |operator: &'_ Operator, count: usize| Call {
        since: operator.schema.since,
        attributes: &operator.attributes,
        inputs: &inputs[..count.min(inputs.len())],
        outputs: node.outputs.len(),
    };
    match &node.op {
        Op::Plain(operator) => match operator.row.form {
            Form::Plain(run) => run(&own(inputs.len())).map_err(at_node),
            _ => Err(at_node(Problem::Invalid("the body is missing".to_owned()))),
        },
        Op::If { branches, .. } => {
            let then = branch::condition(inputs).map_err(at_node)?;
            branch::run(&branches[usize::from(!then)], &inputs[1..])
        }
        Op::Repeat { own_inputs, body, .. } => {
            let call = own(*own_inputs);
            let captured = inputs.get(*own_inputs..).unwrap_or_default();
            match operator.schema.name {
                "Loop" => repeat::run_loop(&call, body, captured).map_err(|error| error.at(at_node)),
                "Scan" => scan::run(&call, body, captured).map_err(|error| error.at(at_node)),
                _ => repeat::run_map(&call, body, captured).map_err(|error| error.at(at_node)),
            }
        }
    }
}
