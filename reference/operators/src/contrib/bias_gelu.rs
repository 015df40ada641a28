//! BiasGelu — Gelu of A + B, where B has one element for each index of the last axis.
//!
//! The sum and x/2 · (1 + erf(x / √2)) in f64, rounded once.

use super::biased::biased;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::activation;
use crate::shared::reals::narrow;

pub const OP: OpDef = contrib("BiasGelu", &[v(1, First, bias_gelu)]);

fn bias_gelu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let a = call.tensor(0)?;
    let sum = biased(call, a, Some(call.tensor(1)?))?;
    one(narrow(sum.mapv_into(activation::gelu), a.dtype())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{check, refused, rows, values};

    /// Gelu(±1) as in `gelu.rs`.
    #[test]
    fn the_bias_is_added_before() {
        let under = ("com.microsoft", "BiasGelu", 1);
        let a = || rows(&[[0.5_f32, -3.0], [-1.5, 2.0]]);
        let b = Tensor::vector(vec![0.5_f32, 2.0]);
        let y = rows(&[[0.841_344_8, -0.158_655_25], [-0.158_655_25, 3.999_873_3]]);
        check(under, &values(&[a(), b]), &[], &[y.into()]);
        let misfit = Tensor::vector(vec![0.5_f32]);
        refused(under, &values(&[a(), misfit]), &[], "one element for each index");
    }
}
