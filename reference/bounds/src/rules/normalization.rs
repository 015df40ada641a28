//! Normalisations: moments over some axes, then a scale and a bias.
//!
//! The variance is bounded for both ways to compute it, the mean of squared differences and the difference
//! of mean square and squared mean (*one pass*), which loses more if the mean is large relative to the
//! deviation.
//!
//! If the error of the variance reaches the variance itself, the propagated error is infinite, though the
//! result is not: with two passes |x − mean| / √(variance + ε) is at most √n for any x (Cauchy–Schwarz).
//! With one pass, whose variance is off by at most δ, it is at most √n · max(1, √(δ / ε)). The error of a
//! result is at most that limit plus its magnitude.

use ndarray::ArrayD;
use onnx_arithmetic::errors::{Affine, Precision};
use onnx_operators::frame::OpError;
use onnx_tensor::{Array, DType, Tensor};

use super::{Entry, entry};
use crate::error_bounded::ErrorBounded;
use crate::precision::{self, Growth, gamma, growth, is_accurate};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("GroupNormalization", group),
    entry("InstanceNormalization", instance),
    entry("LayerNormalization", layer),
    entry("MeanVarianceNormalization", mean_variance),
    entry("RMSNormalization", root_mean_square),
];

/// The moments of rows, over their last axis.
struct Moments {
    mean: ErrorBounded,
    /// The variance, computed in either way.
    variance: ErrorBounded,
    /// The error of the variance computed in one pass; 0 if it is not.
    one_pass: ArrayD<f64>,
    /// The number of elements of a row.
    count: f64,
}

fn moments(x: &ErrorBounded, unit: f64) -> Result<Moments, OpError> {
    let mean = x.mean(1)?;
    let centred = x.minus(&mean)?;
    let mut variance = centred.times(&centred)?.mean(1)?;
    // One pass: γ of the mean square and of the squared mean.
    let count = x.shape().get(1).copied().unwrap_or(1) as f64;
    let most = |x: &ErrorBounded| x.value.mapv(f64::abs) + &x.error;
    let (x_most, mean_most) = (most(x), most(&mean));
    let square = ErrorBounded::exact(&x_most * &x_most, unit).mean(1)?.value;
    let mut one_pass = (square + &mean_most * &mean_most) * gamma(count + 4.0, unit);
    if is_accurate() {
        one_pass.fill(0.0);
    }
    variance.error.zip_mut_with(&one_pass, |two_pass, one_pass| {
        *two_pass = two_pass.max(*one_pass)
    });
    Ok(Moments {
        mean,
        variance,
        one_pass,
        count,
    })
}

impl Moments {
    /// (x − mean) / √(variance + ε), and 1 / √(variance + ε).
    fn normal(&self, x: &ErrorBounded, epsilon: f64, unit: f64) -> Result<[ErrorBounded; 2], OpError> {
        let mut inverse = inverse_deviation(&self.variance, epsilon, unit)?;
        let mut normal = x.minus(&self.mean)?.times(&inverse)?;
        let growth = 1.0 + gamma(self.count + 16.0, unit);
        inverse.limit(&ArrayD::from_elem(
            self.one_pass.raw_dim(),
            growth / epsilon.sqrt(),
        ))?;
        let most = |off: &f64| self.count.sqrt() * (off / epsilon).sqrt().max(1.0) * growth;
        normal.limit(&self.one_pass.map(most))?;
        Ok([normal, inverse])
    }
}

/// 1 / √(variance + ε): 1, 3 and 2.5 ULP.
fn inverse_deviation(variance: &ErrorBounded, epsilon: f64, unit: f64) -> Result<ErrorBounded, OpError> {
    let deviation = variance
        .plus(&ErrorBounded::constant(epsilon, unit))?
        .map(3.0, |v| v.max(0.0).sqrt());
    ErrorBounded::constant(1.0, unit).over(&deviation)
}

