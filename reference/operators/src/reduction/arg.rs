//! The core of ArgMax and ArgMin.

use ndarray::Axis;
use onnx_tensor::{Tensor, dispatch};

use crate::frame::{Call, OpError, Outputs, one};
use crate::shared::extremum::{Extremum, position};
use crate::shared::{axes, lanes};

/// The index of the extremum along `axis`, as int64. There must be an element ("must not be empty", version 11).
pub fn arg(call: &Call<'_>, extremum: Extremum, last: bool) -> Result<Outputs, OpError> {
    let data = call.tensor(0)?;
    let axis = axes::axis(call.int("axis")?, data.rank())?;
    if data.shape()[axis] == 0 {
        return Err(OpError::invalid(format!(
            "axis {axis} of shape {:?} is empty",
            data.shape()
        )));
    }
    let indices = dispatch!(real, data.dtype(), T => Ok::<_, OpError>({
        lanes::along(data.array::<T>()?, axis, 1, |lane: &[T], index: &mut [i64]| {
            index[0] = position(lane, extremum, last).unwrap_or_default() as i64;
        })
    }))?;
    if call.flag("keepdims")? {
        one(Tensor::from(indices))
    } else {
        one(Tensor::from(indices.index_axis_move(Axis(axis), 0)))
    }
}
