//! Scan — runs a body over the slices of tensors along an axis, with loop-carried states.
//!
//! Versions: 8 has a batch axis 0 and a sequence axis 1 in every input and output, with an optional length
//! for each sequence of the batch; 9 has no batch axis, but an axis and a direction for each scan input and
//! output; 11 allows negative axes; later versions widen the types.
//!
//! Interpretation: version 8 leaves the positions after the end of a shorter sequence unspecified: they are
//! zero here. It does not say where a shorter sequence starts in the reverse direction: here at its own
//! last position. Element type and shape of a scan output without iterations come from the declarations of
//! the body, as in Loop.

use onnx_model::Graph;
use onnx_tensor::{Tensor, Value};

use super::body;
use super::dimensions::{self, Dimensions};
use super::scan_output::{Order, ScanOutput};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::axes::{self, ReadAxis};
use crate::shared::{layout, stacking};

pub const OP: OpDef = op(
    "Scan",
    &[
        v(8, First, batched),
        v(9, Semantics, |call| unbatched(call, axes::older(call))),
        v(11, Semantics, |call| unbatched(call, axes::axis)),
        v(16, TypesOnly, |call| unbatched(call, axes::axis)),
        v(19, TypesOnly, |call| unbatched(call, axes::axis)),
        v(21, TypesOnly, |call| unbatched(call, axes::axis)),
        v(23, TypesOnly, |call| unbatched(call, axes::axis)),
        v(24, TypesOnly, |call| unbatched(call, axes::axis)),
        v(25, TypesOnly, |call| unbatched(call, axes::axis)),
    ],
);

/// A tensor whose slices along `axis` are passed to the body, in reverse order if `reversed`.
struct ScanInput {
    tensor: Tensor,
    axis: usize,
    reversed: bool,
}

impl ScanInput {
    /// The input of iteration `step` of `length`: a slice without the axis.
    fn slice(&self, step: usize, length: usize) -> Result<Tensor, OpError> {
        let position = if self.reversed { length - 1 - step } else { step };
        stacking::select(&self.tensor, self.axis, position)
    }
}

/// Runs the body `length` times, appends to `scanned`, and returns the final states.
fn iterate(
    call: &Call<'_>,
    graph: &Graph,
    mut states: Vec<Value>,
    inputs: &[ScanInput],
    length: usize,
    scanned: &mut [ScanOutput],
) -> Result<Vec<Value>, OpError> {
    for step in 0..length {
        call.step()?;
        let mut arguments = states.clone();
        for input in inputs {
            arguments.push(input.slice(step, length)?.into());
        }
        let mut outputs = body::run(call, graph, arguments)?.into_iter();
        let next: Vec<Value> = outputs.by_ref().take(states.len()).collect();
        if step > 0 {
            check_states(&states, &next)?;
        }
        states = next;
        for (output, value) in scanned.iter_mut().zip(outputs) {
            output.push(call, value)?;
        }
    }
    Ok(states)
}

/// Checks that all iterations return states of the same type and shape.
fn check_states(before: &[Value], after: &[Value]) -> Result<(), OpError> {
    match before
        .iter()
        .zip(after)
        .position(|(a, b)| a.value_type() != b.value_type())
    {
        None => Ok(()),
        Some(index) => Err(OpError::invalid(format!(
            "state {index} changes its type or shape between iterations"
        ))),
    }
}

/// `num_scan_inputs`, and the number of states among `inputs`.
fn counts(call: &Call<'_>, inputs: usize) -> Result<(usize, usize), OpError> {
    let given = call.int("num_scan_inputs")?;
    usize::try_from(given)
        .ok()
        .filter(|&scanned| scanned > 0)
        .and_then(|scanned| Some((scanned, inputs.checked_sub(scanned)?)))
        .ok_or_else(|| {
            OpError::invalid(format!(
                "`num_scan_inputs` is {given}, but the node has {inputs} inputs"
            ))
        })
}

