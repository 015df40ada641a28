//! SkipSimplifiedLayerNormalization — root mean square normalization along the last axis of input + skip +
//! bias.
//!
//! As SkipLayerNormalization, without a mean and a shift. Interpretation: the output `mean` is 0.

use super::normalized::{Centre, Layer, skip_sum};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};

pub const OP: OpDef = contrib(
    "SkipSimplifiedLayerNormalization",
    &[v(1, First, skip_simplified_layer_normalization)],
);

fn skip_simplified_layer_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    let layer = Layer {
        sum: skip_sum(call, 1, 3)?,
        centre: Centre::Zero,
        gamma: call.tensor(2)?,
        beta: None,
        dtype: call.dtype(0)?,
    };
    layer.outputs(call)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, rows};

    /// By hand: the sum is 3 and 5; with epsilon 8 its root mean square is √(17 + 8) = 5.
    #[test]
    fn the_sum_is_normalised() {
        let inputs: [Value; 3] = [
            rows(&[[1.0, 2.0]]).into(),
            rows(&[[2.0, 3.0]]).into(),
            Tensor::vector(vec![10.0_f32, 1.0]).into(),
        ];
        let expected = [
            rows(&[[6.0, 1.0]]).into(),
            rows(&[[0.0]]).into(),
            rows(&[[0.2]]).into(),
            rows(&[[3.0, 5.0]]).into(),
        ];
        check(
            ("com.microsoft", "SkipSimplifiedLayerNormalization", 1),
            &inputs,
            &[attribute("epsilon", 8.0_f32)],
            &expected,
        );
    }
}
