//! MatMul — products of stacks of matrices, as numpy.matmul.
//!
//! Sums in f64 (double-double for f64), rounded once; integers wrap. Versions differ only in types.

use onnx_tensor::{Tensor, dispatch};

use super::matrices::multiply;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::matrix_product::Product;

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
    one(Tensor::from(sums.mapv(T::finish)))
}
