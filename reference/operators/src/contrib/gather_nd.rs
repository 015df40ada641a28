//! GatherND (`com.microsoft`) — GatherND-11, with indices of 32 or 64 bits.

use onnx_tensor::Tensor;

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("GatherND", &[v(1, First, gather_nd)]);

fn gather_nd(call: &Call<'_>) -> Result<Outputs, OpError> {
    let indices = Tensor::new(call.tensor(1)?.shape(), call.integers(1)?)?;
    let inputs = [Some(call.tensor(0)?), Some(&indices)];
    one(standard::tensor(call, ("GatherND", 11), &inputs, &[])?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, rows};

    #[test]
    fn elements() {
        let inputs = [
            rows(&[[1.0, 2.0], [3.0, 4.0]]),
            Tensor::new(&[2, 2], vec![1_i32, 0, 0, -1]).expect("two positions"),
        ];
        let y = Tensor::vector(vec![3.0_f32, 2.0]);
        exact(("com.microsoft", "GatherND", 1), &inputs, &[], &[y]);
    }
}
