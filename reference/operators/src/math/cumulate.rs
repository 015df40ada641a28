//! The core of CumSum and CumProd: cumulative totals along an axis.

use onnx_tensor::{Element, Tensor};

use crate::frame::{Call, OpError, Outputs, one};
use crate::shared::{axes, lanes};

/// Writes for each element of input 0 the total of the elements up to it along the axis in input 1.
/// `exclusive` omits the element itself; `reverse` accumulates from the end. Totals begin at `start`;
/// `finish` converts each to an element.
pub fn cumulate<T: Element, A: Copy>(
    call: &Call<'_>,
    start: A,
    step: impl Fn(&mut A, &T),
    finish: impl Fn(A) -> T,
) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let axis = match call.integers(1)?.as_slice() {
        &[axis] => axes::axis(axis, x.ndim())?,
        other => {
            return Err(OpError::invalid(format!(
                "`axis` must have one element, got {}",
                other.len()
            )));
        }
    };
    let (exclusive, reverse) = (call.flag("exclusive")?, call.flag("reverse")?);
    let totals = |lane: &[T], result: &mut [T]| {
        let mut total = start;
        for index in 0..lane.len() {
            let index = if reverse { lane.len() - 1 - index } else { index };
            let before = total;
            step(&mut total, &lane[index]);
            result[index] = finish(if exclusive { before } else { total });
        }
    };
    call.reserve(x.shape(), T::DTYPE)?;
    one(Tensor::from(lanes::along(x, axis, x.shape()[axis], totals)))
}
