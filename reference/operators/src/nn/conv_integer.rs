//! ConvInteger — convolution of 8-bit integers minus their zero points, in int32; exact, wrapping in 32
//! bits.

use onnx_tensor::{DType, Tensor};

use super::integer_convolution::Operands;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("ConvInteger", &[v(10, First, conv_integer)]);

fn conv_integer(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = (call.tensor(0)?, call.optional_tensor(2)?);
    let w = (call.tensor(1)?, call.optional_tensor(3)?);
    let operands = Operands::new(call, x, w)?;
    call.reserve(&operands.convolution.shape(), DType::Int32)?;
    let start = vec![0; operands.convolution.maps];
    one(Tensor::from(operands.run(&start, |_, sum| sum)?))
}
