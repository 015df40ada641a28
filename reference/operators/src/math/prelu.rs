//! PRelu — slope · x below 0, else x; the product correctly rounded, wrapping for integers.
//!
//! Below version 7 the slope has one element, or one for each channel (axis 1; for a tensor of rank 1, that
//! axis). Since 7 it is broadcast unidirectionally to the shape of X, so that a vector applies to the
//! *last* axis.

use onnx_tensor::{Array, Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::{Broadcasting, pair};

pub const OP: OpDef = op(
    "PRelu",
    &[
        v(1, First, by_channel),
        v(6, Wording, by_channel),
        v(7, Semantics, by_broadcast),
        v(9, TypesOnly, by_broadcast),
        v(16, TypesOnly, by_broadcast),
    ],
);

fn by_channel(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => {
        let (x, slope) = (call.array::<T>(0)?, call.array::<T>(1)?);
        let trailing = x.ndim().saturating_sub(2);
        let channels = if trailing == 0 { x.shape().last() } else { x.shape().get(1) };
        if slope.len() != 1 && Some(&slope.len()) != channels {
            return Err(OpError::invalid(format!(
                "expected one slope, or one for each channel of shape {1:?}, got {0}",
                slope.len(), x.shape()
            )));
        }
        let mut aligned = vec![slope.len()];
        aligned.extend(std::iter::repeat_n(1, if slope.len() == 1 { 0 } else { trailing }));
        prelu(call, x, &slope.to_shape(aligned)?.into_owned().into_dyn().into_shared())
    })
}

fn by_broadcast(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => prelu(call, call.array::<T>(0)?, call.array::<T>(1)?))
}

fn prelu<T: Real>(call: &Call<'_>, x: &Array<T>, slope: &Array<T>) -> Result<Outputs, OpError> {
    if crate::shared::broadcast::shape(&[x.shape(), slope.shape()])? != x.shape() {
        return Err(OpError::invalid(format!(
            "the slope of shape {:?} does not broadcast unidirectionally to {:?}",
            slope.shape(),
            x.shape()
        )));
    }
    pair(call, Broadcasting::Multidirectional, x, slope, |&x, &slope| {
        Ok(if x < T::ZERO { x.mul(slope) } else { x })
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// A slope of two elements for shape (1, 2, 2): one for each channel below 7, along the last axis since.
    #[test]
    fn a_vector_applies_to_channels_or_the_last_axis() {
        let tensor = |values: [f32; 4]| Tensor::new(&[1, 2, 2], values.to_vec()).unwrap();
        let inputs = [
            tensor([-1.0, -1.0, -1.0, 4.0]),
            Tensor::vector(vec![2.0_f32, 3.0]),
        ];
        exact(("", "PRelu", 6), &inputs, &[], &[tensor([-2.0, -2.0, -3.0, 4.0])]);
        exact(("", "PRelu", 7), &inputs, &[], &[tensor([-2.0, -3.0, -2.0, 4.0])]);
    }
}
