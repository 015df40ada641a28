//! Loop — runs a body repeatedly, up to a trip count or while a condition holds.
//!
//! Versions: 11 states loop-carried values more clearly and allows there to be none; 13 carries sequences,
//! 16 optionals; later versions widen the types. The loop runs the same way in all.
//!
//! Interpretation:
//! - Without `cond`, the condition that the body returns is ignored, as the table of operating modes says.
//!   The body still gets its last value, which is true before the first iteration.
//! - A negative trip count means no iteration.
//! - A scan output of a loop without iterations has extent 0 along its first axis. Its type and other
//!   extents come from the declaration of the body; the declared inputs of the body bind symbolic
//!   dimensions. Undeclared extents are 0, and without a declared rank the output has no other axis
//!   (deviation `loop-without-shape`). Without a declared type the result is undefined.
//! - A loop that does not end fails when the budget of steps is exhausted.

use onnx_tensor::{Tensor, Value};

use super::body;
use super::dimensions::{self, Dimensions};
use super::scan_output::{Order, ScanOutput};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, op, v};

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
    let is_ignored = given.is_none() && !call.takes(Reading::LoopConditionUsed);
    let mut condition = given.unwrap_or(true);
    let shapes: Vec<_> = inputs(0, condition, &carried)
        .iter()
        .map(dimensions::shape)
        .collect();
    let dimensions = Dimensions::bound(graph, &shapes);
    let mut iteration = 0_i64;
    while trips.is_none_or(|trips| iteration < trips) && (is_ignored || condition) {
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
