//! Gelu — x/2 · (1 + erf(x / √2)), or its approximation by tanh, elementwise; evaluated in f64 and rounded
//! once.
//!
//! At −Inf both formulas are NaN.

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::activation;
use crate::shared::elementwise::{beyond_half, float_with_rest};

pub const OP: OpDef = op("Gelu", &[v(20, First, gelu)]);

fn gelu(call: &Call<'_>) -> Result<Outputs, OpError> {
    match call.string("approximate")? {
        "none" => float_with_rest(call, activation::gelu, beyond_half(1.0)),
        "tanh" => float_with_rest(call, activation::gelu_tanh, beyond_half(1.0)),
        other => Err(OpError::invalid(format!(
            "`approximate` is `{other}`, expected `none` or `tanh`"
        ))),
    }
}
