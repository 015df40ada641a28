//! SequenceAt — the element at a position; a negative position counts from the back.

use super::position::position;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("SequenceAt", &[v(11, First, at)]);

fn at(call: &Call<'_>) -> Result<Outputs, OpError> {
    let sequence = call.sequence(0)?;
    one(sequence.values[position(call, 1, sequence, false)?].clone())
}
