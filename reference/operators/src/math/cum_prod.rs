//! CumProd — running products along an axis, each rounded once without overflow on the way; integers wrap.

use onnx_tensor::{Real, dispatch};

use super::cumulate::cumulate;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::product::Product;

pub const OP: OpDef = op("CumProd", &[v(26, First, cum_prod)]);

fn cum_prod(call: &Call<'_>) -> Result<Outputs, OpError> {
    let dtype = call.dtype(0)?;
    if dtype.is_float() {
        dispatch!(float, dtype, T => {
            let step = |product: &mut Product, x: &T| product.push(Real::to_f64(*x));
            cumulate(call, Product::default(), step, |product| product.finish::<T>())
        })
    } else {
        dispatch!(int, dtype, T => {
            let step = |product: &mut T, x: &T| *product = Real::mul(*product, *x);
            cumulate(call, T::ONE, step, |product| product)
        })
    }
}
