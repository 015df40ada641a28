//! QLinearReduceMean — the mean of a tensor of 8 bits along axes, quantized.
//!
//! The sum of steps is exact; the mean in f64, rounded half to even once. The mean of no elements is not
//! defined.

use ndarray::{ArrayD, Axis};
use onnx_tensor::DType;

use super::affine::Affine;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::axes;

pub const OP: OpDef = contrib("QLinearReduceMean", &[v(1, First, q_linear_reduce_mean)]);

fn q_linear_reduce_mean(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let reduced = match call.optional_ints("axes")? {
        None => (0..x.rank()).collect(),
        Some(list) => axes::axes(&list, x.rank())?,
    };
    call.reserve(x.shape(), DType::Double)?;
    let of_x = Affine::read(call, 1)?;
    let count: usize = reduced.iter().map(|&axis| x.shape()[axis]).product();
    if count == 0 {
        return Err(OpError::undefined("the mean of no elements, quantized"));
    }
    let mut sums: ArrayD<f64> = of_x.steps(x)?;
    for &axis in &reduced {
        sums = sums.sum_axis(Axis(axis)).insert_axis(Axis(axis));
    }
    if !call.flag("keepdims")? {
        for &axis in reduced.iter().rev() {
            sums = sums.index_axis_move(Axis(axis), 0);
        }
    }
    let factor = of_x.scale;
    let means = sums.mapv_into(|sum| sum / count as f64 * factor);
    one(Affine::read(call, 3)?.quantized(means, x.dtype())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// By hand: steps 1, 4 and −2, 0 have the means 2.5 and −1; ·0.5 / 0.5 + 1 is 3 (2.5 goes to 2) and 0.
    #[test]
    fn rows() {
        let inputs = [
            Tensor::new(&[2, 2], vec![2_i8, 5, -1, 1]).expect("four elements"),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(1_i8),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(1_i8),
        ];
        let under = ("com.microsoft", "QLinearReduceMean", 1);
        let attributes = [attribute("axes", [-1_i64]), attribute("keepdims", 0)];
        exact(under, &inputs, &attributes, &[Tensor::vector(vec![3_i8, 0])]);
        let all = Tensor::new(&[1, 1], vec![2_i8]).expect("one element");
        exact(under, &inputs, &[attribute("keepdims", 1)], &[all]);
    }
}
