//! LpNormalization — each lane along `axis` divided by its Lp norm with p = 1 or 2; a lane of zeros stays
//! zero.
//!
//! Precision: as `lp_norm.rs`, divided in f64, rounded once. Version 22 only adds bf16.

use onnx_tensor::{Float, Tensor, dispatch};

use super::lp_norm::LpNorm;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, lanes};

pub const OP: OpDef = op(
    "LpNormalization",
    &[v(1, First, lp_normalization), v(22, TypesOnly, lp_normalization)],
);

fn lp_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call))
}

fn typed<T: Float>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let axis = axes::axis(call.int("axis")?, x.ndim())?;
    let empty = match call.int("p")? {
        p @ (1 | 2) => LpNorm::new(p as f64)?,
        p => {
            return Err(OpError::invalid(format!("`p` is {p}, expected 1 or 2")));
        }
    };
    one(Tensor::from(lanes::along(
        x,
        axis,
        x.shape()[axis],
        |from, to| normalise(empty, from, to),
    )))
}

fn normalise<T: Float>(mut norm: LpNorm, from: &[T], to: &mut [T]) {
    from.iter().for_each(|&x| norm.add(x.to_f64()));
    let norm = norm.finish();
    for (&x, y) in from.iter().zip(to) {
        *y = if norm == 0.0 {
            T::ZERO
        } else {
            T::from_f64(x.to_f64() / norm)
        };
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    /// By hand: a lane of norm 7 or 5, and one of zeros.
    #[test]
    fn lanes() {
        let x = Tensor::new(&[2, 2], vec![3.0_f32, 4.0, 0.0, 0.0]).expect("four elements");
        for (p, norm) in [(1, 7.0), (2, 5.0)] {
            let y = Tensor::new(&[2, 2], vec![3.0 / norm, 4.0 / norm, 0.0_f32, 0.0]).expect("four elements");
            exact(
                ("", "LpNormalization", 1),
                std::slice::from_ref(&x),
                &[attribute("p", p)],
                &[y],
            );
        }
        refused(
            ("", "LpNormalization", 22),
            &values(&[x]),
            &[attribute("p", 3)],
            "expected 1 or 2",
        );
    }
}
