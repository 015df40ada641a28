//! SequenceEmpty — a sequence without elements, of element type `dtype`, by default float (from the text;
//! the schema has no default).

use onnx_tensor::{DType, Sequence, Value, ValueType};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::types;

pub const OP: OpDef = op("SequenceEmpty", &[v(11, First, empty)]);

fn empty(call: &Call<'_>) -> Result<Outputs, OpError> {
    let dtype = call.optional_dtype_attribute("dtype")?.unwrap_or(DType::Float);
    let sequence = Value::Sequence(Sequence {
        element: ValueType::tensor(dtype),
        values: Vec::new(),
    });
    types::check_output(call, 0, &sequence.value_type())?;
    one(sequence)
}
