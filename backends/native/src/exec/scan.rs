//! Scan.

use std::collections::HashMap;

use onnx_tensor::{Tensor, Value};

use super::branch::BodyError;
use super::repeat::{Body, declared};
use super::stack::Stack;
use crate::error::{Problem, invalid};
use crate::ops::Call;
use crate::ops::call::{axis, extent};
use crate::ops::movement::{Run, assemble, reshape, split_at};
use crate::ops::transpose;

/// Returns an optional list attribute with one entry for each of `count` scanned values.
fn listed(call: &Call, name: &str, count: usize) -> Result<Vec<i64>, Problem> {
    match call.attributes.ints(name)? {
        None => Ok(vec![0; count]),
        Some(values) if values.len() == count => Ok(values.to_vec()),
        Some(values) => invalid(format!(
            "expected {count} entries in {name}, got {}",
            values.len()
        )),
    }
}

/// Returns the element at a position along an axis, without that axis.
fn slice(tensor: &Tensor, at: usize, along: usize) -> Result<Tensor, Problem> {
    let (outer, length, inner) = split_at(tensor.shape(), at);
    let mut shape = tensor.shape().to_vec();
    shape.remove(at);
    let runs = (0..outer).map(|row| Run {
        source: 0,
        start: (row * length + along) * inner,
        length: inner,
    });
    assemble(&[tensor], &shape, runs)
}

/// Runs a Scan of since 9 or later. Inputs of the body: states and slices of the scanned inputs; outputs:
/// states and slices of the scan outputs.
pub fn run(call: &Call, body: Body) -> Result<Vec<Value>, BodyError> {
    let Body {
        graph: body,
        program,
        captured,
    } = body;
    let scanned = extent(call.attributes.int("num_scan_inputs")?)?;
    let Some(states) = call.inputs.len().checked_sub(scanned) else {
        return Err(Problem::Invalid("the node has fewer inputs than num_scan_inputs".to_owned()).into());
    };
    let Some(outputs) = body.outputs.len().checked_sub(states) else {
        return Err(Problem::Invalid("the body has fewer outputs than states".to_owned()).into());
    };
    let sources = (states..call.inputs.len())
        .map(|at| call.tensor(at))
        .collect::<Result<Vec<_>, _>>()?;
    let axes = listed(call, "scan_input_axes", scanned)?;
    let axes = axes
        .iter()
        .zip(&sources)
        .map(|(&at, tensor)| axis(at, tensor.rank()));
    let axes = axes.collect::<Result<Vec<_>, _>>()?;
    let directions = listed(call, "scan_input_directions", scanned)?;
    let rounds = sources
        .first()
        .zip(axes.first())
        .map_or(0, |(tensor, &at)| tensor.shape()[at]);
    if sources
        .iter()
        .zip(&axes)
        .any(|(tensor, &at)| tensor.shape()[at] != rounds)
    {
        return Err(Problem::Invalid("the scanned inputs differ in length".to_owned()).into());
    }
    let mut state: Vec<Option<Value>> = call.inputs[..states].iter().map(|input| input.cloned()).collect();
    let out_axes = listed(call, "scan_output_axes", outputs)?;
    let out_directions = listed(call, "scan_output_directions", outputs)?;
    let stack = |&direction: &i64| match direction {
        0 => Stack::default(),
        _ => Stack::reversed(),
    };
    let mut collected: Vec<Stack> = out_directions.iter().map(stack).collect();
    for round in 0..rounds {
        let mut inputs = std::mem::take(&mut state);
        program.charge(&inputs)?;
        for ((tensor, &at), &direction) in sources.iter().zip(&axes).zip(&directions) {
            let along = if direction == 0 { round } else { rounds - 1 - round };
            inputs.push(Some(Value::Tensor(slice(tensor, at, along)?)));
        }
        inputs.extend(captured.iter().map(|input| input.cloned()));
        let mut results = program.run(inputs)?.into_iter();
        state = results.by_ref().take(states).map(Some).collect();
        for (stack, result) in collected.iter_mut().zip(results) {
            stack.push(result)?;
        }
    }
    let mut results: Vec<Value> = state.into_iter().flatten().collect();
    for (number, stack) in collected.into_iter().enumerate() {
        let declared = declared(body, &HashMap::new(), states + number);
        let stacked = stack.finish(declared.as_ref(), number)?;
        results.push(Value::Tensor(to_axis(&stacked, out_axes[number])?));
    }
    Ok(results)
}

/// Moves the first axis of a tensor.
fn to_axis(tensor: &Tensor, to: i64) -> Result<Tensor, Problem> {
    let to = axis(to, tensor.rank())?;
    if to == 0 {
        return reshape(tensor, tensor.shape());
    }
    let mut order: Vec<usize> = (1..tensor.rank()).collect();
    order.insert(to, 0);
    transpose(tensor, &order)
}
