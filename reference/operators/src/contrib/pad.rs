//! Pad (`com.microsoft`) — Pad-11 with pads of shape (2 · rank) or (1, 2 · rank) and a value of rank 0 or 1.

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("Pad", &[v(1, First, pad)]);

fn pad(call: &Call<'_>) -> Result<Outputs, OpError> {
    let pads = match call.tensor(1)?.shape() {
        [_] => call.tensor(1)?.clone(),
        [1, count] => call.tensor(1)?.reshape(&[*count])?,
        shape => return Err(OpError::invalid(format!("`pads` has shape {shape:?}"))),
    };
    let value = match call.optional_tensor(2)? {
        Some(value) if value.shape() == [1] => Some(value.reshape(&[])?),
        value => value.cloned(),
    };
    let inputs = [Some(call.tensor(0)?), Some(&pads), value.as_ref()];
    let attributes = standard::shared_attributes(call, ("Pad", 11));
    one(standard::tensor(call, ("Pad", 11), &inputs, &attributes)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    #[test]
    fn constants_and_edges() {
        let under = ("com.microsoft", "Pad", 1);
        let pads = Tensor::new(&[1, 2], vec![1_i64, 2]).expect("two pads");
        let x = Tensor::vector(vec![1.0_f32, 2.0]);
        let value = Tensor::vector(vec![9.0_f32]);
        let y = Tensor::vector(vec![9.0_f32, 1.0, 2.0, 9.0, 9.0]);
        exact(under, &[x.clone(), pads.clone(), value], &[], &[y]);
        let edge = [attribute("mode", "edge")];
        let y = Tensor::vector(vec![1.0_f32, 1.0, 2.0, 2.0, 2.0]);
        exact(under, &[x, pads], &edge, &[y]);
    }
}
