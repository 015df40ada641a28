//! BatchNormalization, InstanceNormalization, GroupNormalization.

use onnx_tensor::{Tensor, Value};

use super::super::call::one;
use super::super::fast::{Fast, Normalization};
use super::super::numbers::{floats, from_floats, sum};
use super::super::rules::Arguments;
use super::super::{Call, Outcome, Row, row};
use super::layer::Stage;
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("BatchNormalization", 1, SAME, |call| {
        if call.attributes.flag("is_test")? {
            inference(call)
        } else {
            unsupported("training is not implemented (is_test is not set)")
        }
    })
    .requires(|node| only_result(node, "is_test", true)),
    row("BatchNormalization", 7, SAME, |call| {
        if call.outputs > 1 {
            return unsupported("training is not implemented, which more than one output requires");
        }
        inference(call)
    }),
    row("BatchNormalization", 14, SAME, |call| {
        if call.attributes.flag("training_mode")? {
            training(call)
        } else {
            inference(call)
        }
    })
    .requires(|node| only_result(node, "training_mode", false)),
    row("InstanceNormalization", 6, SAME, |call| {
        let tensor = call.tensor(0)?;
        let channels = tensor.shape().get(1).copied().unwrap_or(0);
        grouped(
            call,
            channels,
            (call.tensor(1)?, call.tensor(2)?),
            call.attributes.float("epsilon")?,
        )
    })
    .fast(Fast::Normalization(Normalization::Groups))
    .requires(|node| node.image(0)),
    // Before since 21, scale and bias are per group; the kernel has them per channel.
    row("GroupNormalization", 18, SAME, group),
    row("GroupNormalization", 21, SAME, group).fast(Fast::Normalization(Normalization::Groups)),
];

/// Checks that a node whose flag has this value, so that it does not train, has no output besides the result.
fn only_result(node: &Arguments, flag: &str, value: bool) -> Result<(), Problem> {
    if node.attributes.flag(flag)? == value && (1..MOST_OUTPUTS).any(|position| node.wants(position)) {
        invalid("outputs other than Y are for training only")
    } else {
        Ok(())
    }
}

/// The number of outputs of BatchNormalization up to since 9; later versions have three.
const MOST_OUTPUTS: usize = 5;

/// Returns the numbers of images, channels, and elements of a channel.
fn cut(tensor: &Tensor) -> Result<(usize, usize, usize), Problem> {
    match *tensor.shape() {
        [n, c, ref rest @ ..] => Ok((n, c, rest.iter().product())),
        [n] => Ok((n, 1, 1)),
        [] => Ok((1, 1, 1)),
    }
}

fn per_channel(tensor: &Tensor, channels: usize) -> Result<Vec<f64>, Problem> {
    if tensor.shape() == [channels] {
        floats(tensor)
    } else {
        invalid(format!(
            "expected one value for each of {channels} channels, got the shape {:?}",
            tensor.shape()
        ))
    }
}

/// Up to since 7, with `spatial` 0 each element of an image has its own statistics.
fn features(call: &Call) -> Result<(usize, usize, usize), Problem> {
    let (images, channels, inner) = cut(call.tensor(0)?)?;
    let by_element = call.attributes.find_int("spatial")? == Some(0);
    Ok(if by_element {
        (images, channels * inner, 1)
    } else {
        (images, channels, inner)
    })
}

/// Returns input `position`: a number for each channel or, with `spatial` 0, for each element of an image:
/// then in one row, or in the shape of an image.
fn per_feature(call: &Call, position: usize, features: usize) -> Result<Vec<f64>, Problem> {
    let tensor = call.tensor(position)?;
    let by_element = call.attributes.find_int("spatial")? == Some(0);
    if by_element && Some(tensor.shape()) == call.tensor(0)?.shape().get(1..) {
        return floats(tensor);
    }
    per_channel(tensor, features)
}

fn inference(call: &Call) -> Outcome {
    let (_, channels, _) = features(call)?;
    let statistic = |position| per_feature(call, position, channels);
    one(normalized(call, &statistic(3)?, &statistic(4)?)?)
}

