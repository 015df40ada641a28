//! Trilu — the upper or lower triangle of matrices, zero elsewhere; `k` shifts the bounding diagonal.

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op("Trilu", &[v(14, First, triangle)]);

fn triangle(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let upper = call.flag("upper")?;
    let k = i128::from(if call.optional(1).is_some() {
        call.scalar::<i64>(1)?
    } else {
        0
    });
    let kept = |row: usize, column: usize| {
        let diagonal = column as i128 - row as i128;
        if upper { diagonal >= k } else { diagonal <= k }
    };
    let [.., rows, columns] = x.shape() else {
        return Err(OpError::invalid(format!("shape {:?} is not a matrix", x.shape())));
    };
    let outside: Vec<usize> = (0..x.len())
        .filter(|at| !kept(at / columns % rows, at % columns))
        .collect();
    one(layout::put(x, &outside, &layout::zero(x.dtype())?)?)
}
