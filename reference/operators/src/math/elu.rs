//! Elu — alpha · (eˣ − 1) below 0, else x, elementwise; evaluated in f64 and rounded once.

use std::cmp::Ordering;

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::activation;
use crate::shared::elementwise::estimated_with_rest;

pub const OP: OpDef = op(
    "Elu",
    &[v(1, First, elu), v(6, Wording, elu), v(22, TypesOnly, elu)],
);

/// Near zero the value is alpha · (x + x²/2), of which f64 holds alpha · x alone: the magnitude is less.
fn elu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let alpha = f64::from(call.float("alpha")?);
    let beyond = |x: f64, y: f64| {
        if x < 0.0 && y == alpha * x && y != 0.0 && y.is_finite() {
            Ordering::Less
        } else {
            Ordering::Equal
        }
    };
    let function = Function::Elu { alpha, gamma: 1.0 };
    estimated_with_rest(call, function, |x| activation::elu(x, alpha), beyond, &[])
}
