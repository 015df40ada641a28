//! Loop — a body, again and again, up to a trip count or while a condition holds.
//!
//! Versions: 11 words what carries over more clearly and needs no loop-carried value, 13 carries sequences, 16 optionals,
//! later ones widen the types; how the loop runs is the same in all.
//!
//! Readings. Without `cond` the condition that the body gives is ignored (the table of operating modes says so), though
//! the body still gets its last value; before the first iteration that is true. A trip count below 0 means no iteration. A
//! scan output of a loop without iterations has extent 0 along its first axis, and type and other extents as the body
//! declares them (a named extent as the declared inputs of the body bind it); where they are not declared the
//! extents are 0, or without a rank there is no other axis (deviation `loop-without-shape`); without a type there is no result. A body without end stops at the budget of steps.

use onnx_tensor::{Tensor, Value};

use super::body;
use super::dimensions::{self, Dimensions};
use super::scan_output::{Order, ScanOutput};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "Loop",
    &[
        v(1, First, iterate),
        v(11, Semantics, iterate),
        v(13, TypesOnly, iterate),
        v(16, TypesOnly, iterate),
        v(19, TypesOnly, iterate),
        v(21, TypesOnly, iterate),
        v(23, TypesOnly, iterate),
        v(24, TypesOnly, iterate),
        v(25, TypesOnly, iterate),
    ],
);

fn iterate(call: &Call<'_>) -> Result<Outputs, OpError> {
    let graph = call.graph("body")?;
    let trips = call.optional(0).map(|_| call.scalar::<i64>(0)).transpose()?;
    let given = call.optional(1).map(body::condition).transpose()?;
    let mut carried = (2..call.input_count())
        .map(|index| call.value(index).cloned())
        .collect::<Result<Vec<_>, _>>()?;
    body::check_inputs(graph, 2 + carried.len())?;
    let mut scanned = ScanOutput::several(body::outputs_beyond(graph, 1 + carried.len())?);

    let inputs = |iteration: i64, condition: bool, carried: &[Value]| {
        let mut inputs = vec![Tensor::scalar(iteration).into(), Tensor::scalar(condition).into()];
        inputs.extend_from_slice(carried);
        inputs
    };
    let mut condition = given.unwrap_or(true);
    let shapes: Vec<_> = inputs(0, condition, &carried)
        .iter()
        .map(dimensions::shape)
        .collect();
    let dimensions = Dimensions::bound(graph, &shapes);
    let mut iteration = 0_i64;
    while trips.is_none_or(|trips| iteration < trips) && (given.is_none() || condition) {
        call.step()?;
        let mut outputs = body::run(call, graph, inputs(iteration, condition, &carried))?.into_iter();
        if let Some(value) = outputs.next() {
            condition = body::condition(&value)?;
        }
        carried = outputs.by_ref().take(carried.len()).collect();
        for (output, value) in scanned.iter_mut().zip(outputs) {
            output.push(call, value)?;
        }
        iteration += 1;
    }

    let first = 1 + carried.len();
    for (offset, output) in scanned.into_iter().enumerate() {
        let stacked = output.finish(call, graph, first + offset, &dimensions, Order::APPENDED)?;
        carried.push(stacked.into());
    }
    body::outputs(call, carried)
}
