//! IsInf — whether the element is infinite, with a sign that `detect_negative` or `detect_positive`
//! selects.
//!
//! Float8E4M3FN, Float8E4M3FNUZ and Float8E5M2FNUZ have no infinity: the result is false.

use super::classify::classify;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op("IsInf", &[v(10, First, is_inf), v(20, TypesOnly, is_inf)]);

fn is_inf(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (negative, positive) = (call.flag("detect_negative")?, call.flag("detect_positive")?);
    classify(call, |x| {
        (negative && x == f64::NEG_INFINITY) || (positive && x == f64::INFINITY)
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{F8E5M2, Tensor};

    use crate::frame::testing::{attribute, exact};

    /// Float8E5M2: 0x7C and 0xFC are the infinities, 0x7D is NaN, 0x7B the greatest finite value.
    #[test]
    fn eight_bits() {
        let x = || Tensor::vector([0x7C, 0xFC, 0x7D, 0x7B].map(F8E5M2).to_vec());
        exact(
            ("", "IsInf", 20),
            &[x()],
            &[],
            &[Tensor::vector(vec![true, true, false, false])],
        );
        let positive = [attribute("detect_negative", 0)];
        exact(
            ("", "IsInf", 20),
            &[x()],
            &positive,
            &[Tensor::vector(vec![true, false, false, false])],
        );
        exact(
            ("", "IsNaN", 20),
            &[x()],
            &[],
            &[Tensor::vector(vec![false, false, true, false])],
        );
    }
}
