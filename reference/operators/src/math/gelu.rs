//! Gelu — x/2 · (1 + erf(x / √2)), or its approximation by tanh, elementwise; evaluated in f64 and rounded
//! once.
//!
//! At −Inf both formulas are NaN. The function body rounds 2/π and 0.044715 to float, which is visible in
//! double; the text does not (question `gelu-constants`).

use onnx_arithmetic::functions::Function;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, op, v};
use crate::shared::activation;
use crate::shared::elementwise::{Hard, beyond_half, estimated_with_rest, float_with_rest};

pub const OP: OpDef = op("Gelu", &[v(20, First, gelu)]);

fn gelu(call: &Call<'_>) -> Result<Outputs, OpError> {
    match call.string("approximate")? {
        "none" => estimated_with_rest(call, Function::Gelu, activation::gelu, beyond_half(1.0), HARD),
        "tanh" if call.takes(Reading::GeluConstantsFloat) => {
            float_with_rest(call, activation::gelu_tanh_of_body, beyond_half(1.0))
        }
        "tanh" => {
            let [scale, cubic] = activation::GELU_TANH;
            let function = Function::GeluTanh { scale, cubic };
            estimated_with_rest(call, function, activation::gelu_tanh, beyond_half(1.0), &[])
        }
        other => Err(OpError::invalid(format!(
            "`approximate` is `{other}`, expected `none` or `tanh`"
        ))),
    }
}

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0x37B0_A46F, 0x3730_A531)];
