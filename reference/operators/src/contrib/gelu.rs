//! Gelu (`com.microsoft`) — x/2 · (1 + erf(x / √2)), elementwise: Gelu-20 without an approximation.

use super::standard;
use crate::frame::Change::First;
use crate::frame::{OpDef, contrib, one, v};

pub const OP: OpDef = contrib(
    "Gelu",
    &[v(1, First, |call| {
        one(standard::tensor(
            call,
            ("Gelu", 20),
            &[Some(call.tensor(0)?)],
            &[],
        )?)
    })],
);

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::check;

    /// erf(1/√2) = 0.682689492137…, so that Gelu(±1) = ±(1 ± 0.682689492137)/2.
    #[test]
    fn values_at_one() {
        let x = Tensor::vector(vec![1.0_f32, -1.0, 0.0]);
        let y = Tensor::vector(vec![0.841_344_8_f32, -0.158_655_25, 0.0]);
        check(("com.microsoft", "Gelu", 1), &[x.into()], &[], &[y.into()]);
    }
}
