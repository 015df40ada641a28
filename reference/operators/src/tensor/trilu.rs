//! Trilu — the upper or lower triangle of matrices, zero elsewhere; `k` moves the diagonal it is bounded by.

use ndarray::Axis;
use onnx_tensor::{Tensor, dispatch};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("Trilu", &[v(14, First, triangle)]);

fn triangle(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let upper = call.flag("upper")?;
    let k = i128::from(if call.optional(1).is_some() {
        call.scalar::<i64>(1)?
    } else {
        0
    });
    if x.rank() < 2 {
        return Err(OpError::invalid(format!("shape {:?} is no matrix", x.shape())));
    }
    let kept = |row: usize, column: usize| {
        let diagonal = column as i128 - row as i128;
        if upper { diagonal >= k } else { diagonal <= k }
    };
    dispatch!(all, x.dtype(), T => {
        let mut result = x.array::<T>()?.to_owned();
        // A row of a matrix is a lane along the last axis; lanes come in row-major order of the axes before it.
        let rows = result.len_of(Axis(x.rank() - 2));
        for (number, mut lane) in result.lanes_mut(Axis(x.rank() - 1)).into_iter().enumerate() {
            for (column, element) in lane.iter_mut().enumerate() {
                if !kept(number % rows, column) {
                    *element = T::default();
                }
            }
        }
        one(Tensor::from(result))
    })
}
