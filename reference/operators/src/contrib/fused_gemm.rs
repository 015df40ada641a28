//! FusedGemm — an activation function of alpha · A' · B' + beta · C.
//!
//! The product in f64 (double-double for f64), scaled, added and activated in f64, rounded once. Integers
//! have no activation here: the text defines none for them.

use ndarray::Ix2;
use onnx_tensor::{Float, Tensor, dispatch};

use super::fused_activation::activation;
use super::operand::matrix;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::math::multiply;
use crate::shared::broadcast;
use crate::shared::matrix_product::Product;

pub const OP: OpDef = contrib(
    "FusedGemm",
    &[v(
        1,
        First,
        |call| dispatch!(float, call.dtype(0)?, T => fused_gemm::<T>(call)),
    )],
);

fn fused_gemm<T: Float + Product>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let coefficient = |name| Ok::<_, OpError>(call.optional_float(name)?.map(f64::from));
    let coefficients = [
        coefficient("activation_alpha")?,
        coefficient("activation_beta")?,
        coefficient("activation_gamma")?,
    ];
    let activate = activation(
        call.optional_string("activation")?.unwrap_or_default(),
        &coefficients,
    )?;
    let (alpha, beta) = (f64::from(call.float("alpha")?), f64::from(call.float("beta")?));
    let a = matrix::<T>(call, 0, call.int("transA")? != 0)?;
    let b = matrix::<T>(call, 1, call.int("transB")? != 0)?;
    let mut sums = multiply::<T>(call, &a, &b, T::DTYPE)?.mapv(|sum| alpha * T::sum_to_f64(sum));
    if let Some(c) = call.optional_array::<T>(2)? {
        let c = broadcast::view(c, sums.shape())?.into_dimensionality::<Ix2>()?;
        sums.zip_mut_with(&c.into_dyn(), |sum, c| *sum = beta.mul_add(c.to_f64(), *sum));
    }
    one(Tensor::from(
        sums.mapv(|sum| <T as onnx_tensor::Real>::from_f64(activate(sum))),
    ))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, rows};

    /// By hand: 2 · (1 · 3 + 2 · 4) − 1 = 21 and 2 · (−1 · 3) − 1 = −7.
    #[test]
    fn leaky() {
        exact(
            ("com.microsoft", "FusedGemm", 1),
            &[
                rows(&[[1.0, 2.0], [-1.0, 0.0]]),
                rows(&[[3.0, 4.0]]),
                Tensor::scalar(1.0_f32),
            ],
            &[
                attribute("transB", 1),
                attribute("alpha", 2.0_f32),
                attribute("beta", -1.0_f32),
                attribute("activation", "LeakyRelu"),
                attribute("activation_alpha", 0.5_f32),
            ],
            &[rows(&[[21.0], [-3.5]])],
        );
    }
}
