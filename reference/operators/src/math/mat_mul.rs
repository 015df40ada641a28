//! MatMul — products of stacks of matrices, like numpy.matmul.
//!
//! Sums in f64 (double-double for f64), rounded once; integers wrap. Versions differ only in types.

use onnx_tensor::dispatch;

use super::matrices::multiply;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::matrix_product::{Product, rounded};

pub const OP: OpDef = op(
    "MatMul",
    &[
        v(1, First, mat_mul),
        v(9, TypesOnly, mat_mul),
        v(13, TypesOnly, mat_mul),
    ],
);

fn mat_mul(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => typed::<T>(call))
}

fn typed<T: Product>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let sums = multiply::<T>(call, call.array(0)?, call.array(1)?, T::DTYPE)?;
    one(rounded::<T>(&sums)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, values};

    /// Sums of doubles lose nothing to cancellation; sums of integers wrap in their own width.
    #[test]
    fn sums() {
        let x = Tensor::vector(vec![1e16_f64, 1.0, -1e16]);
        let ones = Tensor::vector(vec![1.0_f64; 3]);
        exact(("", "MatMul", 1), &[x, ones], &[], &[Tensor::scalar(1.0_f64)]);
        let x = Tensor::vector(vec![1_u32 << 16, 3]);
        let y = Tensor::vector(vec![1_u32 << 16, 5]);
        exact(("", "MatMul", 9), &[x, y], &[], &[Tensor::scalar(15_u32)]);
    }

    #[test]
    fn incompatible_shapes_are_rejected() {
        let vector = |count| Tensor::vector(vec![1.0_f32; count]);
        let cases = [
            (vector(2), vector(3), "cannot be multiplied"),
            (Tensor::scalar(1.0_f32), vector(1), "must not be a scalar"),
        ];
        for (a, b, part) in cases {
            refused(("", "MatMul", 13), &values(&[a, b]), &[], part);
        }
    }
}
