//! Range (`com.microsoft`) — Range-11 of scalars or vectors with one element; the step is 1 if it is omitted.

use onnx_tensor::Tensor;

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::layout;

pub const OP: OpDef = contrib("Range", &[v(1, First, range)]);

fn range(call: &Call<'_>) -> Result<Outputs, OpError> {
    let scalar = |tensor: &Tensor| match tensor.shape() {
        [] | [1] => Ok(tensor.reshape(&[])?),
        shape => Err(OpError::invalid(format!(
            "an operand of shape {shape:?} must have one element"
        ))),
    };
    let (start, limit) = (scalar(call.tensor(0)?)?, scalar(call.tensor(1)?)?);
    let delta = match call.optional_tensor(2)? {
        None => layout::number(start.dtype(), 1.0)?,
        Some(delta) => scalar(delta)?,
    };
    let inputs = [Some(&start), Some(&limit), Some(&delta)];
    one(standard::tensor(call, ("Range", 11), &inputs, &[])?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    #[test]
    fn without_a_step() {
        let under = ("com.microsoft", "Range", 1);
        let ends = [Tensor::vector(vec![1_i16]), Tensor::scalar(4_i16)];
        exact(under, &ends, &[], &[Tensor::vector(vec![1_i16, 2, 3])]);
        let down = [
            Tensor::scalar(1.0_f32),
            Tensor::scalar(-1.0_f32),
            Tensor::scalar(-1.0_f32),
        ];
        exact(under, &down, &[], &[Tensor::vector(vec![1.0_f32, 0.0])]);
    }
}
