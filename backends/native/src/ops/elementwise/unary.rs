//! Functions of one number.

use onnx_tensor::{DType, Tensor};

use super::super::call::one;
use super::super::numbers::{floats, from_floats, from_ints, ints, is_int, slice};
use super::super::{Call, Outcome, Row, row};
use crate::error::Problem;
use crate::ops::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("Abs", 1, SAME, |call| number(call, f64::abs, i128::abs)),
    row("Neg", 1, SAME, |call| number(call, |x| -x, |x| -x)),
    row("Sign", 9, SAME, |call| {
        let sign = |x: f64| if x == 0.0 || x.is_nan() { x } else { x.signum() };
        number(call, sign, i128::signum)
    }),
    row("Acos", 7, SAME, |call| float(call, f64::acos)),
    // The functions of the standard library square x and lose precision near 1.
    row("Acosh", 9, SAME, |call| float(call, acosh)),
    row("Asin", 7, SAME, |call| float(call, f64::asin)),
    row("Asinh", 9, SAME, |call| float(call, libm::asinh)),
    row("Atan", 7, SAME, |call| float(call, f64::atan)),
    row("Atanh", 9, SAME, |call| float(call, libm::atanh)),
    row("Ceil", 1, SAME, |call| float(call, f64::ceil)),
    row("Cos", 7, SAME, |call| float(call, f64::cos)),
    row("Cosh", 9, SAME, |call| float(call, f64::cosh)),
    row("Erf", 9, SAME, |call| float(call, libm::erf)),
    row("Exp", 1, SAME, |call| float(call, f64::exp)),
    row("Floor", 1, SAME, |call| float(call, f64::floor)),
    row("Log", 1, SAME, |call| float(call, f64::ln)),
    row("Reciprocal", 1, SAME, |call| float(call, |x| 1.0 / x)),
    row("Round", 11, SAME, |call| float(call, f64::round_ties_even)),
    row("Sin", 7, SAME, |call| float(call, f64::sin)),
    row("Sinh", 9, SAME, |call| float(call, f64::sinh)),
    row("Sqrt", 1, SAME, |call| float(call, f64::sqrt)),
    row("Tan", 7, SAME, |call| float(call, f64::tan)),
    row("Tanh", 1, SAME, |call| float(call, f64::tanh)),
];

/// `libm::acosh` returns numbers for x below 1, where the function is undefined.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// Applies a function to every element, in f64, and rounds once.
pub fn map_floats(tensor: &Tensor, function: impl Fn(f64) -> f64) -> Result<Tensor, Problem> {
    if tensor.dtype() == DType::Float {
        let values = slice::<f32>(tensor)?
            .iter()
            .map(|&x| function(f64::from(x)) as f32);
        return Ok(Tensor::new(tensor.shape(), values.collect::<Vec<f32>>())?);
    }
    let values = floats(tensor)?.into_iter().map(function).collect();
    from_floats(tensor.dtype(), tensor.shape(), values)
}

fn float(call: &Call, function: fn(f64) -> f64) -> Outcome {
    one(map_floats(call.tensor(0)?, function)?)
}

fn number(call: &Call, of_float: fn(f64) -> f64, of_int: fn(i128) -> i128) -> Outcome {
    let tensor = call.tensor(0)?;
    if !is_int(tensor.dtype()) {
        return float(call, of_float);
    }
    let values = ints(tensor)?.into_iter().map(of_int).collect();
    one(from_ints(tensor.dtype(), tensor.shape(), values)?)
}
