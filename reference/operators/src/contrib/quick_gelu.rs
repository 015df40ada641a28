//! QuickGelu — x · sigmoid(alpha · x), elementwise: Swish-24 with another default of `alpha`.

use onnx_model::AttributeValue;

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("QuickGelu", &[v(1, First, quick_gelu)]);

fn quick_gelu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let alpha = standard::attribute("alpha", AttributeValue::Float(call.float("alpha")?));
    one(standard::tensor(
        call,
        ("Swish", 24),
        &[Some(call.tensor(0)?)],
        &[alpha],
    )?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check};

    /// With alpha = ln 3, sigmoid(±alpha) = 3/4 and 1/4; the default of alpha is 1.702.
    #[test]
    fn values_at_one() {
        let under = ("com.microsoft", "QuickGelu", 1);
        let x = || Tensor::vector(vec![1.0_f64, -1.0]).into();
        let alpha = [attribute("alpha", 1.098_612_3_f32)];
        check(
            under,
            &[x()],
            &alpha,
            &[Tensor::vector(vec![0.75_f64, -0.25]).into()],
        );
        let y = 1.0 / (1.0 + libm::exp(-1.702));
        check(under, &[x()], &[], &[Tensor::vector(vec![y, y - 1.0]).into()]);
    }
}
