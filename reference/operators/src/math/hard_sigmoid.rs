//! HardSigmoid — max(0, min(1, alpha · x + beta)), elementwise; evaluated in f64 and rounded once.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::activation;
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "HardSigmoid",
    &[
        v(1, First, hard_sigmoid),
        v(6, Wording, hard_sigmoid),
        v(22, TypesOnly, hard_sigmoid),
    ],
);

fn hard_sigmoid(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (alpha, beta) = (f64::from(call.float("alpha")?), f64::from(call.float("beta")?));
    let function = Function::HardSigmoid { alpha, beta };
    estimated(call, function, |x| activation::hard_sigmoid(x, alpha, beta), &[])
}
