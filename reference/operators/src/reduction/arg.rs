//! The core of ArgMax and ArgMin.

use ndarray::Axis;
use onnx_tensor::{DType, Tensor, dispatch};

use crate::frame::{Call, OpError, Outputs, one};
use crate::shared::extremum::{Extremum, NanOrder, position};
use crate::shared::{axes, lanes};

/// The index of the extremum along `axis`, as int64. The axis must not be empty ("must not be empty",
/// version 11).
pub fn arg(call: &Call<'_>, extremum: Extremum, last: bool) -> Result<Outputs, OpError> {
    let data = call.tensor(0)?;
    let axis = axes::axis(call.int("axis")?, data.rank())?;
    if data.shape()[axis] == 0 {
        return Err(OpError::invalid(format!(
            "axis {axis} of shape {:?} is empty",
            data.shape()
        )));
    }
    let shape = [&data.shape()[..axis], &[1], &data.shape()[axis + 1..]].concat();
    call.reserve(&shape, DType::Int64)?;
    let nan = NanOrder::of(call);
    let indices = dispatch!(real, data.dtype(), T => Ok::<_, OpError>({
        lanes::along(data.array::<T>()?, axis, 1, |lane: &[T], index: &mut [i64]| {
            index[0] = position(lane, extremum, last, nan).unwrap_or_default() as i64;
        })
    }))?;
    if call.flag("keepdims")? {
        one(Tensor::from(indices))
    } else {
        one(Tensor::from(indices.index_axis_move(Axis(axis), 0)))
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    #[test]
    fn equals_nan_and_nothing() {
        let x = Tensor::new(&[2, 3], vec![1.0_f32, 3.0, 3.0, f32::NAN, 0.0, f32::NAN]).unwrap();
        let rows = [attribute("axis", 1), attribute("keepdims", 0)];
        exact(
            ("", "ArgMax", 1),
            std::slice::from_ref(&x),
            &rows,
            &[Tensor::vector(vec![1_i64, 0])],
        );
        let last = [
            rows[0].clone(),
            rows[1].clone(),
            attribute("select_last_index", 1),
        ];
        exact(
            ("", "ArgMax", 12),
            std::slice::from_ref(&x),
            &last,
            &[Tensor::vector(vec![2_i64, 2])],
        );
        exact(("", "ArgMin", 13), &[x], &last, &[Tensor::vector(vec![0_i64, 2])]);
        let empty = Tensor::new::<f32>(&[0, 2], Vec::new()).unwrap();
        refused(("", "ArgMin", 11), &values(&[empty]), &[], "is empty");
    }
}
