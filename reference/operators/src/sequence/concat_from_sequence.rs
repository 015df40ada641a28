//! ConcatFromSequence — the tensors of a sequence one after another along an axis, or along a new axis (`new_axis`).
//!
//! Reading: an empty sequence has no concatenation, since neither rank nor extents are known.

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
