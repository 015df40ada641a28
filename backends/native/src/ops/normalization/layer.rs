//! LayerNormalization and RMSNormalization.

use onnx_tensor::{DType, Tensor, Value};

use super::super::broadcast::expand;
use super::super::call::{axis, one};
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use crate::error::Problem;

pub const ROWS: &[Row] = &[
    row("LayerNormalization", 17, layer),
    row("RMSNormalization", 23, |call| {
        let (tensor, at) = target(call)?;
        let scale = floats(&expand(call.tensor(1)?, tensor.shape())?)?;
        let mut values = floats(tensor)?;
        let length = tensor.shape()[at..].iter().product::<usize>().max(1);
        let epsilon = f64::from(call.attributes.float("epsilon")?);
        for (line, scale) in values.chunks_exact_mut(length).zip(scale.chunks_exact(length)) {
            let square = line.iter().map(|x| x * x).sum::<f64>() / length as f64;
            let factor = 1.0 / (square + epsilon).sqrt();
            line.iter_mut()
                .zip(scale)
                .for_each(|(x, scale)| *x *= factor * scale);
        }
        one(from_floats(tensor.dtype(), tensor.shape(), values)?)
    }),
];

fn target<'a>(call: &Call<'a>) -> Result<(&'a Tensor, usize), Problem> {
    let tensor = call.tensor(0)?;
    Ok((tensor, axis(call.attributes.int("axis")?, tensor.rank())?))
}

fn layer(call: &Call) -> Outcome {
    let (tensor, at) = target(call)?;
    let shape = tensor.shape();
    let scale = floats(&expand(call.tensor(1)?, shape)?)?;
    let bias = match call.find_tensor(2)? {
        Some(bias) => floats(&expand(bias, shape)?)?,
        None => vec![0.0; tensor.len()],
    };
    let length = shape[at..].iter().product::<usize>().max(1);
    let epsilon = f64::from(call.attributes.float("epsilon")?);
    let mut values = floats(tensor)?;
    let (mut means, mut deviations) = (Vec::new(), Vec::new());
    for (row, line) in values.chunks_exact_mut(length).enumerate() {
        let mean = line.iter().sum::<f64>() / length as f64;
        let variance = line.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / length as f64;
        let inverse = 1.0 / (variance + epsilon).sqrt();
        for (column, x) in line.iter_mut().enumerate() {
            let place = row * length + column;
            *x = (*x - mean) * inverse * scale[place] + bias[place];
        }
        means.push(mean);
        deviations.push(inverse);
    }
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
