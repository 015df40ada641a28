//! Transpose — permutes the axes: axis `i` of the output is axis `perm[i]` of the input; reversed without
//! `perm`.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op(
    "Transpose",
    &[
        v(1, First, transpose),
        v(13, TypesOnly, transpose),
        v(21, TypesOnly, transpose),
        v(23, TypesOnly, transpose),
        v(24, TypesOnly, transpose),
        v(25, TypesOnly, transpose),
    ],
);

fn transpose(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let order = match call.optional_ints("perm")? {
        Some(perm) => perm
            .iter()
            .map(|&axis| axes::axis_from_front(axis, x.rank()))
            .collect::<Result<_, _>>()?,
        None => (0..x.rank()).rev().collect::<Vec<_>>(),
    };
    one(layout::permute(x, &order)?)
}
