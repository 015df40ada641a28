//! QLinearConv — convolution of quantized tensors, quantized: saturate(round(x / y_scale) + y_zero_point).
//!
//! The sum is exact in int32 (wrapping there), the bias included, scaled by x_scale · w_scale / y_scale in
//! f64 and rounded to nearest, ties to even.

use ndarray::ArrayD;
use onnx_tensor::DType;

use super::integer_convolution::{Operands, for_each_map};
use super::kernels;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::quantized::{reals, requantize, scalar};

pub const OP: OpDef = op("QLinearConv", &[v(10, First, q_linear_conv)]);

fn q_linear_conv(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = (call.tensor(0)?, Some(call.tensor(2)?));
    let w = (call.tensor(3)?, Some(call.tensor(5)?));
    let operands = Operands::new(call, x, w)?;
    let maps = operands.convolution.maps;
    call.reserve(&operands.convolution.shape(), DType::Double)?;
    let real = |index| reals(call.tensor(index)?);
    let (x_scale, y_scale) = (scalar(&real(1)?, "x_scale")?, scalar(&real(6)?, "y_scale")?);
    let w_scale = for_each_map(real(4)?, maps, "w_scale")?;
    let start = kernels::bias::<i32>(call.optional_array(8)?, maps)?;
    let scaled: ArrayD<f64> = operands.run(&start, |map, sum| {
        f64::from(sum) * (x_scale * w_scale[map]) / y_scale
    })?;
    one(requantize(
        scaled,
        scalar(&real(7)?, "y_zero_point")?,
        call.dtype(7)?,
    )?)
}
