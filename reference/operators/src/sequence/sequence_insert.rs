//! SequenceInsert — inserts `tensor` before the element at `position`, by default after the last element. A
//! negative position counts from the back, so that −1 is before the last element.

use onnx_tensor::Value;

use super::position::position;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::types;

pub const OP: OpDef = op("SequenceInsert", &[v(11, First, insert)]);

fn insert(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (sequence, tensor) = (call.sequence(0)?, call.value(1)?);
    let found = types::element(tensor);
    if !sequence.element.same_kind(&found) {
        let element = &sequence.element;
        return Err(OpError::invalid(format!(
            "{found} cannot be inserted into a sequence of {element}"
        )));
    }
    let place = match call.optional(2) {
        Some(_) => position(call, 2, sequence, true)?,
        None => sequence.values.len(),
    };
    let mut longer = sequence.clone();
    longer.values.insert(place, tensor.clone());
    one(Value::Sequence(longer))
}
