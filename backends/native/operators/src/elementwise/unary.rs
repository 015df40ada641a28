//! Functions of one number.

use native_kernels::Activation;
use native_kernels::elementwise::Unary;
use onnx_tensor::{DType, Tensor};

use super::super::call::one;
use super::super::fast::Fast;
use super::super::numbers::{floats, from_floats, map_ints, slice};
use super::super::{Call, Outcome, Row, function, row};
use crate::error::Problem;
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("Abs", 1, SAME, |call| number(call, f64::abs, i128::abs))
        .pointwise()
        .fast(Fast::Unary(Unary::Abs)),
    row("Neg", 1, SAME, |call| number(call, |x| -x, |x| -x))
        .pointwise()
        .fast(Fast::Unary(Unary::Neg)),
    row("Sign", 9, SAME, |call| {
        // "If input == 0, output 0", also for a negative zero.
        let sign = |x: f64| match x {
            0.0 => 0.0,
            x if x.is_nan() => x,
            x => x.signum(),
        };
        number(call, sign, i128::signum)
    })
    .pointwise(),
    function("Acos", 7, |_| Ok(Box::new(f64::acos))).fast(Fast::Unary(Unary::Acos)),
    // The functions of the standard library square x and lose precision near 1.
    function("Acosh", 9, |_| Ok(Box::new(acosh))),
    function("Asin", 7, |_| Ok(Box::new(f64::asin))).fast(Fast::Unary(Unary::Asin)),
    function("Asinh", 9, |_| Ok(Box::new(libm::asinh))),
    function("Atan", 7, |_| Ok(Box::new(f64::atan))).fast(Fast::Unary(Unary::Atan)),
    function("Atanh", 9, |_| Ok(Box::new(libm::atanh))),
    function("Ceil", 1, |_| Ok(Box::new(f64::ceil))).fast(Fast::Unary(Unary::Ceil)),
    function("Cos", 7, |_| Ok(Box::new(f64::cos))).fast(Fast::Unary(Unary::Cos)),
    function("Cosh", 9, |_| Ok(Box::new(f64::cosh))),
    row("Erf", 9, SAME, |call| {
        // No integer has an error function of magnitude 1: truncated, it is 0.
        number(call, libm::erf, |_| 0)
    })
    .pointwise()
    .fast(Fast::Unary(Unary::Erf)),
    function("Exp", 1, |_| Ok(Box::new(f64::exp))).fast(Fast::Unary(Unary::Exp)),
    function("Floor", 1, |_| Ok(Box::new(f64::floor))).fast(Fast::Unary(Unary::Floor)),
    function("Log", 1, |_| Ok(Box::new(f64::ln))).fast(Fast::Unary(Unary::Log)),
    function("Reciprocal", 1, |_| Ok(Box::new(|x: f64| 1.0 / x))).fast(Fast::Unary(Unary::Reciprocal)),
    function("Round", 11, |_| Ok(Box::new(f64::round_ties_even))).fast(Fast::Unary(Unary::Round)),
    function("Sin", 7, |_| Ok(Box::new(f64::sin))).fast(Fast::Unary(Unary::Sin)),
    function("Sinh", 9, |_| Ok(Box::new(f64::sinh))),
    function("Sqrt", 1, |_| Ok(Box::new(f64::sqrt))).fast(Fast::Unary(Unary::Sqrt)),
    function("Tan", 7, |_| Ok(Box::new(f64::tan))),
    function("Tanh", 1, |_| Ok(Box::new(f64::tanh))).fast(Fast::Activation(|_| Ok(Activation::Tanh))),
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

fn number(call: &Call, of_float: fn(f64) -> f64, of_int: impl Fn(i128) -> i128) -> Outcome {
    let tensor = call.tensor(0)?;
    if !tensor.dtype().is_integer() {
        return float(call, of_float);
    }
    one(map_ints(tensor, of_int)?)
}
