//! SequenceConstruct — a sequence of the inputs, in order.

use onnx_tensor::{Sequence, Value};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::types;

pub const OP: OpDef = op("SequenceConstruct", &[v(11, First, construct)]);

fn construct(call: &Call<'_>) -> Result<Outputs, OpError> {
    let values = (0..call.input_count())
        .map(|index| call.value(index).cloned())
        .collect::<Result<Vec<_>, _>>()?;
    let element = types::element(call.value(0)?);
    one(Value::Sequence(Sequence { element, values }))
}
