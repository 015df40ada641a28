//! LayerNormalization and RMSNormalization.

use onnx_tensor::{DType, Tensor, Value};

use super::super::broadcast::expand;
use super::super::call::{axis, one};
use super::super::fast::{Fast, Normalization};
use super::super::numbers::{floats, from_floats, rounded, sum};
use super::super::{Call, Outcome, Row, row};
use crate::error::Problem;
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("LayerNormalization", 17, SAME, layer).fast(Fast::Normalization(Normalization::Layer)),
    row("RMSNormalization", 23, SAME, rms).fast(Fast::Normalization(Normalization::MeanSquare)),
];

/// The two stages of a normalization. Elements are converted to the type of `stash_type`, normalized, and
/// converted back through it; scale and bias come after.
pub struct Stage {
    stash: DType,
    own: DType,
}

impl Stage {
    /// Returns the stages for an input of this type; versions without the attribute have no first stage.
    pub fn of(call: &Call, own: DType) -> Result<Stage, Problem> {
        match call.attributes.dtype("stash_type")? {
            Some(stash) => Ok(Stage { stash, own }),
            None => Ok(Stage {
                stash: DType::Double,
                own: DType::Double,
            }),
        }
    }

    /// Rounds elements to the type of the first stage.
    pub fn enter(&self, values: Vec<f64>) -> Result<Vec<f64>, Problem> {
        rounded(self.stash, values)
    }

    /// Rounds normalized elements to the input of the second stage.
    pub fn leave(&self, values: Vec<f64>) -> Result<Vec<f64>, Problem> {
        rounded(self.own, rounded(self.stash, values)?)
    }
}

/// Returns the tensor, the first axis of the normalization, and the number of elements over that axis and the
/// later ones.
fn target<'a>(call: &Call<'a>) -> Result<(&'a Tensor, usize, usize), Problem> {
    let tensor = call.tensor(0)?;
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    let length = tensor.shape()[at..].iter().product::<usize>().max(1);
    Ok((tensor, at, length))
}

fn rms(call: &Call) -> Outcome {
    let (tensor, _, length) = target(call)?;
    let stage = Stage::of(call, tensor.dtype())?;
    let mut values = stage.enter(floats(tensor)?)?;
    let epsilon = f64::from(call.attributes.float("epsilon")?);
    for line in values.chunks_exact_mut(length) {
        let square = sum(line.iter().map(|x| x * x)) / length as f64;
        let root = (square + epsilon).sqrt();
        line.iter_mut().for_each(|x| *x /= root);
    }
    let scale = call.tensor(1)?;
    let scales = floats(&expand(scale, tensor.shape())?)?;
    let scaled = stage
        .leave(values)?
        .into_iter()
        .zip(scales)
        .map(|(x, scale)| x * scale);
    one(from_floats(scale.dtype(), tensor.shape(), scaled.collect())?)
}

fn layer(call: &Call) -> Outcome {
    let (tensor, at, length) = target(call)?;
    let shape = tensor.shape();
    let stage = Stage::of(call, tensor.dtype())?;
    let scale = floats(&expand(call.tensor(1)?, shape)?)?;
    let bias = match call.find_tensor(2)? {
        Some(bias) => floats(&expand(bias, shape)?)?,
        None => vec![0.0; tensor.len()],
    };
    let epsilon = f64::from(call.attributes.float("epsilon")?);
    let mut values = stage.enter(floats(tensor)?)?;
    let (mut means, mut deviations) = (Vec::new(), Vec::new());
    for line in values.chunks_exact_mut(length) {
        let mean = sum(line.iter().copied()) / length as f64;
        let variance = sum(line.iter().map(|x| (x - mean).powi(2))) / length as f64;
        let inverse = 1.0 / (variance + epsilon).sqrt();
        line.iter_mut().for_each(|x| *x = (*x - mean) * inverse);
        means.push(mean);
        deviations.push(inverse);
    }
    let places = scale.iter().zip(&bias);
    let values = stage.leave(values)?.into_iter().zip(places);
    let values = values.map(|(x, (scale, bias))| x * scale + bias).collect();
    let kept: Vec<usize> = shape[..at]
        .iter()
        .copied()
        .chain(std::iter::repeat_n(1, shape.len() - at))
        .collect();
    let stash = call.attributes.dtype("stash_type")?.unwrap_or(DType::Float);
    let mut outputs = vec![Value::Tensor(from_floats(tensor.dtype(), shape, values)?)];
    for statistic in [means, deviations]
        .into_iter()
        .take(call.outputs.saturating_sub(1))
    {
        outputs.push(Value::Tensor(from_floats(stash, &kept, statistic)?));
    }
    Ok(outputs)
}
