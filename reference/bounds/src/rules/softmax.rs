//! Softmax, LogSoftmax and the losses over them.

use ndarray::ArrayD;
use onnx_arithmetic::errors;
use onnx_operators::frame::OpError;
use onnx_tensor::{Tensor, row_major};

use super::{Entry, entry};
use crate::error_bounded::ErrorBounded;
use crate::number::Number;
use crate::precision::{Growth, growth};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("LogSoftmax", |query| along(query, log_softmax, "log softmax")),
    entry("Softmax", |query| along(query, softmax, SOFTMAX)),
];

/// exp(x − max) / Σ exp(x − max): 3 ULP of exp, γₙ of the sum, 2.5 ULP of the quotient; the difference
/// rounds once, which exp converts from u·|x − max| to a relative error.
pub(crate) fn softmax(x: &ErrorBounded, axis: usize) -> Result<ErrorBounded, OpError> {
    let powers = shifted(x, axis)?.map(3.0, f64::exp);
    powers.over(&powers.sum(axis))
}

/// Like [`softmax`], for one row in place. −∞ has the weight 0.
pub(crate) fn softmax_of_row(row: &mut [Number]) {
    let greatest = row.iter().map(|x| x.value).fold(f64::NEG_INFINITY, f64::max);
    for x in row.iter_mut() {
        *x = match x.value {
            f64::NEG_INFINITY if greatest.is_finite() => Number::exact(0.0),
            _ => (*x - Number::exact(greatest)).map(3.0, f64::exp),
        };
    }
    let sum: Number = row.iter().copied().sum();
    row.iter_mut().for_each(|x| *x = *x / sum);
}

/// x − max − log Σ exp(x − max).
pub(crate) fn log_softmax(x: &ErrorBounded, axis: usize) -> Result<ErrorBounded, OpError> {
    let shifted = shifted(x, axis)?;
    shifted.minus(&shifted.map(3.0, f64::exp).sum(axis).map(3.0, f64::ln))
}

/// x − max. A row of −∞ is unchanged.
fn shifted(x: &ErrorBounded, axis: usize) -> Result<ErrorBounded, OpError> {
    let mut greatest = x.greatest(axis);
    // The maximum cancels from the result, so its error has no effect.
    greatest.error.fill(0.0);
    x.minus(&greatest)
}

const SOFTMAX: &str = "softmax";

/// The independent errors of rows of exact floats.
fn of_floats(query: &Query<'_>) -> Option<Radius> {
    let (Tensor::Float(x), Tensor::Float(y)) = (query.call.tensor(0).ok()?, query.output(0)?) else {
        return None;
    };
    let (given, rank) = (query.call.int("axis").ok()?, i64::try_from(x.ndim()).ok()?);
    let axis = usize::try_from(if given < 0 { given + rank } else { given }).ok()?;
    if growth() != Growth::Independent || !query.inputs_exact() || x.is_empty() {
        return None;
    }
    let unit = query.unit(0);
    // A transposed operand is a view of another order.
    let (x, results, mut radii) = (row_major(x), row_major(y), vec![0.0; y.len()]);
    // The elements of a row, and their distance.
    let (width, apart): (usize, usize) = match y.shape().get(axis..)? {
        rest if query.call.schema().since < 13 => (rest.iter().product(), 1),
        [extent, rest @ ..] => (*extent, rest.iter().product()),
        [] => (1, 1),
    };
    let mut powers = vec![0.0; width];
    let blocks = (x.chunks(width * apart))
        .zip(results.chunks(width * apart))
        .zip(radii.chunks_mut(width * apart));
    for ((x, y), radii) in blocks {
        let agrees = if apart == 1 {
            errors::softmax(x, y, unit, radii, &mut powers)
        } else {
            (0..apart).all(|first| {
                let row = |of: &[f32]| -> Vec<f32> { of[first..].iter().step_by(apart).copied().collect() };
                let mut errors = vec![0.0; width];
                let agrees = errors::softmax(&row(x), &row(y), unit, &mut errors, &mut powers);
                let places = radii[first..].iter_mut().step_by(apart);
                places.zip(&errors).for_each(|(radius, error)| *radius = *error);
                agrees
            })
        };
        if !agrees {
            return None;
        }
    }
    let radii = ArrayD::from_shape_vec(y.raw_dim(), radii).ok()?;
    Some(Radius::within(radii, SOFTMAX))
}

type Along = fn(&ErrorBounded, usize) -> Result<ErrorBounded, OpError>;

/// Below version 13 all axes from `axis` on are combined.
fn along(query: &Query<'_>, f: Along, model: &'static str) -> Result<Vec<Radius>, OpError> {
    if model == SOFTMAX
        && let Some(radius) = of_floats(query)
    {
        return Ok(vec![radius]);
    }
    let Some(x) = ErrorBounded::input(query, 0) else {
        return super::exact::decides(query);
    };
    let (shape, given) = (x.shape().to_vec(), query.call.int("axis")?);
    let rank = i64::try_from(shape.len()).unwrap_or(0);
    let axis = usize::try_from(if given < 0 { given + rank } else { given })
        .map_err(|_| OpError::invalid(format!("axis {given} is out of range")))?;
    let result: Result<ErrorBounded, OpError> = if query.call.schema().since < 13 {
        let rows: usize = shape.iter().take(axis).product();
        let columns: usize = shape.iter().skip(axis).product();
        x.reshaped(&[rows, columns])
            .and_then(|x| f(&x, 1))
            .and_then(|y| y.reshaped(&shape))
    } else if shape.is_empty() {
        let one: ArrayD<f64> = x.value.clone();
        f(&x.reshaped(&[1])?, 0)?.reshaped(one.shape())
    } else {
        f(&x, axis)
    };
    Ok(vec![result?.radius(query, 0, model)])
}
