//! ExpandDims — inserts an axis of extent 1: Unsqueeze-13 with one axis.

use onnx_tensor::Tensor;

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("ExpandDims", &[v(1, First, expand_dims)]);

fn expand_dims(call: &Call<'_>) -> Result<Outputs, OpError> {
    let axis = Tensor::vector(vec![i64::from(call.scalar::<i32>(1)?)]);
    let inputs = [Some(call.tensor(0)?), Some(&axis)];
    one(standard::tensor(call, ("Unsqueeze", 13), &inputs, &[])?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, values};

    #[test]
    fn from_both_ends() {
        let under = ("com.microsoft", "ExpandDims", 1);
        let x = || Tensor::vector(vec![1.0_f32, 2.0]);
        let shaped = |shape: [usize; 2]| x().reshape(&shape).expect("two elements");
        exact(under, &[x(), Tensor::scalar(0_i32)], &[], &[shaped([1, 2])]);
        exact(under, &[x(), Tensor::scalar(-1_i32)], &[], &[shaped([2, 1])]);
        refused(under, &values(&[x(), Tensor::scalar(3_i32)]), &[], "axis 3");
    }
}
