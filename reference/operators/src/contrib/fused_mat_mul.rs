//! FusedMatMul — alpha times the product of stacks of matrices, each transposed on request.
//!
//! Sums in f64 (double-double for f64), times alpha in f64, rounded once. `transBatchA` moves the first axis
//! behind the axes of the batch, `transA` then swaps the last two; a vector has nothing to transpose.

use onnx_tensor::{Float, Tensor, dispatch};

use super::operand::stack;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::math::multiply;
use crate::shared::matrix_product::Product;

pub const OP: OpDef = contrib("FusedMatMul", &[v(1, First, fused_mat_mul)]);

/// Also TransposeMatMul, which has no `transBatchA` and `transBatchB`.
pub fn fused_mat_mul(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call))
}

fn typed<T: Float + Product>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let set = |name| Ok::<_, OpError>(call.optional_int(name)?.unwrap_or(0) != 0);
    let a = stack(call.array::<T>(0)?, set("transA")?, set("transBatchA")?);
    let b = stack(call.array::<T>(1)?, set("transB")?, set("transBatchB")?);
    let alpha = f64::from(call.float("alpha")?);
    let sums = multiply::<T>(call, &a, &b, T::DTYPE)?;
    one(Tensor::from(sums.mapv(|sum| {
        <T as onnx_tensor::Real>::from_f64(alpha * T::sum_to_f64(sum))
    })))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, rows};

    const NAMES: [&str; 2] = ["FusedMatMul", "TransposeMatMul"];

    /// By hand: [1 2; 3 4]ᵀ · [5 6]ᵀ / 2.
    #[test]
    fn both_transposed() {
        for name in NAMES {
            exact(
                ("com.microsoft", name, 1),
                &[rows(&[[1.0, 2.0], [3.0, 4.0]]), rows(&[[5.0, 6.0]])],
                &[
                    attribute("transA", 1),
                    attribute("transB", 1),
                    attribute("alpha", 0.5_f32),
                ],
                &[rows(&[[11.5], [17.0]])],
            );
        }
    }

    /// A of shape rows × batch × inner: row 0 of matrix 1 is [3, 4].
    #[test]
    fn the_batch_behind_the_rows() {
        let a = Tensor::new(&[1, 2, 2], vec![1.0_f32, 2.0, 3.0, 4.0]).expect("four elements");
        let y = Tensor::new(&[2, 1, 1], vec![12.0_f32, 34.0]).expect("two elements");
        exact(
            ("com.microsoft", "FusedMatMul", 1),
            &[a, rows(&[[10.0], [1.0]])],
            &[attribute("transBatchA", 1)],
            &[y],
        );
    }
}
