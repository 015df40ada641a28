//! BatchNormalization: (x − m)·k + b with k = s / √(v + ε), for each channel.
//!
//! A backend may fold the constants: x·k + (b − m·k). The radius of both forms is linear in |x| and in the
//! error of x, with coefficients that depend on the channel ([`Line`]); the greater of each covers both. In
//! training m and v are moments of the batch: sums in any order, the variance as the mean of squared
//! differences or as the difference of mean square and squared mean (*one pass*), which has the errors γ of
//! both.

use ndarray::ArrayD;
use onnx_arithmetic::errors;
use onnx_operators::frame::OpError;
use onnx_tensor::{Tensor, row_major};

use super::{Entry, Written, entry};
use crate::number::{self, Number};
use crate::precision::{gamma, is_accurate, ulp};
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("BatchNormalization", batch)];

fn batch(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let (batch, features, inner) = layout(query, query.call.tensor(0)?.shape())?;
    let vector = |index: usize| number::elements(query, index).filter(|vector| vector.len() == features);
    let (Some(scale), Some(bias), Some(mean), Some(variance)) = (vector(1), vector(2), vector(3), vector(4))
    else {
        return super::exact::decides(query);
    };
    let trains = trains(query)?;
    let starts = (0..batch * features).map(|line| (line % features.max(1), line * inner));
    let used: Vec<(Number, Number)> = if trains {
        statistics(query, starts.clone(), features, inner)
    } else {
        mean.iter().copied().zip(variance.iter().copied()).collect()
    };
    let lines = lines(query, [&scale, &bias], &used)?;
    let mut radii = vec![normalised(query, starts, inner, &lines)?];
    if trains {
        radii.extend(running(query, &mean, &variance, &used)?);
    }
    Ok(radii)
}

/// The radius of y in each channel, with the mean and the variance that are `used`.
fn lines(
    query: &Query<'_>,
    [scale, bias]: [&[Number]; 2],
    used: &[(Number, Number)],
) -> Result<Vec<Line>, OpError> {
    let (unit, epsilon) = (
        query.unit(0),
        Number::exact(f64::from(query.call.float("epsilon")?)),
    );
    let line = |((&scale, &bias), &(mean, variance)): ((&Number, &Number), &(Number, Number))| {
        Line::new(scale / (variance + epsilon).sqrt(), mean, bias, unit)
    };
    Ok(scale.iter().zip(bias).zip(used).map(line).collect())
}

/// The radii of running mean and variance, and in versions that have them, those of the batch.
fn running(
    query: &Query<'_>,
    mean: &[Number],
    variance: &[Number],
    batch: &[(Number, Number)],
) -> Result<Vec<Radius>, OpError> {
    let momentum = Number::exact(f64::from(query.call.float("momentum")?));
    let rest = Number::off(1.0, 0.0, query.unit(0)) - momentum;
    let blend = |(&old, new): (&Number, Number)| old * momentum + new * rest;
    let (means, variances) = (batch.iter().map(|of| of.0), batch.iter().map(|of| of.1));
    let columns: [Vec<Number>; 4] = [
        mean.iter().zip(means.clone()).map(blend).collect(),
        variance.iter().zip(variances.clone()).map(blend).collect(),
        means.collect(),
        variances.collect(),
    ];
    let further = (1..query.outputs.len()).zip(columns);
    let radius = |(index, column)| number::radius(query, index, column, "moments of the batch");
    Ok(further.map(radius).collect())
}

/// Batch size, number of features with separate statistics, elements per feature.
fn layout(query: &Query<'_>, shape: &[usize]) -> Result<(usize, usize, usize), OpError> {
    let by_element = query.call.schema().since < 9 && query.call.int("spatial")? == 0;
    Ok(match shape {
        [] => (1, 1, 1),
        [count] => (*count, 1, 1),
        [batch, features @ ..] if by_element => (*batch, features.iter().product(), 1),
        [batch, channels, spatial @ ..] => (*batch, *channels, spatial.iter().product()),
    })
}

fn trains(query: &Query<'_>) -> Result<bool, OpError> {
    Ok(match query.call.schema().since {
        ..=6 => query.call.int("is_test")? == 0,
        7..=13 => query.outputs.iter().skip(1).flatten().next().is_some(),
        _ => query.call.flag("training_mode")?,
    })
}

/// The radius of y in one channel: `error`·(error of x) + `value`·|x| + `rest`.
struct Line {
    error: f64,
    value: f64,
    rest: f64,
}

