//! The convolution of 8-bit tensors minus their zero points, in int32 (wrapping), for ConvInteger and
//! QLinearConv.
//!
//! Padding has the value zero, so it is added after the zero point is subtracted.

use ndarray::{ArrayD, ArrayViewD, Axis};
use onnx_tensor::{Array, Element, Tensor};

use super::conv::forward;
use super::convolution::Convolution;
use super::kernels;
use crate::frame::{Call, OpError};
use crate::shared::quantized::{integers, scalar};

/// The operands of the convolution, minus their zero points.
pub struct Operands {
    /// The shapes.
    pub convolution: Convolution,
    x: Array<i32>,
    w: Array<i32>,
}

impl Operands {
    /// `x` and `w` with their zero points; that of `w` may have an entry for each output channel.
    pub fn new(
        call: &Call<'_>,
        (x, x_zero): (&Tensor, Option<&Tensor>),
        (w, w_zero): (&Tensor, Option<&Tensor>),
    ) -> Result<Operands, OpError> {
        let convolution = forward(call, x.shape(), w.shape())?;
        let mut x = integers(x)?;
        if let Some(zero) = x_zero {
            let zero = scalar(&integers(zero)?.mapv(f64::from), "x_zero_point")? as i32;
            x.mapv_inplace(|value| value - zero);
        }
        let mut w = integers(w)?;
        if let Some(zero) = w_zero {
            let zeros = for_each_map(integers(zero)?, convolution.maps, "w_zero_point")?;
            for (mut kernel, zero) in w.axis_iter_mut(Axis(0)).zip(zeros) {
                kernel.mapv_inplace(|value| value - zero);
            }
        }
        Ok(Operands {
            convolution,
            x: x.into_shared(),
            w: w.into_shared(),
        })
    }

    /// The convolution, with each sum started at `start` and finished by `finish`.
    pub fn run<R: Element + Copy>(
        &self,
        start: &[i32],
        finish: impl Fn(usize, i32) -> R + Sync,
    ) -> Result<ArrayD<R>, OpError> {
        let shape = self.convolution.shape();
        if shape.contains(&0) {
            return Ok(ArrayD::from_shape_vec(shape, Vec::new())?);
        }
        let (x, w) = (kernels::dense(&self.x), kernels::dense(&self.w));
        let finish = |map, sums: &[i32], result: &mut [R]| {
            let pairs = result.iter_mut().zip(sums);
            pairs.for_each(|(result, &sum)| *result = finish(map, sum));
        };
        let result = self.convolution.run::<i32, R>(&x, &w, start, &finish)?;
        Ok(ArrayD::from_shape_vec(shape, result)?)
    }
}

/// Expands one value for all output channels to one for each.
pub fn for_each_map<T: Clone>(values: ArrayD<T>, maps: usize, name: &str) -> Result<Vec<T>, OpError> {
    let view: ArrayViewD<'_, T> = values.view();
    match view.shape() {
        [count] if *count == maps => Ok(view.iter().cloned().collect()),
        shape => match (view.len(), view.first()) {
            (1, Some(value)) => Ok(vec![value.clone(); maps]),
            _ => Err(OpError::invalid(format!(
                "`{name}` has shape {shape:?}, expected one value or one for each of {maps} output channels"
            ))),
        },
    }
}
