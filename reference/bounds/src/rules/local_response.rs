//! LRN: x·D^−β with D = bias + α/size·Σx² over adjacent channels.
//!
//! Its own error: γ of the positive sum, times β, 32u of the power and 5u of the quotient (*OpenCL C*,
//! §7.4). For an error e of x: the error of the sum is at most E = Σ(2|x|·e + e²), the relative error of D
//! is δ = α/size·E / D, and (1 − δ)^−β − 1 ≤ β·δ·2^(β+1) for δ ≤ ½ (mean value theorem). So the error of y
//! is D^−β·(e + (|x| + e)·β·δ·2^(β+1)); for δ > ½ there is no bound.
//!
//! Caffe and ONNX Runtime move the sum from channel to channel: they add the square that enters and subtract
//! the one that leaves, so that a large one leaves its rounding errors to all channels behind it.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;

use super::pointwise::within_ulps_and;
use super::{Entry, entry};
use crate::precision::{Growth, gamma, growth, is_accurate, joint};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("LRN", local_response)];

fn local_response(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let size = query.call.int("size")?.max(1) as f64;
    let beta = f64::from(query.call.float("beta")?);
    let unit = query.unit(0);
    let share = (beta.abs() * gamma(size + 4.0, unit) + 40.0 * unit) / (2.0 * unit);
    let mut radii = within_ulps_and(query, share, |query, shape| {
        Response::read(query).ok()?.carried(query, shape)
    })?;
    let is_typical = growth() != Growth::Worst && !is_accurate() && query.inputs_exact();
    if let (true, Some(Radius::Within { radius, .. })) = (is_typical, radii.first_mut())
        && let Some(moved) = Response::read(query)?.moved(query)
    {
        radius.zip_mut_with(&moved, |radius, moved| *radius = joint(*radius, *moved));
    }
    Ok(radii)
}

/// The attributes.
struct Response {
    size: usize,
    alpha: f64,
    beta: f64,
    bias: f64,
}

impl Response {
    fn read(query: &Query<'_>) -> Result<Response, OpError> {
        let size = usize::try_from(query.call.int("size")?).unwrap_or(1).max(1);
        Ok(Response {
            size,
            alpha: f64::from(query.call.float("alpha")?) / size as f64,
            beta: f64::from(query.call.float("beta")?),
            bias: f64::from(query.call.float("bias")?),
        })
    }

    /// The propagated error of x.
    fn carried(&self, query: &Query<'_>, shape: &[usize]) -> Option<ArrayD<f64>> {
        let &[batch, channels, ref spatial @ ..] = shape else {
            return None;
        };
        let plane: usize = spatial.iter().product();
        let (x, error) = (query.input(0)?, query.error(0)?);
        let (x, error) = (x.as_standard_layout(), error.as_standard_layout());
        let (x, error) = (x.as_slice()?, error.as_slice()?);
        let (below, above) = ((self.size - 1) / 2, self.size / 2);
        let mut result = Vec::with_capacity(x.len());
        let (mut squares, mut errors) = (vec![0.0; plane], vec![0.0; plane]);
        for image in 0..batch {
            for channel in 0..channels {
                squares.fill(0.0);
                errors.fill(0.0);
                for near in channel.saturating_sub(below)..(channel + above + 1).min(channels) {
                    let from = (image * channels + near) * plane;
                    let pairs = x
                        .get(from..from + plane)?
                        .iter()
                        .zip(error.get(from..from + plane)?);
                    for ((square, off), (x, e)) in squares.iter_mut().zip(&mut errors).zip(pairs) {
                        *square += x * x;
                        *off += e * (2.0 * x.abs() + e);
                    }
                }
                let from = (image * channels + channel) * plane;
                let pairs = x
                    .get(from..from + plane)?
                    .iter()
                    .zip(error.get(from..from + plane)?);
                let sums = squares.iter().zip(&errors);
                result.extend(
                    pairs
                        .zip(sums)
                        .map(|((x, e), (square, off))| self.element(*x, *e, *square, *off)),
                );
            }
        }
        ArrayD::from_shape_vec(shape, result).ok()
    }

    /// The errors of sums that move from channel to channel.
    fn moved(&self, query: &Query<'_>) -> Option<ArrayD<f64>> {
        let x = query.input(0)?;
        let &[batch, channels, ref spatial @ ..] = x.shape() else {
            return None;
        };
        // The sum begins with the bias.
        let bias = Some(self.bias / self.alpha).filter(|bias| bias.is_finite())?;
        let (plane, unit) = (spatial.iter().product::<usize>(), query.unit(0));
        let values = x.as_standard_layout();
        let values = values.as_slice()?;
        let (below, above) = ((self.size - 1) / 2, self.size / 2);
        let mut moved = vec![0.0; values.len()];
        for (image, at) in (0..batch).flat_map(|image| (0..plane).map(move |at| (image, at))) {
            let place = |channel: usize| (image * channels + channel) * plane + at;
            let square = |channel: usize| values.get(place(channel)).map_or(0.0, |x| x * x);
            // The variance of the errors in units of the roundoff.
            let (mut sum, mut variance) = ((0..above.min(channels)).map(square).sum::<f64>(), 0.0);
            for channel in 0..channels {
                let enters = if channel + above < channels {
                    square(channel + above)
                } else {
                    0.0
                };
                let leaves = channel.checked_sub(below + 1).map_or(0.0, square);
                variance += (bias + sum + enters).powi(2);
                sum = (sum + enters - leaves).max(0.0);
                let off = variance.sqrt() * unit;
                if let (Some(moved), Some(x)) = (moved.get_mut(place(channel)), values.get(place(channel))) {
                    *moved = self.element(*x, 0.0, sum, off);
                }
            }
        }
        ArrayD::from_shape_vec(x.shape(), moved).ok()
    }

    /// The error for x, its error, the sum of squares around it and the error of that sum.
    fn element(&self, x: f64, error: f64, squares: f64, off: f64) -> f64 {
        let divisor = self.bias + self.alpha * squares;
        let share = (self.alpha * off / divisor).abs();
        if share <= 0.5 {
            let turned = self.beta.abs() * share * (self.beta.abs() + 1.0).exp2();
            divisor.powf(-self.beta).abs() * (error + (x.abs() + error) * turned)
        } else {
            f64::INFINITY
        }
    }
}
