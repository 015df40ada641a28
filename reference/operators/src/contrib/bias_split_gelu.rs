//! BiasSplitGelu — the input plus a bias along its last axis, split into halves: left · Gelu(right).
//!
//! In f64, rounded once.

use ndarray::{Axis, Slice};

use super::biased::biased;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::activation;
use crate::shared::reals::narrow;

pub const OP: OpDef = contrib("BiasSplitGelu", &[v(1, First, bias_split_gelu)]);

fn bias_split_gelu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let sum = biased(call, x, Some(call.tensor(1)?))?;
    let width = sum.shape().last().copied().unwrap_or(0);
    if width % 2 != 0 {
        return Err(OpError::invalid(format!("a width of {width} has no halves")));
    }
    let last = Axis(sum.ndim() - 1);
    let left = sum.slice_axis(last, Slice::from(..width / 2));
    let right = sum.slice_axis(last, Slice::from(width / 2..));
    one(narrow(&left * &right.mapv(activation::gelu), x.dtype())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{check, refused, values};

    /// (3 − 1) · Gelu(0.5 + 0.5), where Gelu(1) is that of `gelu.rs`.
    #[test]
    fn halves() {
        let under = ("com.microsoft", "BiasSplitGelu", 1);
        let x = Tensor::new(&[1, 1, 2], vec![3.0_f32, 0.5]).expect("two elements");
        let bias = Tensor::vector(vec![-1.0_f32, 0.5]);
        let y = Tensor::new(&[1, 1, 1], vec![1.682_689_5_f32]).expect("one element");
        check(under, &values(&[x, bias]), &[], &[y.into()]);
        let odd = [
            Tensor::new(&[1, 1, 1], vec![3.0_f32]).expect("one element"),
            Tensor::vector(vec![0.0_f32]),
        ];
        refused(under, &values(&odd), &[], "no halves");
    }
}
