//! Softplus — ln(1 + eˣ), elementwise; evaluated in f64 and rounded once. The function body computes eˣ in
//! the type of X (question `exponentials`).

use onnx_arithmetic::functions::Function;
use onnx_tensor::dispatch;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, op, v};
use crate::shared::activation;
use crate::shared::elementwise::{Hard, estimated, float_but};

pub const OP: OpDef = op("Softplus", &[v(1, First, softplus), v(22, TypesOnly, softplus)]);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0x39EA_41D0, 0x3F31_80BD)];

fn softplus(call: &Call<'_>) -> Result<Outputs, OpError> {
    if call.takes(Reading::ExponentialsTyped) {
        return dispatch!(float, call.dtype(0)?, T => float_but(call, activation::softplus_in::<T>, HARD));
    }
    estimated(call, Function::Softplus, activation::softplus, HARD)
}
