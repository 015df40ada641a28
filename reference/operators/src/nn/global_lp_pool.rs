//! GlobalLpPool — the Lp norm of each plane. Precision: `lp_norm.rs`.
//!
//! Versions: p is a float in 1 and an integer since 2; 22 only adds bf16. Version 1 states the result shape
//! N × C × 1 × 1, which holds for images; other ranks keep their rank, as the later text says.

use onnx_tensor::{Float, dispatch};

use super::global_pooling::reduce;
use super::lp_norm::LpNorm;
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "GlobalLpPool",
    &[
        v(1, First, |call| global_lp_pool(call, f64::from(call.float("p")?))),
        v(2, Semantics, |call| global_lp_pool(call, call.int("p")? as f64)),
        v(22, TypesOnly, |call| global_lp_pool(call, call.int("p")? as f64)),
    ],
);

fn global_lp_pool(call: &Call<'_>, p: f64) -> Result<Outputs, OpError> {
    let empty = LpNorm::new(p)?;
    dispatch!(float, call.dtype(0)?, T => reduce::<T>(call, |plane| Ok(norm(empty, plane))))
}

fn norm<T: Float>(mut norm: LpNorm, plane: &[T]) -> T {
    plane.iter().for_each(|&x| norm.add(x.to_f64()));
    T::from_f64(norm.finish())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// By hand: 3² + 4² + 12² = 13², and the sum of the magnitudes.
    #[test]
    fn norms_of_planes() {
        let x = Tensor::new(&[1, 2, 3], vec![3.0_f32, -4.0, 12.0, 0.0, 0.0, -2.0]).expect("six elements");
        let result = |norms: [f32; 2]| [Tensor::new(&[1, 2, 1], norms.to_vec()).expect("two elements")];
        let x = std::slice::from_ref(&x);
        exact(
            ("", "GlobalLpPool", 1),
            x,
            &[attribute("p", 1.0_f32)],
            &result([19.0, 2.0]),
        );
        exact(("", "GlobalLpPool", 1), x, &[], &result([13.0, 2.0]));
        exact(
            ("", "GlobalLpPool", 2),
            x,
            &[attribute("p", 1)],
            &result([19.0, 2.0]),
        );
        exact(("", "GlobalLpPool", 22), x, &[], &result([13.0, 2.0]));
    }
}
