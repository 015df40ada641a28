//! CumProd — cumulative products along an axis, each rounded once without intermediate overflow; integers
//! wrap.

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

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    #[test]
    fn intermediate_products_may_leave_the_range() {
        let x = Tensor::vector(vec![1e300, 1e300, -2.0_f64.powi(-1000), 2.0_f64.powi(-990)]);
        let axis = Tensor::scalar(0_i64);
        // The last is 1e600 · −2^−1990, computed with Python's `fractions`.
        let expected = vec![1e300, f64::INFINITY, -9.33263618503219e298, -8.918845251806431];
        exact(("", "CumProd", 26), &[x, axis], &[], &[Tensor::vector(expected)]);
    }
}
