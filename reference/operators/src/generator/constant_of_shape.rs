//! ConstantOfShape — a tensor of the given shape, with every element equal to `value`; float 0 without
//! `value`.

use onnx_tensor::Tensor;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op(
    "ConstantOfShape",
    &[
        v(9, First, fill),
        v(20, TypesOnly, fill),
        v(21, TypesOnly, fill),
        v(23, TypesOnly, fill),
        v(24, TypesOnly, fill),
        v(25, TypesOnly, fill),
    ],
);

fn fill(call: &Call<'_>) -> Result<Outputs, OpError> {
    let shape = layout::extents(&call.integers(0)?)?;
    let value = call
        .optional_tensor_attribute("value")?
        .cloned()
        .unwrap_or_else(|| Tensor::scalar(0_f32));
    call.reserve(&shape, call.output_dtype(0, value.dtype())?)?;
    one(layout::filled(&shape, &value)?)
}
