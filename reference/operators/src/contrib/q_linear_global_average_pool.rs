//! QLinearGlobalAveragePool — the mean of each plane of a tensor of 8 bits, quantized.
//!
//! The sum of steps is exact, the mean in f64; rounded half to even once.

use super::q_linear_average_pool::pooled;
use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};

pub const OP: OpDef = contrib(
    "QLinearGlobalAveragePool",
    &[v(1, First, q_linear_global_average_pool)],
);

fn q_linear_global_average_pool(call: &Call<'_>) -> Result<Outputs, OpError> {
    if call.tensor(0)?.shape().iter().skip(2).any(|&extent| extent == 0) {
        return Err(OpError::undefined("the mean of no elements, quantized"));
    }
    pooled(call, |x| {
        standard::tensor(call, ("GlobalAveragePool", 1), &[Some(x)], &[])
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// By hand: planes (2 + 4 + 12)/3 = 6 and (1 + 1 + 1)/3 = 1, halved by the scales, plus 3.
    #[test]
    fn planes_in_both_layouts() {
        let under = ("com.microsoft", "QLinearGlobalAveragePool", 1);
        let inputs = |shape: [usize; 3], values: [u8; 6]| {
            [
                Tensor::new(&shape, values.to_vec()).expect("six elements"),
                Tensor::scalar(1.0_f32),
                Tensor::scalar(0_u8),
                Tensor::scalar(2.0_f32),
                Tensor::scalar(3_u8),
            ]
        };
        let first = Tensor::new(&[1, 2, 1], vec![6_u8, 3]).expect("two elements");
        let last = Tensor::new(&[1, 1, 2], vec![6_u8, 3]).expect("two elements");
        exact(under, &inputs([1, 2, 3], [2, 4, 12, 1, 1, 1]), &[], &[first]);
        let attributes = [attribute("channels_last", 1)];
        exact(
            under,
            &inputs([1, 3, 2], [2, 1, 4, 1, 12, 1]),
            &attributes,
            &[last],
        );
    }
}