fn normalized(call: &Call, mean: &[f64], variance: &[f64]) -> Result<Tensor, Problem> {
    let tensor = call.tensor(0)?;
    let (_, channels, inner) = features(call)?;
    let (scale, shift) = (per_feature(call, 1, channels)?, per_feature(call, 2, channels)?);
    let epsilon = f64::from(call.attributes.float("epsilon")?);
    let mut values = floats(tensor)?;
    for (row, line) in values.chunks_exact_mut(inner.max(1)).enumerate() {
        let channel = row % channels;
        let factor = scale[channel] / (variance[channel] + epsilon).sqrt();
        line.iter_mut()
            .for_each(|x| *x = (*x - mean[channel]) * factor + shift[channel]);
    }
    from_floats(tensor.dtype(), tensor.shape(), values)
}

/// Training: normalizes with the statistics of this batch, and moves the running statistics toward them.
fn training(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let (images, channels, inner) = cut(tensor)?;
    let values = floats(tensor)?;
    let momentum = f64::from(call.attributes.float("momentum")?);
    let count = (images * inner) as f64;
    // The mean of no elements is 0 / 0.
    let start = if count == 0.0 { f64::NAN } else { 0.0 };
    let (mut mean, mut variance) = (vec![start; channels], vec![start; channels]);
    for (row, line) in values.chunks_exact(inner.max(1)).enumerate() {
        mean[row % channels] += sum(line.iter().copied()) / count;
    }
    for (row, line) in values.chunks_exact(inner.max(1)).enumerate() {
        let center = mean[row % channels];
        variance[row % channels] += sum(line.iter().map(|x| (x - center).powi(2))) / count;
    }
    let result = normalized(call, &mean, &variance)?;
    let mut outputs = vec![Value::Tensor(result)];
    for (position, current) in [(3, &mean), (4, &variance)]
        .into_iter()
        .take(call.outputs.saturating_sub(1))
    {
        let running = call.tensor(position)?;
        let old = per_channel(running, channels)?;
        let moved = old
            .iter()
            .zip(current)
            .map(|(old, new)| old * momentum + new * (1.0 - momentum));
        outputs.push(Value::Tensor(from_floats(
            running.dtype(),
            running.shape(),
            moved.collect(),
        )?));
    }
    Ok(outputs)
}

/// Up to since 18 scale and bias are per group, from 21 on per channel.
fn group(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let (_, channels, _) = cut(tensor)?;
    let groups = usize::try_from(call.attributes.int("num_groups")?).unwrap_or(0);
    if groups == 0 || channels % groups != 0 {
        return invalid(format!(
            "{channels} channels cannot be divided into {groups} groups"
        ));
    }
    let spread = |position: usize| -> Result<Tensor, Problem> {
        if call.since >= 21 {
            return Ok(call.tensor(position)?.clone());
        }
        let values = per_channel(call.tensor(position)?, groups)?;
        let spread = values
            .iter()
            .flat_map(|&x| std::iter::repeat_n(x, channels / groups));
        Ok(Tensor::vector(spread.collect()))
    };
    grouped(
        call,
        groups,
        (&spread(1)?, &spread(2)?),
        call.attributes.float("epsilon")?,
    )
}

fn grouped(call: &Call, groups: usize, (scale, bias): (&Tensor, &Tensor), epsilon: f32) -> Outcome {
    let tensor = call.tensor(0)?;
    let (_, channels, inner) = cut(tensor)?;
    if groups == 0 {
        return one(tensor.clone());
    }
    let (scale, bias) = (per_channel(scale, channels)?, per_channel(bias, channels)?);
    let members = channels / groups;
    let stage = Stage::of(call, tensor.dtype())?;
    let mut values = stage.enter(floats(tensor)?)?;
    for block in values.chunks_exact_mut((members * inner).max(1)) {
        let count = block.len() as f64;
        let mean = sum(block.iter().copied()) / count;
        let variance = sum(block.iter().map(|x| (x - mean).powi(2))) / count;
        let factor = 1.0 / (variance + f64::from(epsilon)).sqrt();
        block.iter_mut().for_each(|x| *x = (*x - mean) * factor);
    }
    let mut values = stage.leave(values)?;
    for (row, line) in values.chunks_exact_mut(inner.max(1)).enumerate() {
        let channel = row % channels;
        line.iter_mut()
            .for_each(|x| *x = *x * scale[channel] + bias[channel]);
    }
    one(from_floats(tensor.dtype(), tensor.shape(), values)?)
}
