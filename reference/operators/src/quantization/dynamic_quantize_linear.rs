//! DynamicQuantizeLinear — quantizes to uint8 by a scale and a zero point taken from the data.
//!
//! Each step is one operation on floats, correctly rounded, in the order of the function body that the specification gives;
//! the roundings in between show at ties. The range is adjusted to hold 0.
//!
//! Doubtful spots: the text computes the zero point from min(x), the body from the adjusted minimum; the body is followed. For
//! data that are all 0 the scale is 0 and the zero point 0 / 0: the scale 1 and the zero point 0 are taken, as
//! ONNX Runtime does (deviation `quantized-zeros`). For no data there is no range and no result.

use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{Array, Tensor};

use crate::frame::Change::First;
use crate::frame::{Call, Deviation, OpDef, OpError, Outputs, Reading, op, v};
use crate::shared::quantize::Quantized;

pub const OP: OpDef = op("DynamicQuantizeLinear", &[v(11, First, quantize)]);

/// The greatest value of uint8; the least is 0.
const MOST: f32 = 255.0;

fn quantize(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.array::<f32>(0)?;
    let least = x.iter().fold(0.0_f32, |least, &value| least.min(value));
    let greatest = x.iter().fold(0.0_f32, |greatest, &value| greatest.max(value));
    let mut scale = (greatest - least) / MOST;
    if scale == 0.0 && greatest == 0.0 && least == 0.0 && !x.is_empty() {
        call.deviate(
            Deviation::QuantizedZeros,
            OpError::undefined("a scale for data that are all 0"),
        )?;
        // Question `quantized-zeros`.
        scale = match call.takes(Reading::QuantizedZerosFraction) {
            true => 1.0 / MOST,
            false => 1.0,
        };
    }
    if x.iter().any(|value| !value.is_finite()) || !(scale.is_finite() && scale > 0.0) {
        return Err(OpError::undefined(format!(
            "a scale for data from {least} to {greatest}: they must be finite and hold more than 0"
        )));
    }
    let zero_point = (0.0 - least / scale).clamp(0.0, MOST).round_ties_even();
    let element = |&value: &f32| u8::quantize((value / scale).into(), zero_point.into(), Overflow::Saturate);
    let y: Array<u8> = x.map(element).into_shared();
    let outputs = [
        Tensor::from(y),
        Tensor::scalar(scale),
        Tensor::scalar(zero_point as u8),
    ];
    Ok(outputs.into_iter().map(|output| Some(output.into())).collect())
}
