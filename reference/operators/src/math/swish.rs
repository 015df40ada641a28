//! Swish — x · sigmoid(alpha · x), elementwise; evaluated in f64 and rounded once. At −Inf the formula is
//! NaN.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::activation;
use crate::shared::elementwise::{beyond_half, estimated_with_rest};

pub const OP: OpDef = op("Swish", &[v(24, First, swish)]);

fn swish(call: &Call<'_>) -> Result<Outputs, OpError> {
    let alpha = f64::from(call.float("alpha")?);
    let function = Function::Swish { alpha };
    estimated_with_rest(
        call,
        function,
        |x| activation::swish(x, alpha),
        beyond_half(alpha),
        &[],
    )
}
