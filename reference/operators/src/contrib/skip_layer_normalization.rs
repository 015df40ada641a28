//! SkipLayerNormalization — layer normalization along the last axis of input + skip + bias.
//!
//! The sum, its mean and variance (in double-double) and the rest in f64; each output is rounded once. The
//! sum is not rounded before it is normalised. Interpretation: the text gives no shape for the mean and the
//! inverse deviation; they have that of the input with 1 in place of the last extent.

use super::normalized::{Centre, Layer, skip_sum};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};

pub const OP: OpDef = contrib("SkipLayerNormalization", &[v(1, First, skip_layer_normalization)]);

fn skip_layer_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    let layer = Layer {
        sum: skip_sum(call, 1, 4)?,
        centre: Centre::Mean,
        gamma: call.tensor(2)?,
        beta: call.optional_tensor(3)?,
        dtype: call.dtype(0)?,
    };
    layer.outputs(call)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, refused, values};

    const UNDER: crate::frame::testing::OpVersion = ("com.microsoft", "SkipLayerNormalization", 1);

    fn row(elements: &[f32]) -> Tensor {
        Tensor::new(&[1, 1, elements.len()], elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand: the sum is 1 and 5; with epsilon 5 its deviation is √(4 + 5) = 3; −2/3 · 3 + 1 and
    /// 2/3 · 6 + 2.
    #[test]
    fn the_sum_is_normalised() {
        let vector = |a: f32, b: f32| Tensor::vector(vec![a, b]);
        let inputs = [
            row(&[0.5, 1.0]),
            row(&[0.25, 2.0]),
            vector(3.0, 6.0),
            vector(1.0, 2.0),
            vector(0.25, 2.0),
        ];
        let epsilon = [attribute("epsilon", 5.0_f32)];
        let one = |value: f32| -> Value { row(&[value]).into() };
        let expected = [
            row(&[-1.0, 6.0]).into(),
            one(3.0),
            one(1.0 / 3.0),
            row(&[1.0, 5.0]).into(),
        ];
        check(UNDER, &values(&inputs), &epsilon, &expected);
        let mut misfit = inputs;
        misfit[1] = row(&[1.0]);
        refused(UNDER, &values(&misfit), &epsilon, "`skip`");
    }
}
