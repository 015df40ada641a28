//! ReduceProd — products, rounded once without intermediate overflow; 1 for an empty set; integers wrap.

use onnx_tensor::{Real, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::reduce;
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::product::Product;

pub const OP: OpDef = op(
    "ReduceProd",
    &[
        v(1, First, |call| reduce_prod(call, Attribute)),
        v(11, Wording, |call| reduce_prod(call, Attribute)),
        v(13, TypesOnly, |call| reduce_prod(call, Attribute)),
        v(18, Semantics, |call| reduce_prod(call, Input)),
    ],
);

fn reduce_prod(call: &Call<'_>, axes: Axes) -> Result<Outputs, OpError> {
    let dtype = call.dtype(0)?;
    if dtype.is_float() {
        dispatch!(float, dtype, T => reduce(call, axes, |set: &[T]| {
            let mut product = Product::default();
            set.iter().for_each(|&x| product.push(Real::to_f64(x)));
            Ok(product.finish::<T>())
        }))
    } else {
        dispatch!(int, dtype, T => reduce(call, axes, |set: &[T]| {
            Ok(set.iter().fold(T::ONE, |product, &x| Real::mul(product, x)))
        }))
    }
}
