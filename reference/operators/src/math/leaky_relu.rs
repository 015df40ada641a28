//! LeakyRelu — alpha · x below 0, else x, elementwise; evaluated in f64 and rounded once.
//!
//! The function body of version 16 first rounds `alpha` to the type of the tensor; the text does not. The
//! reference follows the text.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::activation;
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "LeakyRelu",
    &[
        v(1, First, leaky_relu),
        v(6, Wording, leaky_relu),
        v(16, TypesOnly, leaky_relu),
    ],
);

fn leaky_relu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let alpha = f64::from(call.float("alpha")?);
    estimated(
        call,
        Function::LeakyRelu { alpha },
        |x| activation::leaky_relu(x, alpha),
        &[],
    )
}
