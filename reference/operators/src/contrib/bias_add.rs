//! BiasAdd — X plus a bias along the last axis plus `skip`; in f64, rounded once.

use super::biased::biased;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("BiasAdd", &[v(1, First, bias_add)]);

fn bias_add(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (x, skip) = (call.tensor(0)?, call.tensor(2)?);
    if x.shape() != skip.shape() {
        return Err(OpError::invalid(format!(
            "`skip` of shape {:?} must have the shape {:?}",
            skip.shape(),
            x.shape()
        )));
    }
    let sum = biased(call, x, Some(call.tensor(1)?))?;
    one(narrow(sum + widen(skip)?, x.dtype())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// 1 + 2⁻²⁴ + 2⁻²⁴ is 1 + 2⁻²³ if it is rounded once.
    #[test]
    fn one_rounding() {
        let one_by_one = |value: f32| Tensor::new(&[1, 1, 1], vec![value]).expect("one element");
        let tiny = 2.0_f32.powi(-24);
        exact(
            ("com.microsoft", "BiasAdd", 1),
            &[one_by_one(1.0), Tensor::vector(vec![tiny]), one_by_one(tiny)],
            &[],
            &[one_by_one(1.0 + 2.0_f32.powi(-23))],
        );
    }
}
