//! OptionalGetElement — what is inside an optional; from version 18 on a value that is no optional is given back as it is.
//!
//! The specification leaves an empty optional without a meaning; it is an error here.

use onnx_tensor::Value;

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "OptionalGetElement",
    &[
        v(15, First, element),
        v(18, Semantics, element),
        v(28, TypesOnly, element),
    ],
);

fn element(call: &Call<'_>) -> Result<Outputs, OpError> {
    match call.value(0)? {
        Value::Optional {
            value: Some(inside), ..
        } => one((**inside).clone()),
        Value::Optional { value: None, .. } => Err(OpError::undefined("the element of an empty optional")),
        plain => one(plain.clone()),
    }
}
