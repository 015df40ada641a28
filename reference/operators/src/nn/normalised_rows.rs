//! LayerNormalization and RMSNormalization of float, row by row, where an estimate decides what the formula
//! in double-double rounds to.

use std::borrow::Cow;

use onnx_arithmetic::moments::{self as estimate, Bounded};
use onnx_tensor::{DType, Tensor};

use super::kernels::dense;
use super::moments::{Moments, mean_square};
use crate::frame::{Call, OpError};
use crate::shared::axes;

/// The distances that are normalised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    Mean,
    /// From 0.
    Zero,
}

/// The result, and for each row its mean and the factor of its elements.
#[derive(Debug)]
pub struct Normalised {
    /// Scaled and shifted.
    pub y: Tensor,
    /// The means, rounded.
    pub means: Vec<f32>,
    /// The factors, rounded.
    pub factors: Vec<f32>,
}

/// One row before it is scaled.
struct Row {
    mean: f32,
    factor: f32,
}

/// Normalises the elements from `axis` on. `None` if the input, `stash_type`, the scale or the bias is not
/// float, or if the scale or the bias is not of the shape of a row.
pub fn normalised(
    call: &Call<'_>,
    distance: Distance,
    bias: Option<&Tensor>,
) -> Result<Option<Normalised>, OpError> {
    let (x, scale) = (call.tensor(0)?, call.tensor(1)?);
    let floats = [Some(x), Some(scale), bias]
        .into_iter()
        .flatten()
        .all(|x| x.dtype() == DType::Float);
    let stash = call.int("stash_type")?;
    if !floats || x.is_empty() || DType::from_onnx(stash) != Ok(DType::Float) {
        return Ok(None);
    }
    let axis = axes::axis(call.int("axis")?, x.rank())?;
    let row = &x.shape()[axis..];
    if [Some(scale), bias]
        .into_iter()
        .flatten()
        .any(|parameter| parameter.shape() != row)
    {
        return Ok(None);
    }
    let epsilon = f64::from(call.float("epsilon")?);
    let width = row.iter().product();
    let elements = dense(x.array::<f32>()?);
    let mut y = vec![0.0; elements.len()];
    let (mut means, mut factors) = (Vec::new(), Vec::new());
    for (x, y) in elements.chunks(width).zip(y.chunks_mut(width)) {
        let row = decided(x, distance, epsilon, y).unwrap_or_else(|| computed(x, distance, epsilon, y));
        means.push(row.mean);
        factors.push(row.factor);
    }
    let bias = match bias {
        Some(bias) => dense(bias.array::<f32>()?),
        // It leaves a zero as it is.
        None => Cow::Owned(vec![-0.0; width]),
    };
    estimate::scale_rows(&mut y, &dense(scale.array::<f32>()?), &bias);
    let y = Tensor::new(x.shape(), y)?;
    Ok(Some(Normalised { y, means, factors }))
}

/// Normalises a row if an estimate decides each of its results.
fn decided(x: &[f32], distance: Distance, epsilon: f64, y: &mut [f32]) -> Option<Row> {
    let moments = match distance {
        Distance::Mean => estimate::Moments::centred(x),
        Distance::Zero => estimate::Moments::about_zero(x),
    };
    let factor: Bounded = moments.inverse_deviation(epsilon);
    let row = Row {
        mean: moments.mean.rounded()?,
        factor: factor.rounded()?,
    };
    moments.normalise(factor, x, y).then_some(row)
}

/// Normalises a row by the formula.
fn computed(x: &[f32], distance: Distance, epsilon: f64, y: &mut [f32]) -> Row {
    let elements = x.iter().map(|&x| f64::from(x));
    let (mean, factor) = match distance {
        Distance::Mean => {
            let moments = Moments::of(elements.clone());
            let factor = moments.inverse_deviation(epsilon);
            let normalised = elements.map(|x| ((x - moments.mean) * factor) as f32);
            y.iter_mut().zip(normalised).for_each(|(y, x)| *y = x);
            (moments.mean, factor)
        }
        Distance::Zero => {
            let root = (mean_square(elements.clone()) + epsilon).sqrt();
            y.iter_mut()
                .zip(elements)
                .for_each(|(y, x)| *y = (x / root) as f32);
            (0.0, root.recip())
        }
    };
    Row {
        mean: mean as f32,
        factor: factor as f32,
    }
}