/// The unit roundoff of the first stage, which computes in the type of `stash_type` if the version has that
/// attribute.
fn stage_unit(query: &Query<'_>) -> f64 {
    let stash = query
        .call
        .schema()
        .attribute("stash_type")
        .and_then(|_| query.call.int("stash_type").ok());
    let stash = stash.and_then(|number| DType::from_onnx(number).ok());
    stash.and_then(precision::unit).unwrap_or(query.unit(0))
}

/// The input of the first stage: rounded if the stage has a coarser type.
fn enter(x: ErrorBounded, query: &Query<'_>) -> ErrorBounded {
    let stage = stage_unit(query);
    let x = x.in_unit(stage);
    if stage > query.unit(0) { x.rounded() } else { x }
}

/// The result of the first stage: rounded to its type, and to that of the output.
fn leave(normal: ErrorBounded, query: &Query<'_>) -> ErrorBounded {
    let own = query.unit(0);
    let normal = normal.rounded().in_unit(own);
    if stage_unit(query) < own {
        normal.rounded()
    } else {
        normal
    }
}

/// The input as rows over the axes from `axis` on, in the precision of the first stage.
fn rows(query: &Query<'_>, axis: usize) -> Option<(ErrorBounded, Vec<usize>)> {
    let x = enter(ErrorBounded::input(query, 0)?, query);
    let shape = x.shape().to_vec();
    let outer: usize = shape.iter().take(axis).product();
    let inner: usize = shape.iter().skip(axis).product();
    Some((x.reshaped(&[outer, inner]).ok()?, shape))
}

fn axis(query: &Query<'_>) -> Result<usize, OpError> {
    let given = query.call.int("axis")?;
    let rank = i64::try_from(query.call.tensor(0)?.rank()).unwrap_or(0);
    usize::try_from(if given < 0 { given + rank } else { given })
        .map_err(|_| OpError::invalid(format!("axis {given} is out of range")))
}

fn layer(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let axis = axis(query)?;
    if let Some(radius) = of_float_rows(query, axis) {
        return Ok(vec![radius]);
    }
    let (Some((x, shape)), Some(scale)) = (rows(query, axis), ErrorBounded::input(query, 1)) else {
        return super::exact::decides(query);
    };
    let (unit, epsilon) = (stage_unit(query), f64::from(query.call.float("epsilon")?));
    let moments = moments(&x, unit)?;
    let [normal, inverse] = moments.normal(&x, epsilon, unit)?;
    let mut y = leave(normal.reshaped(&shape)?, query).times(&scale)?;
    if let Some(bias) = ErrorBounded::input(query, 2) {
        y = y.plus(&bias)?;
    }
    let kept: Vec<usize> = shape
        .iter()
        .enumerate()
        .map(|(at, &n)| if at < axis { n } else { 1 })
        .collect();
    let radii = vec![
        y.radius(query, 0, "layer normalisation"),
        moments.mean.reshaped(&kept)?.radius(query, 1, "mean"),
        inverse.reshaped(&kept)?.radius(query, 2, "inverse deviation"),
    ];
    Ok(radii.into_iter().take(query.outputs.len()).collect())
}

