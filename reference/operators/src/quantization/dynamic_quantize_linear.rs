//! DynamicQuantizeLinear — quantizes to uint8 with a scale and a zero point computed from the data.
//!
//! Each step is one correctly rounded float operation, in the order of the function body in the
//! specification; the intermediate roundings affect ties. The range is extended to include 0.
//!
//! Interpretation: the text computes the zero point from min(x), the body from the extended minimum; the
//! reference follows the body. For data that are all 0, the scale is 0 and the zero point 0 / 0: the
//! reference uses scale 1 and zero point 0, like ONNX Runtime (deviation `quantized-zeros`). Without data
//! there is no range, which is an error. Data with NaN or an infinity have no scale: the reference returns
//! NaN, and no sentence determines a result.

use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{Array, Tensor};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::frame::Change::First;
use crate::frame::{Call, Deviation, OpDef, OpError, Outputs, Reading, Unspecified, op, v};
use crate::shared::quantize::Quantized;

pub const OP: OpDef = op("DynamicQuantizeLinear", &[v(11, First, quantize)]);

/// The greatest value of uint8; the least is 0.
const MAX: f32 = 255.0;

fn quantize(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.array::<f32>(0)?;
    let least = x.iter().fold(0.0_f32, |least, &value| least.min(value));
    let greatest = x.iter().fold(0.0_f32, |greatest, &value| greatest.max(value));
    let mut scale = (greatest - least) / MAX;
    if scale == 0.0 && greatest == 0.0 && least == 0.0 && !x.is_empty() {
        call.deviate(
            Deviation::QuantizedZeros,
            OpError::undefined("a scale for data that are all 0"),
        )?;
        // Question `quantized-zeros`.
        if call.takes(Reading::QuantizedZerosFormula) {
            return Ok(outputs(x.map(|_| 0).into_shared(), 0.0, 0.0));
        }
        scale = if call.takes(Reading::QuantizedZerosFraction) {
            1.0 / MAX
        } else {
            1.0
        };
    }
    if let Some(value) = x.iter().find(|value| !value.is_finite()) {
        return without_scale(call, x, *value);
    }
    if !(scale.is_finite() && scale > 0.0) {
        return Err(OpError::undefined(format!(
            "a scale for data from {least} to {greatest}: the range must be finite and not empty"
        )));
    }
    let zero_point = (0.0 - least / scale).clamp(0.0, MAX).round_ties_even();
    let element = |&value: &f32| u8::quantize((value / scale).into(), zero_point.into(), Overflow::Saturate);
    Ok(outputs(x.map(element).into_shared(), scale, zero_point))
}

/// The outputs for data with a value that is not finite.
fn without_scale(call: &Call<'_>, x: &Array<f32>, value: f32) -> Result<Outputs, OpError> {
    match call.unspecified() {
        Unspecified::Chosen => Ok(outputs(x.map(|_| 0).into_shared(), f32::NAN, 0.0)),
        Unspecified::Drawn => {
            let mut generator = ChaCha8Rng::seed_from_u64(call.draw_seed());
            let y = x.map(|_| generator.random::<u8>()).into_shared();
            Ok(outputs(y, generator.random(), generator.random_range(0.0..=MAX)))
        }
        Unspecified::Refused => {
            let count = x.len();
            Err(OpError::undefined(format!(
                "{count} of {count} elements are not specified: no sentence defines a scale for data with the value {value}"
            )))
        }
    }
}

fn outputs(y: Array<u8>, scale: f32, zero_point: f32) -> Outputs {
    let outputs = [
        Tensor::from(y),
        Tensor::scalar(scale),
        Tensor::scalar(zero_point as u8),
    ];
    outputs.into_iter().map(|output| Some(output.into())).collect()
}
