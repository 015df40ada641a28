//! Selu — gamma · (alpha · eˣ − alpha) up to 0, else gamma · x, elementwise; evaluated in f64 and rounded
//! once.
//!
//! The defaults of version 1 (1.6732, 1.0507) differ from those since 6 (the f32 nearest to the constants
//! of the paper).

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::activation;
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "Selu",
    &[v(1, First, selu), v(6, Semantics, selu), v(22, TypesOnly, selu)],
);

fn selu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (alpha, gamma) = (f64::from(call.float("alpha")?), f64::from(call.float("gamma")?));
    let function = Function::Elu { alpha, gamma };
    estimated(call, function, |x| activation::selu(x, alpha, gamma), &[])
}