/// The independent errors of rows of exact floats that follow in memory, if no moments are asked for.
fn of_float_rows(query: &Query<'_>, axis: usize) -> Option<Radius> {
    let float = |tensor: Option<&Tensor>| match tensor? {
        Tensor::Float(array) => Some(array.clone()),
        _ => None,
    };
    let input = |index: usize| float(query.call.optional(index)?.as_tensor());
    let (x, scale, y) = (input(0)?, input(1)?, float(query.output(0))?);
    let bias = match query.call.optional(2) {
        Some(_) => Some(input(2)?),
        None => None,
    };
    let row = x.shape().get(axis..)?;
    let is_row = |parameter: &Array<f32>| parameter.shape() == row;
    let plain = growth() == Growth::Independent
        && query.inputs_exact()
        && query.outputs.iter().flatten().count() == 1;
    let unit = query.unit(0);
    if !plain
        || x.is_empty()
        || !is_row(&scale)
        || !bias.as_ref().is_none_or(is_row)
        || stage_unit(query) != unit
    {
        return None;
    }
    let affine = Affine {
        scale: scale.as_slice()?,
        bias: bias.as_ref().map_or(Some(&[][..]), |bias| bias.as_slice())?,
    };
    let precision = Precision {
        unit,
        epsilon: f64::from(query.call.float("epsilon").ok()?),
        one_pass: !is_accurate(),
    };
    let (width, elements, results) = (affine.scale.len(), x.as_slice()?, y.as_slice()?);
    let mut radii = vec![0.0; results.len()];
    let rows = elements
        .chunks(width)
        .zip(results.chunks(width))
        .zip(radii.chunks_mut(width));
    for ((x, y), radii) in rows {
        if !precision.normalise(x, affine, y, radii) {
            return None;
        }
    }
    let radii = ArrayD::from_shape_vec(y.raw_dim(), radii).ok()?;
    Some(Radius::within(radii, "layer normalisation"))
}

/// Input + skip + bias, normalised along the last axis: to mean 0 with a shift, or without a shift to the
/// root mean square 1. The scale is input 2.
pub(super) fn skip(query: &Query<'_>, bias: usize, shift: Option<usize>) -> Result<Vec<Radius>, OpError> {
    let inputs = [0, 1, 2].map(|index| ErrorBounded::input(query, index));
    let [Some(x), Some(skip), Some(scale)] = inputs else {
        return super::exact::decides(query);
    };
    let mut sum = x.plus(&skip)?;
    if let Some(bias) = ErrorBounded::input(query, bias) {
        sum = sum.plus(&bias)?;
    }
    let shape = sum.shape().to_vec();
    let width = shape.last().copied().unwrap_or(1);
    let rows = shape.iter().rev().skip(1).product();
    let x = sum.clone().reshaped(&[rows, width])?;
    let (unit, epsilon) = (query.unit(0), f64::from(query.call.float("epsilon")?));
    let (normal, mean, inverse) = match shift {
        Some(_) => {
            let moments = moments(&x, unit)?;
            let [normal, inverse] = moments.normal(&x, epsilon, unit)?;
            (normal, moments.mean, inverse)
        }
        None => {
            let square = x.times(&x)?.mean(1)?;
            let inverse = inverse_deviation(&square, epsilon, unit)?;
            let zero = ErrorBounded::exact(ArrayD::zeros(square.value.raw_dim()), unit);
            (x.times(&inverse)?, zero, inverse)
        }
    };
    let mut y = normal.reshaped(&shape)?.times(&scale)?;
    if let Some(shift) = shift.and_then(|index| ErrorBounded::input(query, index)) {
        y = y.plus(&shift)?;
    }
    let mut kept = shape;
    kept.pop();
    kept.push(1);
    let radii = vec![
        y.radius(query, 0, "normalisation of a sum"),
        mean.reshaped(&kept)?.radius(query, 1, "mean"),
        inverse.reshaped(&kept)?.radius(query, 2, "inverse deviation"),
        sum.radius(query, 3, "sum"),
    ];
    Ok(radii.into_iter().take(query.outputs.len()).collect())
}

pub(super) fn root_mean_square(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (Some((x, shape)), Some(scale)) = (rows(query, axis(query)?), ErrorBounded::input(query, 1)) else {
        return super::exact::decides(query);
    };
    let (unit, epsilon) = (stage_unit(query), f64::from(query.call.float("epsilon")?));
    let square = x.times(&x)?.mean(1)?;
    let mut normal = x.times(&inverse_deviation(&square, epsilon, unit)?)?;
    let count = x.shape().get(1).copied().unwrap_or(1) as f64;
    if epsilon >= 0.0 {
        let most = count.sqrt() * (1.0 + gamma(count + 16.0, unit));
        normal.limit(&ArrayD::from_elem(square.value.raw_dim(), most))?;
    }
    let y = leave(normal.reshaped(&shape)?, query).times(&scale)?;
    Ok(vec![y.radius(query, 0, "RMS normalisation")])
}

