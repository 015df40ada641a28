//! NonZero — the coordinates of the non-zero elements, as an int64 tensor of shape `[rank, count]`, in
//! row-major order. A scalar has no coordinates: its output has shape `[0, 0]` or `[0, 1]`.
//!
//! Interpretation: true, NaN and a non-empty string are non-zero (as in NumPy, to which the text refers).

use onnx_tensor::{Element, Tensor, dispatch};

use super::indices::strides;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op("NonZero", &[v(9, First, non_zero), v(13, TypesOnly, non_zero)]);

fn non_zero(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let positions: Vec<usize> = dispatch!(all, x.dtype(), T => {
        let zero = T::default();
        let elements = x.array::<T>()?.iter().enumerate();
        Ok::<_, OpError>(elements.filter(|(_, element)| **element != zero).map(|(at, _)| at).collect())
    })?;
    let shape = [x.rank(), positions.len()];
    call.reserve(&shape, i64::DTYPE)?;
    let mut coordinates = Vec::with_capacity(layout::count(&shape));
    for (&stride, &extent) in strides(x.shape()).iter().zip(x.shape()) {
        coordinates.extend(positions.iter().map(|&at| (at / stride % extent) as i64));
    }
    one(Tensor::new(&shape, coordinates)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, strings};

    #[test]
    fn scalars_have_no_coordinates_and_text_may_be_zero() {
        let none = |count: usize| Tensor::new(&[0, count], Vec::<i64>::new()).unwrap();
        exact(("", "NonZero", 13), &[Tensor::scalar(-0.0_f32)], &[], &[none(0)]);
        exact(("", "NonZero", 9), &[Tensor::scalar(f32::NAN)], &[], &[none(1)]);
        let expected = [Tensor::new(&[1, 1], vec![1_i64]).unwrap()];
        exact(("", "NonZero", 13), &[strings(&["", "x"])], &[], &expected);
    }
}
