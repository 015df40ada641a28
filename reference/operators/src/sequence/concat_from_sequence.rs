//! ConcatFromSequence — concatenates the tensors of a sequence along an axis, or stacks them along a new
//! axis (`new_axis`).
//!
//! Interpretation: the concatenation of an empty sequence is an error, because rank and extents are
//! unknown.

use onnx_tensor::Tensor;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout, stacking};

pub const OP: OpDef = op("ConcatFromSequence", &[v(11, First, concat)]);

fn concat(call: &Call<'_>) -> Result<Outputs, OpError> {
    let values = &call.sequence(0)?.values;
    let parts: Vec<&Tensor> = values.iter().filter_map(|value| value.as_tensor()).collect();
    let Some(first) = parts.first() else {
        return Err(OpError::undefined("the concatenation of an empty sequence"));
    };
    if call.flag("new_axis")? {
        let axis = axes::axis(call.int("axis")?, first.rank() + 1)?;
        return one(stacking::stack(call, &parts, axis)?);
    }
    let axis = axes::axis(call.int("axis")?, first.rank())?;
    one(layout::concat(call, &parts, axis)?)
}
