//! OptionalHasElement — whether an optional has an element, as a bool scalar. Since version 18 the input
//! may be omitted (false) or may not be an optional (true).

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
