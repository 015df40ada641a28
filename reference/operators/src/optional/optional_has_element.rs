//! OptionalHasElement — whether an optional has something inside, a bool scalar. From version 18 on the input may be left
//! out (false) or be no optional (true).

use onnx_tensor::{Tensor, Value};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "OptionalHasElement",
    &[v(15, First, has), v(18, Semantics, has), v(28, TypesOnly, has)],
);

fn has(call: &Call<'_>) -> Result<Outputs, OpError> {
    let nothing = matches!(call.optional(0), None | Some(Value::Optional { value: None, .. }));
    one(Tensor::scalar(!nothing))
}
