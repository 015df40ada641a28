//! SequenceErase — the sequence without the element at `position`, by default the last.

use onnx_tensor::Value;

use super::position::position;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("SequenceErase", &[v(11, First, erase)]);

fn erase(call: &Call<'_>) -> Result<Outputs, OpError> {
    let sequence = call.sequence(0)?;
    let place = match call.optional(1) {
        Some(_) => position(call, 1, sequence, false)?,
        None => sequence
            .values
            .len()
            .checked_sub(1)
            .ok_or_else(|| OpError::invalid("there is nothing to erase in an empty sequence"))?,
    };
    let mut shorter = sequence.clone();
    shorter.values.remove(place);
    one(Value::Sequence(shorter))
}