/// A list attribute with `count` entries; all `default` if the node does not set it.
fn entries(call: &Call<'_>, name: &str, count: usize) -> Result<Vec<i64>, OpError> {
    match call.optional_ints(name)? {
        None => Ok(vec![0; count]),
        Some(list) if list.len() == count => Ok(list),
        Some(list) => Err(OpError::invalid(format!(
            "`{name}` has {} entries, expected {count}",
            list.len()
        ))),
    }
}

/// Like [`entries`], for flags: 0 is forward or append, 1 is reverse or prepend.
fn directions(call: &Call<'_>, name: &str, count: usize) -> Result<Vec<bool>, OpError> {
    let flag = |entry: i64| match entry {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(OpError::invalid(format!(
            "`{name}` holds {entry}, which is neither 0 nor 1"
        ))),
    };
    entries(call, name, count)?.into_iter().map(flag).collect()
}

/// The common extent of all scan inputs along their axes.
fn common_length(inputs: &[ScanInput]) -> Result<usize, OpError> {
    let lengths = inputs
        .iter()
        .map(|input| layout::extent(&input.tensor, input.axis))
        .collect::<Result<Vec<_>, _>>()?;
    match lengths.as_slice() {
        [first, rest @ ..] if rest.iter().all(|length| length == first) => Ok(*first),
        _ => Err(OpError::invalid(format!(
            "the scan inputs have different lengths: {lengths:?}"
        ))),
    }
}

fn unbatched(call: &Call<'_>, read_axis: ReadAxis) -> Result<Outputs, OpError> {
    let graph = call.graph("body")?;
    let (scan_count, state_count) = counts(call, call.input_count())?;
    body::check_inputs(graph, state_count + scan_count)?;
    let output_count = body::outputs_beyond(graph, state_count)?;
    let input_axes = entries(call, "scan_input_axes", scan_count)?;
    let reversed = directions(call, "scan_input_directions", scan_count)?;
    let output_axes = entries(call, "scan_output_axes", output_count)?;
    let prepended = directions(call, "scan_output_directions", output_count)?;

    let states = (0..state_count)
        .map(|index| call.value(index).cloned())
        .collect::<Result<Vec<_>, _>>()?;
    let mut inputs = Vec::with_capacity(scan_count);
    for (offset, (axis, reversed)) in input_axes.into_iter().zip(reversed).enumerate() {
        let tensor = call.tensor(state_count + offset)?.clone();
        let axis = read_axis(axis, tensor.rank())?;
        inputs.push(ScanInput {
            tensor,
            axis,
            reversed,
        });
    }
    let length = common_length(&inputs)?;
    let dimensions = dimensions(graph, &states, &inputs);
    let mut scanned = ScanOutput::several(output_count);
    let mut values = iterate(call, graph, states, &inputs, length, &mut scanned)?;
    let orders = output_axes.into_iter().zip(prepended);
    for (offset, (output, (axis, reversed))) in scanned.into_iter().zip(orders).enumerate() {
        let order = Order {
            axis,
            read_axis,
            reversed,
        };
        values.push(
            output
                .finish(call, graph, state_count + offset, &dimensions, order)?
                .into(),
        );
    }
    body::outputs(call, values)
}

/// The symbolic dimensions of the body that states and slices bind.
fn dimensions(graph: &Graph, states: &[Value], inputs: &[ScanInput]) -> Dimensions {
    let slice = |input: &ScanInput| {
        let mut shape = input.tensor.shape().to_vec();
        shape.remove(input.axis);
        Some(shape)
    };
    let shapes: Vec<_> = states
        .iter()
        .map(dimensions::shape)
        .chain(inputs.iter().map(slice))
        .collect();
    Dimensions::bound(graph, &shapes)
}