impl Line {
    fn new(k: Number, m: Number, b: Number, unit: f64) -> Line {
        // In either form x is subject to at most three roundings in addition to those of k.
        let (error, value) = (
            k.magnitude() * (1.0 + 4.0 * unit),
            k.error + 4.0 * unit * k.magnitude(),
        );
        let direct = k.magnitude() * m.error + m.value.abs() * value + b.error + 2.0 * unit * b.magnitude();
        let shift = b - m * k;
        let folded = shift.error + 2.0 * unit * shift.magnitude();
        Line {
            error,
            value,
            rest: direct.max(folded),
        }
    }
}

/// Writes the errors of the result of an inference on exact numbers, all of float.
pub(super) fn written<'q>(query: &'q Query<'_>) -> Option<Written<'q>> {
    let (Tensor::Float(x), Tensor::Float(y)) = (query.call.tensor(0).ok()?, query.output(0)?) else {
        return None;
    };
    let (_, features, inner) = layout(query, x.shape()).ok()?;
    let vector = |index: usize| number::elements(query, index).filter(|vector| vector.len() == features);
    let used: Vec<(Number, Number)> = vector(3)?.into_iter().zip(vector(4)?).collect();
    if !query.inputs_exact() || trains(query).ok()? || x.is_empty() {
        return None;
    }
    let lines = lines(query, [&vector(1)?, &vector(2)?], &used).ok()?;
    let (x, y) = (row_major(x), y.as_slice()?);
    Some(Box::new(move |from, errors| {
        let mut at = 0;
        while at < errors.len() {
            let (row, inside) = ((from + at) / inner, (from + at) % inner);
            let count = (inner - inside).min(errors.len() - at);
            let (line, part) = (&lines[row % features], from + at..from + at + count);
            let line = [line.value, line.rest];
            errors::line(&x[part.clone()], &y[part], line, &mut errors[at..at + count]);
            at += count;
        }
    }))
}

/// The radius of y.
fn normalised(
    query: &Query<'_>,
    starts: impl Iterator<Item = (usize, usize)>,
    inner: usize,
    lines: &[Line],
) -> Result<Radius, OpError> {
    let missing = || OpError::invalid("the output is not a numeric tensor".to_owned());
    let output = query.output(0).ok_or_else(missing)?;
    let (dtype, y) = (output.dtype(), reals(output).ok_or_else(missing)?);
    let x = query.input(0).ok_or_else(missing)?;
    let (x, y) = (x.as_standard_layout(), y.as_standard_layout());
    let (x, y) = (x.as_slice().unwrap_or_default(), y.as_slice().unwrap_or_default());
    let error = match query.errors.first() {
        Some(Radius::Within { radius, .. }) => Some(radius.as_standard_layout()),
        _ => None,
    };
    let error = error.as_ref().and_then(|error| error.as_slice());
    let mut radius = Vec::with_capacity(x.len());
    for (feature, from) in starts {
        let (Some(line), Some(x), Some(y)) = (
            lines.get(feature),
            x.get(from..from + inner),
            y.get(from..from + inner),
        ) else {
            return Err(missing());
        };
        let own = |(x, y): (&f64, &f64)| line.value * x.abs() + line.rest + ulp(dtype, y.abs());
        let own = x.iter().zip(y).map(own);
        match error.and_then(|error| error.get(from..from + inner)) {
            Some(error) => radius.extend(own.zip(error).map(|(own, error)| own + line.error * error)),
            None => radius.extend(own),
        }
    }
    let radius = ArrayD::from_shape_vec(output.shape(), radius).map_err(|_| missing())?;
    Ok(Radius::within(radius, "batch normalisation"))
}

/// Mean and variance of each feature of the batch.
fn statistics(
    query: &Query<'_>,
    starts: impl Iterator<Item = (usize, usize)>,
    features: usize,
    inner: usize,
) -> Vec<(Number, Number)> {
    let x = number::elements(query, 0).unwrap_or_default();
    let mut of_feature = vec![Vec::new(); features];
    for (feature, from) in starts {
        if let (Some(elements), Some(x)) = (of_feature.get_mut(feature), x.get(from..from + inner)) {
            elements.extend_from_slice(x);
        }
    }
    of_feature
        .iter()
        .map(|elements| moments(elements, query.unit(0)))
        .collect()
}

/// The mean, and the variance computed in either way.
fn moments(elements: &[Number], unit: f64) -> (Number, Number) {
    let count = Number::off(elements.len() as f64, 0.0, unit);
    let mean = elements.iter().copied().sum::<Number>() / count;
    let squares: f64 = elements.iter().map(|x| x.magnitude() * x.magnitude()).sum();
    let differences = elements.iter().map(|&x| (x - mean) * (x - mean));
    let variance = differences.sum::<Number>() / count;
    let mean_square = squares / count.value + mean.magnitude() * mean.magnitude();
    let one_pass = mean_square * gamma(count.value + 4.0, unit);
    let error = variance.error + if is_accurate() { 0.0 } else { one_pass };
    (mean, Number { error, ..variance })
}
