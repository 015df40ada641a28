//! Scan.

use onnx_tensor::{Tensor, Value};

use super::branch::BodyError;
use super::repeat::{Body, bound, declared, shape_of};
use super::stack::Stack;
use crate::error::{Problem, invalid};
use crate::ops::Call;
use crate::ops::call::{axis, extent};
use crate::ops::movement::{Run, assemble, reshape, split_at};
use crate::ops::transpose;

/// Returns an optional list attribute with one entry for each of `count` scanned values.
pub(super) fn listed(call: &Call, name: &str, count: usize) -> Result<Vec<i64>, Problem> {
    match call.attributes.ints(name)? {
        None => Ok(vec![0; count]),
        Some(values) if values.len() == count => Ok(values.to_vec()),
        Some(values) => invalid(format!(
            "expected {count} entries in {name}, got {}",
            values.len()
        )),
    }
}

/// Returns whether each of `count` values is read or stacked from its end: 1, not 0.
pub(super) fn directions(call: &Call, name: &str, count: usize) -> Result<Vec<bool>, Problem> {
    let reversed = |direction: i64| match direction {
        0 => Ok(false),
        1 => Ok(true),
        other => invalid(format!("{name} has the entry {other}; it must be 0 or 1")),
    };
    listed(call, name, count)?.into_iter().map(reversed).collect()
}

/// Returns the element at a position along an axis, without that axis.
pub(super) fn slice(tensor: &Tensor, at: usize, along: usize) -> Result<Tensor, Problem> {
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

/// A scanned input: the body gets its slices along an axis, the last one first if it is `reversed`.
pub(super) struct Scanned {
    pub tensor: Tensor,
    pub axis: usize,
    pub reversed: bool,
}

/// Runs the body for each slice, collects its scan outputs, and returns the last states.
pub(super) fn iterate(
    body: &mut Body,
    mut state: Vec<Option<Value>>,
    scanned: &[Scanned],
    rounds: usize,
    collected: &mut [Stack],
) -> Result<Vec<Value>, BodyError> {
    let states = state.len();
    for round in 0..rounds {
        let mut inputs = std::mem::take(&mut state);
        body.program.charge(&inputs)?;
        for Scanned {
            tensor,
            axis,
            reversed,
        } in scanned
        {
            let along = if *reversed { rounds - 1 - round } else { round };
            inputs.push(Some(Value::Tensor(slice(tensor, *axis, along)?)));
        }
        inputs.extend(body.captured.iter().map(|input| input.cloned()));
        let mut results = body.program.run(inputs)?.into_iter();
        state = results.by_ref().take(states).map(Some).collect();
        for (stack, result) in collected.iter_mut().zip(results) {
            stack.push(result)?;
        }
    }
    Ok(state.into_iter().flatten().collect())
}

/// Returns the numbers of scanned inputs, of states, and of scan outputs, if a node has this number of inputs
/// besides the lengths.
pub(super) fn counts(call: &Call, body: &Body, inputs: usize) -> Result<[usize; 3], Problem> {
    let scanned = extent(call.attributes.int("num_scan_inputs")?)?;
    if scanned == 0 {
        return invalid("num_scan_inputs is 0; there must be an input to scan");
    }
    let Some(states) = inputs.checked_sub(scanned) else {
        return invalid("the node has fewer inputs than num_scan_inputs");
    };
    match body.graph.outputs.len().checked_sub(states) {
        Some(outputs) => Ok([scanned, states, outputs]),
        None => invalid("the body has fewer outputs than states"),
    }
}

/// Returns the common extent of the scanned inputs.
pub(super) fn rounds(scanned: &[Scanned]) -> Result<usize, Problem> {
    let extent = |input: &Scanned| input.tensor.shape().get(input.axis).copied();
    let first = scanned.first().map_or(Some(0), extent);
    match first {
        Some(rounds) if scanned.iter().all(|input| extent(input) == first) => Ok(rounds),
        _ => invalid("the scanned inputs differ in length"),
    }
}

/// Runs a Scan of since 9 or later. Inputs of the body: states and slices of the scanned inputs; outputs:
/// states and slices of the scan outputs.
pub fn run(call: &Call, mut body: Body) -> Result<Vec<Value>, BodyError> {
    let [scanned, states, outputs] = counts(call, &body, call.inputs.len())?;
    let axes = listed(call, "scan_input_axes", scanned)?;
    let reversed = directions(call, "scan_input_directions", scanned)?;
    let mut inputs = Vec::with_capacity(scanned);
    for (at, (place, reversed)) in axes.into_iter().zip(reversed).enumerate() {
        let tensor = call.tensor(states + at)?.clone();
        inputs.push(Scanned {
            axis: axis(place, tensor.rank())?,
            tensor,
            reversed,
        });
    }
    let state: Vec<Option<Value>> = call.inputs[..states].iter().map(|input| input.cloned()).collect();
    let out_axes = listed(call, "scan_output_axes", outputs)?;
    let stack = |reversed: bool| {
        if reversed {
            Stack::reversed()
        } else {
            Stack::default()
        }
    };
    let out_directions = directions(call, "scan_output_directions", outputs)?;
    let mut collected: Vec<Stack> = out_directions.into_iter().map(stack).collect();
    let slices = inputs.iter().map(|input| {
        let mut shape = input.tensor.shape().to_vec();
        shape.remove(input.axis);
        Some(shape)
    });
    let bound = bound(
        body.graph,
        state.iter().map(|value| shape_of(value.as_ref())).chain(slices),
    );
    let mut results = iterate(&mut body, state, &inputs, rounds(&inputs)?, &mut collected)?;
    for (number, stack) in collected.into_iter().enumerate() {
        let declared = declared(body.graph, &bound, states + number);
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
