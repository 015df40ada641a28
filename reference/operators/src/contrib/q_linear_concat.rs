//! QLinearConcat — tensors of 8 bits (or floats) with their scales and zero points, joined along an axis and
//! quantized with one scale: each element in f64, rounded half to even once.
//!
//! Interpretation: a float input is quantized as it is; its scale and zero point are not used, as in ONNX
//! Runtime.

use ndarray::{ArrayD, Axis, concatenate};
use onnx_tensor::{DType, Tensor};

use super::affine::Affine;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::axes;
use crate::shared::quantized::reals;

pub const OP: OpDef = contrib("QLinearConcat", &[v(1, First, q_linear_concat)]);

fn q_linear_concat(call: &Call<'_>) -> Result<Outputs, OpError> {
    let to = Affine::read(call, 0)?;
    let triples = call.input_count().saturating_sub(2);
    if triples == 0 || !triples.is_multiple_of(3) {
        return Err(OpError::invalid(format!(
            "expected a tensor, a scale and a zero point for each part, got {triples} inputs"
        )));
    }
    let parts = (2..call.input_count())
        .step_by(3)
        .map(|index| part(call, index))
        .collect::<Result<Vec<ArrayD<f64>>, OpError>>()?;
    let axis = axes::axis(call.int("axis")?, parts[0].ndim())?;
    let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
    let joined = concatenate(Axis(axis), &views)?;
    one(to.quantized(joined, call.dtype(1)?)?)
}

/// The real numbers of the part whose tensor is input `index`.
fn part(call: &Call<'_>, index: usize) -> Result<ArrayD<f64>, OpError> {
    let x: &Tensor = call.tensor(index)?;
    call.reserve(x.shape(), DType::Double)?;
    match x.dtype() {
        DType::Float => reals(x),
        _ => Affine::read(call, index + 1)?.values(x),
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    /// By hand: (3 − 1) · 1 / 0.5 + 2 = 6 and 7 · 0.25 / 0.5 + 2 = 5.5, rounded before the zero point: 6.
    #[test]
    fn parts_with_their_own_scales() {
        let under = ("com.microsoft", "QLinearConcat", 1);
        let inputs = [
            Tensor::scalar(0.5_f32),
            Tensor::scalar(2_u8),
            Tensor::vector(vec![3_u8]),
            Tensor::scalar(1.0_f32),
            Tensor::scalar(1_u8),
            Tensor::vector(vec![7_u8, 0]),
            Tensor::scalar(0.25_f32),
            Tensor::scalar(0_u8),
        ];
        let axis = [attribute("axis", 0)];
        exact(under, &inputs, &axis, &[Tensor::vector(vec![6_u8, 6, 2])]);
        refused(under, &values(&inputs[..7]), &axis, "for each part");
    }
}
