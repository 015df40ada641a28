//! Tensors with one scale and one zero point.

use ndarray::ArrayD;
use onnx_tensor::{DType, Tensor};

use crate::frame::{Call, OpError};
use crate::shared::quantized::{reals, requantize, scalar};

/// The scale and the zero point of a tensor. A real number x is x / scale + zero point.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    pub scale: f64,
    /// The zero point.
    pub zero: f64,
}

impl Affine {
    /// The scale at input `scale`, and the zero point behind it; 0 if it is omitted.
    pub fn read(call: &Call<'_>, scale: usize) -> Result<Affine, OpError> {
        let name = |index| call.schema().input(index).map_or("", |formal| formal.name);
        let zero = match call.optional_tensor(scale + 1)? {
            None => 0.0,
            Some(zero) => scalar(&reals(zero)?, name(scale + 1))?,
        };
        Ok(Affine {
            scale: scalar(&reals(call.tensor(scale)?)?, name(scale))?,
            zero,
        })
    }

    /// The elements of `tensor` minus the zero point, exactly.
    pub fn steps(self, tensor: &Tensor) -> Result<ArrayD<f64>, OpError> {
        Ok(reals(tensor)?.mapv_into(|x| x - self.zero))
    }

    /// The real numbers of `tensor`, in f64.
    pub fn values(self, tensor: &Tensor) -> Result<ArrayD<f64>, OpError> {
        Ok(self.steps(tensor)?.mapv_into(|x| x * self.scale))
    }

    /// Real numbers as a tensor of `dtype` with this scale and zero point, rounded half to even and
    /// saturated.
    pub fn quantized(self, values: ArrayD<f64>, dtype: DType) -> Result<Tensor, OpError> {
        requantize(values.mapv_into(|x| x / self.scale), self.zero, dtype)
    }
}
