//! Identity — returns the input, of any kind of value that the version allows.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "Identity",
    &[
        v(1, First, same),
        v(13, TypesOnly, same),
        v(14, TypesOnly, same),
        v(16, TypesOnly, same),
        v(19, TypesOnly, same),
        v(21, TypesOnly, same),
        v(23, TypesOnly, same),
        v(24, TypesOnly, same),
        v(25, TypesOnly, same),
    ],
);

fn same(call: &Call<'_>) -> Result<Outputs, OpError> {
    one(call.value(0)?.clone())
}
