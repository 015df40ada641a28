//! FastGelu — x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))) of the input plus an optional bias along its
//! last axis.
//!
//! In f64, rounded once. Interpretation: the text has the constants 0.797885 and 0.035677, which are √(2/π)
//! and 0.044715 · √(2/π) with six digits; the reference has the real constants, as ONNX Runtime does for
//! float (for double it has constants of float: question `gelu-constants`).

use super::biased::biased;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, contrib, one, v};
use crate::shared::activation;
use crate::shared::reals::narrow;

pub const OP: OpDef = contrib("FastGelu", &[v(1, First, fast_gelu)]);

fn fast_gelu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let sum = biased(call, x, call.optional_tensor(1)?)?;
    let gelu = if call.takes(Reading::GeluConstantsFloat) {
        activation::gelu_tanh_of_body
    } else {
        activation::gelu_tanh
    };
    one(narrow(sum.mapv_into(gelu), x.dtype())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{check, values};

    /// √(2/π) · 1.044715 = 0.833561988…, whose tanh is 0.682383998….
    #[test]
    fn values_at_one() {
        let under = ("com.microsoft", "FastGelu", 1);
        let y = || Tensor::vector(vec![0.841_192_f32, -0.158_808_01]).into();
        check(under, &[Tensor::vector(vec![1.0_f32, -1.0]).into()], &[], &[y()]);
        let inputs = [
            Tensor::vector(vec![-1.0_f32, -2.0]),
            Tensor::vector(vec![2.0_f32, 1.0]),
        ];
        check(under, &values(&inputs), &[], &[y()]);
    }
}
