//! QGemm — alpha · A' · B' of matrices of 8 bits plus C, as float or quantized.
//!
//! The sums are exact in int32 (wrapping), C included, which has the scale alpha · a_scale · b_scale; scaled
//! in f64 and rounded once: to float, or half to even to the steps of Y.

use ndarray::ArrayD;
use onnx_tensor::{DType, Tensor};

use super::affine::Affine;
use super::integer_product::{Quantized, scaled};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::broadcast;
use crate::shared::layout::permute;
use crate::shared::quantized::{Along, along, reals, scalar};
use crate::shared::reals::narrow;

pub const OP: OpDef = contrib("QGemm", &[v(1, First, q_gemm)]);

fn q_gemm(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (a, b) = (matrix(call, 0, "transA")?, matrix(call, 3, "transB")?);
    let operand = |tensor, index: usize| {
        Ok::<_, OpError>(Quantized {
            tensor,
            scale: call.tensor(index + 1)?,
            zero: call.optional_tensor(index + 2)?,
        })
    };
    let mut y = scaled(call, &operand(&a, 0)?, &operand(&b, 3)?)?;
    if let Some(c) = call.optional_array::<i32>(6)? {
        let a_scale = scalar(&reals(call.tensor(1)?)?, "a_scale")?;
        let b_scale = along(reals(call.tensor(4)?)?, b.shape(), Along::Columns)?;
        let shape = y.shape().to_vec();
        let steps = broadcast::view(c, &shape)?;
        let scales = broadcast::view(&b_scale, &shape)?;
        let addend: ArrayD<f64> = ndarray::Zip::from(&steps)
            .and(&scales)
            .map_collect(|&step, &b| f64::from(step) * (a_scale * b));
        y += &addend;
    }
    let alpha = f64::from(call.float("alpha")?);
    y.mapv_inplace(|x| x * alpha);
    match call.optional_tensor(7)? {
        None => one(narrow(y, DType::Float)?),
        Some(_) => {
            let dtype = call.optional_tensor(8)?.map_or(a.dtype(), Tensor::dtype);
            one(Affine::read(call, 7)?.quantized(y, dtype)?)
        }
    }
}

fn matrix(call: &Call<'_>, index: usize, transposed: &str) -> Result<Tensor, OpError> {
    let tensor = call.tensor(index)?;
    match (tensor.rank(), call.int(transposed)? != 0) {
        (2, true) => permute(tensor, &[1, 0]),
        (2, false) => Ok(tensor.clone()),
        _ => Err(OpError::invalid(format!(
            "input {index} of shape {:?} is not a matrix",
            tensor.shape()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, rows};

    /// By hand: (2 · 3 + 1 · −1 + 4) · 0.5 · 2 · 3 = 27 as float, and 27 / 10 + 100 = 103 in steps.
    #[test]
    fn as_float_and_quantized() {
        let inputs = [
            Tensor::new(&[2, 1], vec![3_u8, 2]).expect("two elements"),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(1_u8),
            Tensor::new(&[2, 1], vec![3_i8, -1]).expect("two elements"),
            Tensor::vector(vec![2.0_f32]),
            Tensor::vector(vec![0_i8]),
            Tensor::vector(vec![4_i32]),
            Tensor::scalar(10.0_f32),
            Tensor::scalar(100_u8),
        ];
        let under = ("com.microsoft", "QGemm", 1);
        let attributes = [attribute("transA", 1), attribute("alpha", 3.0_f32)];
        exact(under, &inputs[..7], &attributes, &[rows(&[[27.0]])]);
        let steps = Tensor::new(&[1, 1], vec![103_u8]).expect("one element");
        exact(under, &inputs, &attributes, &[steps]);
    }
}
