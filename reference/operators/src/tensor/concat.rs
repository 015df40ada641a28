//! Concat — concatenates tensors along `axis`; they agree in rank, type and every other extent.
//!
//! `axis` defaults to 1 in version 1 (from the text; the schema has no default) and is required since
//! version 4. It may be negative since version 11, and in earlier versions except in a strict run
//! (deviation `negative-axis`).

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::axes::{self, ReadAxis};
use crate::shared::layout;

pub const OP: OpDef = op(
    "Concat",
    &[
        v(1, First, |call| {
            concat(call, call.optional_int("axis")?.unwrap_or(1), axes::older(call))
        }),
        v(4, Semantics, concat_4),
        v(11, Semantics, |call| concat(call, call.int("axis")?, axes::axis)),
        v(13, TypesOnly, |call| concat(call, call.int("axis")?, axes::axis)),
    ],
);

fn concat_4(call: &Call<'_>) -> Result<Outputs, OpError> {
    concat(call, call.int("axis")?, axes::older(call))
}

fn concat(call: &Call<'_>, axis: i64, read: ReadAxis) -> Result<Outputs, OpError> {
    let parts = call.tensors_from(0)?;
    let axis = read(axis, call.tensor(0)?.rank())?;
    one(layout::concat(call, &parts, axis)?)
}

#[cfg(test)]
mod tests {
    use crate::frame::testing::{attribute, exact, refused_strictly, rows, values};

    #[test]
    fn axis_by_version() {
        let parts = [rows(&[[1.0], [2.0]]), rows(&[[3.0], [4.0]])];
        let side_by_side = [rows(&[[1.0, 3.0], [2.0, 4.0]])];
        exact(("", "Concat", 1), &parts, &[], &side_by_side);
        for since in [4, 11] {
            exact(
                ("", "Concat", since),
                &parts,
                &[attribute("axis", -1)],
                &side_by_side,
            );
        }
        refused_strictly(
            ("", "Concat", 4),
            &values(&parts),
            &[attribute("axis", -1)],
            "outside",
        );
    }
}