fn batched(call: &Call<'_>) -> Result<Outputs, OpError> {
    let graph = call.graph("body")?;
    let (scan_count, state_count) = counts(call, call.input_count().saturating_sub(1))?;
    body::check_inputs(graph, state_count + scan_count)?;
    let output_count = body::outputs_beyond(graph, state_count)?;
    let reversed = directions(call, "directions", scan_count)?;
    let tensors = call.tensors_from(1)?;
    let batch = layout::extent(
        tensors
            .first()
            .ok_or_else(|| OpError::invalid("the node has no scan input"))?,
        0,
    )?;
    if let Some(other) = tensors
        .iter()
        .find(|tensor| tensor.shape().first() != Some(&batch))
    {
        let shape = other.shape();
        return Err(OpError::invalid(format!(
            "an input of shape {shape:?} does not have the batch size {batch}"
        )));
    }
    let (initial, sequences) = tensors.split_at(state_count);
    let maximum = common_length(&slices(sequences, &reversed, |tensor| Ok(tensor.clone()), 1)?)?;
    let lengths = lengths(call, batch, maximum)?;

    let mut scanned = ScanOutput::several(output_count);
    let mut last: Vec<ScanOutput> = ScanOutput::several(state_count);
    for (index, length) in lengths.into_iter().enumerate() {
        let states = initial
            .iter()
            .map(|state| Ok(stacking::select(state, 0, index)?.into()))
            .collect::<Result<Vec<Value>, OpError>>()?;
        let inputs = slices(
            sequences,
            &reversed,
            |tensor| stacking::select(tensor, 0, index),
            0,
        )?;
        let states = iterate(call, graph, states, &inputs, length, &mut scanned)?;
        for (output, state) in last.iter_mut().zip(states) {
            output.push(call, state)?;
        }
        scanned.iter_mut().for_each(|output| output.pad(maximum - length));
    }
    finish_batch(call, graph, last, scanned, (batch, maximum))
}

/// The scan inputs, with `part` applied to each tensor.
fn slices(
    tensors: &[&Tensor],
    reversed: &[bool],
    part: impl Fn(&Tensor) -> Result<Tensor, OpError>,
    axis: usize,
) -> Result<Vec<ScanInput>, OpError> {
    let input = |(tensor, &reversed): (&&Tensor, &bool)| {
        Ok(ScanInput {
            tensor: part(tensor)?,
            axis,
            reversed,
        })
    };
    tensors.iter().zip(reversed).map(input).collect()
}

/// The length of each sequence of the batch.
fn lengths(call: &Call<'_>, batch: usize, maximum: usize) -> Result<Vec<usize>, OpError> {
    let Some(given) = call.optional_integers(0)? else {
        return Ok(vec![maximum; batch]);
    };
    let lengths = layout::extents(&given)?;
    if lengths.len() != batch || lengths.iter().any(|&length| length > maximum) {
        return Err(OpError::invalid(format!(
            "`sequence_lens` is {given:?} for a batch of {batch} and sequences of {maximum}"
        )));
    }
    Ok(lengths)
}

/// States with the batch as first axis, and scan outputs with batch and sequence as first axes.
fn finish_batch(
    call: &Call<'_>,
    graph: &Graph,
    states: Vec<ScanOutput>,
    scanned: Vec<ScanOutput>,
    (batch, maximum): (usize, usize),
) -> Result<Outputs, OpError> {
    let (none, state_count) = (Dimensions::default(), states.len());
    let mut values = Vec::with_capacity(state_count + scanned.len());
    for (index, state) in states.into_iter().enumerate() {
        values.push(state.finish(call, graph, index, &none, Order::APPENDED)?.into());
    }
    for (offset, output) in scanned.into_iter().enumerate() {
        let flat = output.finish(call, graph, state_count + offset, &none, Order::APPENDED)?;
        let mut shape = vec![batch, maximum];
        shape.extend_from_slice(flat.shape().get(1..).unwrap_or_default());
        values.push(flat.reshape(&shape)?.into());
    }
    body::outputs(call, values)
}
