//! InstanceNormalization — normalises each plane of N × C × … to mean 0 and variance 1, then scales and
//! shifts it by channel.
//!
//! Statistics in double-double, the rest in f64, rounded once. Versions: 6 drops `consumed_inputs`, 22 only
//! adds bf16.

use onnx_tensor::{Float, Tensor, dispatch};

use super::moments::Affine;
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "InstanceNormalization",
    &[
        v(1, First, instance_normalization),
        v(6, Semantics, instance_normalization),
        v(22, TypesOnly, instance_normalization),
    ],
);

fn instance_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call))
}

fn typed<T: Float + Affine>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let (scale, bias) = (call.array::<T>(1)?, call.array::<T>(2)?);
    let &[_, channels, ref spatial @ ..] = x.shape() else {
        return Err(OpError::invalid(format!(
            "shape {:?} must have a batch and a channel axis",
            x.shape()
        )));
    };
    super::kernels::expect_shape("scale", scale, &[channels])?;
    super::kernels::expect_shape("B", bias, &[channels])?;
    let plane: usize = spatial.iter().product();
    let epsilon = f64::from(call.float("epsilon")?);
    let dense = x.as_standard_layout();
    let elements = dense.as_slice().unwrap_or_default();
    let (plane, mut result) = (plane.max(1), vec![T::ZERO; elements.len()]);
    for (index, (x, y)) in elements.chunks(plane).zip(result.chunks_mut(plane)).enumerate() {
        let channel = index % channels;
        T::normalise(x, epsilon, scale[[channel]].to_f64(), bias[[channel]].to_f64(), y);
    }
    one(Tensor::new(x.shape(), result)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// By hand: 1, 3, 5, 7 have mean 4 and variance 5; with epsilon 4 and scale 3 the factor is 1.
    #[test]
    fn a_plane() {
        let plane = |elements: [f32; 4]| Tensor::new(&[1, 1, 4], elements.to_vec()).expect("four elements");
        let vector = |element: f32| Tensor::vector(vec![element]);
        let inputs = [plane([1.0, 3.0, 5.0, 7.0]), vector(3.0), vector(1.0)];
        for since in [1, 6] {
            let expected = [plane([-2.0, 0.0, 2.0, 4.0])];
            exact(
                ("", "InstanceNormalization", since),
                &inputs,
                &[attribute("epsilon", 4.0_f32)],
                &expected,
            );
        }
    }
}
