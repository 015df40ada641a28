//! OptionalGetElement — the element of an optional. Since version 18 a value that is not an optional is
//! returned unchanged.
//!
//! The specification does not define the element of an empty optional; it is an error here.

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
