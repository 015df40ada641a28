//! MatMulInteger — the product of 8-bit matrices less their zero points, in int32; exact, wrapping in 32 bits.
//!
//! A zero point is one value, a vector over the rows of A (columns of B), or a tensor of the rank of the stack.

use onnx_tensor::{Array, DType, Tensor};

use super::matrices::multiply;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::broadcast;
use crate::shared::quantized::{Along, along, integers};

pub const OP: OpDef = op("MatMulInteger", &[v(10, First, mat_mul_integer)]);

fn mat_mul_integer(call: &Call<'_>) -> Result<Outputs, OpError> {
    let a = centred(call, 0, 2, Along::Rows)?;
    let b = centred(call, 1, 3, Along::Columns)?;
    one(Tensor::from(multiply::<i32>(call, &a, &b, DType::Int32)?))
}

/// Input `index` less the zero point that input `zero_point` gives, if any.
fn centred(call: &Call<'_>, index: usize, zero_point: usize, axis: Along) -> Result<Array<i32>, OpError> {
    let values = integers(call.tensor(index)?)?;
    let Some(zero_point) = call.optional_tensor(zero_point)? else {
        return Ok(values.into_shared());
    };
    let zero_point = along(integers(zero_point)?, values.shape(), axis)?;
    let zero_point = broadcast::view(&zero_point, values.shape())?;
    Ok((&values - &zero_point).into_shared())
}