fn instance(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (Some((x, shape)), Some(scale), Some(bias)) = (
        rows(query, 2),
        ErrorBounded::input(query, 1),
        ErrorBounded::input(query, 2),
    ) else {
        return super::exact::decides(query);
    };
    let (unit, epsilon) = (query.unit(0), f64::from(query.call.float("epsilon")?));
    let [normal, _] = moments(&x, unit)?.normal(&x, epsilon, unit)?;
    let y = normal
        .reshaped(&shape)?
        .times(&channels(scale, shape.len())?)?
        .plus(&channels(bias, shape.len())?)?;
    Ok(vec![y.radius(query, 0, "instance normalisation")])
}

/// Moments over a group of channels; scale and bias are per channel since version 21, per group before.
fn group(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (Some(x), Some(scale), Some(bias)) = (
        ErrorBounded::input(query, 0),
        ErrorBounded::input(query, 1),
        ErrorBounded::input(query, 2),
    ) else {
        return super::exact::decides(query);
    };
    let (unit, epsilon) = (stage_unit(query), f64::from(query.call.float("epsilon")?));
    let shape = x.shape().to_vec();
    let groups = usize::try_from(query.call.int("num_groups")?).unwrap_or(1).max(1);
    let elements: usize = shape.iter().product();
    let outer = shape.first().copied().unwrap_or(1).saturating_mul(groups).max(1);
    let x = enter(x, query).reshaped(&[outer, elements / outer])?;
    let [normal, _] = moments(&x, unit)?.normal(&x, epsilon, unit)?;
    let owners = if query.call.schema().since < 21 {
        groups
    } else {
        shape.get(1).copied().unwrap_or(1)
    };
    let apart = [
        shape.first().copied().unwrap_or(1),
        owners,
        elements / (shape.first().copied().unwrap_or(1) * owners).max(1),
    ];
    let y = leave(normal, query)
        .reshaped(&apart)?
        .times(&channels(scale, 3)?)?
        .plus(&channels(bias, 3)?)?;
    Ok(vec![y.reshaped(&shape)?.radius(query, 0, "group normalisation")])
}

/// A vector over the channels, axis 1 of `rank`.
fn channels(vector: ErrorBounded, rank: usize) -> Result<ErrorBounded, OpError> {
    let mut shape = vec![1; rank];
    if let Some(extent) = shape.get_mut(1) {
        *extent = vector.shape().iter().product();
    }
    vector.reshaped(&shape)
}

/// (x − mean) / √(E[x²] − mean²), like the function body, or with the mean of squared differences; 1e-9 is
/// added to the deviation.
fn mean_variance(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let Some(x) = ErrorBounded::input(query, 0) else {
        return super::exact::decides(query);
    };
    let unit = query.unit(0);
    let rank = x.shape().len();
    let axes: Vec<usize> = query
        .call
        .ints("axes")?
        .iter()
        .filter_map(|&axis| usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).ok())
        .collect();
    let kept: Vec<usize> = (0..rank).filter(|axis| !axes.contains(axis)).collect();
    let order: Vec<usize> = kept.iter().chain(&axes).copied().collect();
    let permuted = x.permuted(&order);
    let shape = permuted.shape().to_vec();
    let outer: usize = shape.iter().take(kept.len()).product();
    let rows = permuted.reshaped(&[outer, shape.iter().skip(kept.len()).product()])?;
    let Moments { mean, variance, .. } = moments(&rows, unit)?;
    let deviation = variance
        .map(3.0, |v| v.max(0.0).sqrt())
        .plus(&ErrorBounded::constant(1e-9, unit))?;
    let y = rows.minus(&mean)?.over(&deviation)?.reshaped(&shape)?;
    let mut back = vec![0; rank];
    for (place, &axis) in order.iter().enumerate() {
        back[axis] = place;
    }
    Ok(vec![y.permuted(&back).radius(query, 0, "mean and variance")])
}
