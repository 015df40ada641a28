//! DeformConv: a sum of products of weights, masks and values that are interpolated at shifted positions.
//!
//! A position is an integer plus an offset: one rounding, u·P with P the greatest coordinate. The
//! zero-padded input is continuous, and its slope is at most twice its greatest magnitude M on each of r
//! axes. The 2ʳ weights are positive and sum to 1. So the error of a sample is (2·r·2u·P + γ of its 2ʳ + 2r
//! roundings)·M, and that of an output of n taps Σ|w|·max|mask| times that and γₙ of the terms.

use ndarray::{ArrayD, Axis};
use onnx_operators::frame::OpError;
use onnx_tensor::{Array, Tensor};

use super::sampled::{finite, slopes};
use super::{Entry, entry};
use crate::precision::{self, Growth, gamma, several, ulp};
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("DeformConv", deformable)];

fn deformable(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (true, Some(x), Some(weights), Some(offsets)) = (
        query.inputs_exact(),
        query.input(0),
        query.input(1),
        query.input(2),
    ) else {
        return super::exact::decides(query);
    };
    let missing = || OpError::invalid("the output is not a float tensor");
    let output = query.output(0).ok_or_else(missing)?;
    let (dtype, unit) = (output.dtype(), query.unit(0));
    let greatest = |array: &onnx_tensor::Array<f64>| array.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let mask = query.input(4).map_or(1.0, |mask| greatest(&mask));
    let axes = x.ndim().saturating_sub(2) as f64;
    let extents = x.shape().iter().chain(output.shape()).copied().max().unwrap_or(1) as f64;
    // Padding, stride and dilation keep positions within the input plus twice the kernel.
    let kernel = weights.shape().iter().skip(2).copied().max().unwrap_or(1) as f64;
    let dilation = query.call.optional_ints("dilations")?.unwrap_or_default();
    let reach = dilation.iter().copied().max().unwrap_or(1) as f64 * kernel;
    let furthest = extents + 2.0 * reach + greatest(&offsets);
    if precision::growth() != Growth::Worst {
        return ordinary(query, &finite(&x), unit * furthest);
    }
    let sample = 4.0 * axes * unit * furthest + gamma(axes.exp2() + 2.0 * axes + 1.0, unit);
    let bias = query.input(3);
    let mut radius = reals(output).ok_or_else(missing)?.into_owned();
    let taps: usize = weights.shape().iter().skip(1).product();
    let growth = gamma(taps as f64 + 2.0, unit);
    for (map, mut planes) in radius.axis_iter_mut(Axis(1)).enumerate() {
        let row = weights.index_axis(Axis(0), map);
        let sum = row.iter().map(|weight| weight.abs()).sum::<f64>() * mask * greatest(&x);
        let start = bias
            .as_ref()
            .and_then(|bias| bias.iter().nth(map))
            .map_or(0.0, |bias| bias.abs());
        planes.mapv_inplace(|y| sum * (sample + growth) + start * growth + ulp(dtype, y.abs()));
    }
    Ok(vec![Radius::within(
        radius,
        "sum of products of interpolated values",
    )])
}

/// The error of an ordinary implementation: each sample is moved by the slope at its position times `off`,
/// the error of a coordinate, independently of the others; the sum has the roundings of a sum of products.
fn ordinary(query: &Query<'_>, x: &Array<f64>, off: f64) -> Result<Vec<Radius>, OpError> {
    let missing = || OpError::invalid("the output is not a float tensor");
    let sum = |values: &Array<f64>, power: i32| -> Result<ArrayD<f64>, OpError> {
        let outputs = query.evaluate(|index, tensor| {
            let replaced = match index {
                0 => values.mapv(|x| x.abs().powi(power)),
                // Weights and masks.
                1 | 4 => reals(tensor)?.mapv(|factor| factor.abs().powi(power)),
                3 if power == 2 => reals(tensor)?.mapv(|_| 0.0),
                3 => reals(tensor)?.mapv(f64::abs),
                _ => return None,
            };
            Some(Tensor::from(replaced))
        })?;
        let first = outputs.into_iter().next().flatten();
        let array = first.as_ref().and_then(reals).map(|array| array.into_owned());
        array.ok_or_else(missing)
    };
    let y = query.output(0).and_then(reals).ok_or_else(missing)?;
    let (unit, taps) = (query.unit(0), x.len_of(Axis(1)) as f64);
    let growth = several(taps / 3.0) * unit;
    let mut radius = sum(x, 1)? * unit + y.mapv(|y| growth * y.abs());
    for axis in (2..x.ndim()).map(Axis) {
        let moved = sum(&slopes(x, axis).into_shared(), 2)?;
        radius.zip_mut_with(&moved, |radius, moved| {
            *radius = radius.hypot(off * moved.max(0.0).sqrt())
        });
    }
    Ok(vec![Radius::within(
        radius,
        "independent errors of positions and products",
    )])
}
