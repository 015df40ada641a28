//! CastLike — converts the elements to the element type of another tensor, like `Cast` of the same opset.

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::convert::{self, Rules};

pub const OP: OpDef = op(
    "CastLike",
    &[
        v(15, First, cast_like),
        v(19, Semantics, cast_like),
        v(21, TypesOnly, cast_like),
        v(23, TypesOnly, cast_like),
        v(24, Semantics, cast_like),
        v(25, TypesOnly, cast_like),
    ],
);

fn cast_like(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (x, to) = (call.tensor(0)?, call.dtype(1)?);
    call.reserve(x.shape(), to)?;
    one(convert::convert(x, to, Rules::of(call)?)?)
}
