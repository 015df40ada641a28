//! LRN — each element divided by (bias + alpha / size · sum of squares over adjacent channels) ^ beta.
//!
//! In f64 (double-double sums for f64), rounded once. Version 13 only adds bf16.

use onnx_tensor::{Accumulator, Float, Tensor, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op("LRN", &[v(1, First, lrn), v(13, TypesOnly, lrn)]);

fn lrn(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call))
}

fn typed<T: Float>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let &[batch, channels, ref spatial @ ..] = x.shape() else {
        return Err(OpError::invalid(format!(
            "shape {:?} must have a batch and a channel axis",
            x.shape()
        )));
    };
    let size = super::kernels::positive(call, "size")?;
    let real = |name| call.float(name).map(f64::from);
    let (alpha, beta, bias) = (real("alpha")?, real("beta")?, real("bias")?);
    let (below, above) = ((size - 1) / 2, size / 2);
    if x.is_empty() {
        return one(layout::empty(T::DTYPE, x.shape())?);
    }
    call.work(&[x.len(), size.min(channels)])?;
    let plane: usize = spatial.iter().product();
    let dense = x.as_standard_layout();
    let elements = dense.as_slice().unwrap_or_default();
    let mut result = Vec::with_capacity(elements.len());
    for image in 0..batch {
        let image = &elements[image * channels * plane..(image + 1) * channels * plane];
        for channel in 0..channels {
            let near = channel.saturating_sub(below)..channel.saturating_add(above).min(channels - 1) + 1;
            for place in 0..plane {
                let mut squares = T::Acc::default();
                for near in near.clone() {
                    let x = image[near * plane + place];
                    squares.add_product(x, x);
                }
                let divisor = libm::pow(bias + alpha / size as f64 * squares.to_f64(), beta);
                result.push(T::from_f64(image[channel * plane + place].to_f64() / divisor));
            }
        }
    }
    one(Tensor::new(x.shape(), result)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// By hand: an even size covers one more channel above than below, so the divisors are 1 + (1 + 4), 1 +
    /// (4 + 9) and 1 + 9.
    #[test]
    fn an_even_size() {
        let tensor = |elements: [f32; 3]| Tensor::new(&[1, 3, 1], elements.to_vec()).expect("three elements");
        let attributes = [
            attribute("size", 2),
            attribute("alpha", 2.0_f32),
            attribute("beta", 1.0_f32),
        ];
        let expected = [tensor([1.0 / 6.0, 2.0 / 14.0, 3.0 / 10.0])];
        exact(("", "LRN", 1), &[tensor([1.0, 2.0, 3.0])], &attributes, &expected);
    }
}
