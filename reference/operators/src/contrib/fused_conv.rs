//! FusedConv — an activation function of a convolution plus an optional addend Z of its shape.
//!
//! The sum starts at the bias, as in Conv; addend and activation in f64, rounded once.
//!
//! Interpretation: the text says nothing about Z and `activation_params`; as in ONNX Runtime, Z is added
//! before the activation, and the parameters are alpha (LeakyRelu), alpha and beta (HardSigmoid) or the two
//! bounds (Clip).

use onnx_tensor::{Float, Tensor, dispatch};

use super::fused_activation::activation;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::nn::{bias, convolution_of, dense};
use crate::shared::layout;
use crate::shared::matrix_product::Product;

pub const OP: OpDef = contrib("FusedConv", &[v(1, First, evaluate)]);

/// Also NhwcFusedConv, with its images transposed.
pub fn evaluate(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => fused_conv::<T>(call))
}

fn fused_conv<T: Float + Product>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (x, w) = (call.array::<T>(0)?, call.array::<T>(1)?);
    let parameters = call.optional_floats("activation_params")?.unwrap_or_default();
    let parameters: Vec<_> = parameters.into_iter().map(|value| Some(value.into())).collect();
    let activate = activation(
        call.optional_string("activation")?.unwrap_or_default(),
        &parameters,
    )?;
    let convolution = convolution_of(call, x.shape(), w.shape())?;
    let shape = convolution.shape();
    let start = bias::<T>(call.optional_array(2)?, convolution.maps)?;
    let addend = call.optional_array::<T>(3)?;
    if let Some(addend) = addend.filter(|addend| addend.shape() != shape) {
        return Err(OpError::invalid(format!(
            "Z of shape {:?} must have the shape of the result, {shape:?}",
            addend.shape()
        )));
    }
    if shape.contains(&0) {
        return one(layout::empty(T::DTYPE, &shape)?);
    }
    call.reserve(&shape, onnx_tensor::DType::Double)?;
    let as_f64 = |_, sums: &[T::Sum], result: &mut [f64]| {
        result
            .iter_mut()
            .zip(sums)
            .for_each(|(result, &sum)| *result = T::sum_to_f64(sum));
    };
    let mut sums = convolution.run::<T, f64>(&dense(x), &dense(w), &start, &as_f64)?;
    if let Some(addend) = addend {
        let pairs = sums.iter_mut().zip(addend.iter());
        pairs.for_each(|(sum, z)| *sum += z.to_f64());
    }
    let result = sums
        .into_iter()
        .map(|sum| <T as onnx_tensor::Real>::from_f64(activate(sum)));
    one(Tensor::new(&shape, result.collect())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    fn row(elements: &[f32]) -> Tensor {
        Tensor::new(&[1, 1, elements.len()], elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand: x · 2 + 1 + z is −3, 1 and 9.
    #[test]
    fn the_addend_comes_before_the_activation() {
        let under = ("com.microsoft", "FusedConv", 1);
        let inputs = [
            row(&[-2.0, 0.0, 2.0]),
            row(&[2.0]),
            Tensor::vector(vec![1.0_f32]),
            row(&[0.0, 0.0, 4.0]),
        ];
        let relu = [attribute("activation", "Relu")];
        exact(under, &inputs, &relu, &[row(&[0.0, 1.0, 9.0])]);
        let leaky = [
            attribute("activation", "LeakyRelu"),
            attribute("activation_params", [0.5_f32]),
        ];
        exact(under, &inputs, &leaky, &[row(&[-1.5, 1.0, 9.0])]);
        let clip = [
            attribute("activation", "Clip"),
            attribute("activation_params", [-1.0_f32, 6.0]),
        ];
        exact(under, &inputs, &clip, &[row(&[-1.0, 1.0, 6.0])]);
        let unknown = [attribute("activation", "Mish")];
        refused(under, &values(&inputs), &unknown, "`Mish`");
    }
}
