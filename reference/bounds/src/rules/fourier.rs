//! DFT and STFT: sums of a signal's values times roots of unity.
//!
//! The error of an element of n terms is the number of roundings of one term times u·Σ|x|. For a direct
//! sum, in any order, there are n roundings, plus 16 for the product of complex numbers (two products and a
//! sum) with a root of unity (cosine and sine of 4 ULP at a rounded angle: *OpenCL C*, §7.4). In a fast
//! transform each value reaches each element along one path of ⌈log₂n⌉ butterflies, each with an addition
//! and such a product (Higham, §24.1): 16·⌈log₂n⌉. The radius is the greater of the two: the *direct or
//! fast* model. A length with a prime factor without a butterfly consists of three transforms of at least
//! twice the length, and the intermediate values grow with the square root of that (Bluestein): the *by
//! convolution* model.

use ndarray::{ArrayD, Axis};
use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::precision::{self, Growth, gamma, several, ulp};
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("DFT", dft), entry("STFT", stft)];

/// The greatest prime factor with a butterfly in common libraries.
const MAX_BUTTERFLY: usize = 13;

/// The number of roundings of one term in a transform of length n.
fn roundings(length: usize) -> f64 {
    let n = length.max(1) as f64;
    let fast = 16.0 * n.log2().ceil();
    let direct = n + 16.0;
    let mut rest = length.max(1);
    for factor in 2..=MAX_BUTTERFLY {
        while rest.is_multiple_of(factor) {
            rest /= factor;
        }
    }
    if rest == 1 {
        direct.max(fast)
    } else {
        direct.max(3.0 * 16.0 * (4.0 * n).log2().ceil() * (2.0 * n).sqrt())
    }
}

/// How much greater the error of an implementation is that multiplies the signal by a chirp whose angles, up
/// to πn, are rounded in float (L. Bluestein, 1970): 4·n·u of the norm of the signal. ONNX Runtime has it for
/// lengths that are no power of two (1.8·n·u at n = 100, 400 and 1025). `None` for a power of two.
pub fn of_chirps(query: &Query<'_>) -> Option<f64> {
    let length = if query.call.schema().name == "STFT" {
        let x = query.input(0)?;
        frame(query, *x.shape().get(1)?).ok()?
    } else {
        let (x, output) = (query.input(0)?, query.output(0)?);
        length(query, x.shape(), output.shape()).ok()?.1
    };
    let n = length.max(1) as f64;
    (!length.is_power_of_two()).then(|| 4.0 * n / roundings(length).sqrt())
}

/// The axis of a DFT, and its length.
fn length(query: &Query<'_>, x: &[usize], output: &[usize]) -> Result<(usize, usize), OpError> {
    let given = match query.call.schema().since {
        ..=19 => query.call.int("axis")?,
        _ => query
            .call
            .optional_integers(2)?
            .and_then(|axis| axis.first().copied())
            .unwrap_or(-2),
    };
    let rank = i64::try_from(x.len()).unwrap_or(0);
    let out_of_range = |_| OpError::invalid(format!("axis {given} is out of range"));
    let axis = usize::try_from(if given < 0 { given + rank } else { given }).map_err(out_of_range)?;
    let length = match (
        query.call.optional_integers(1)?.as_deref(),
        query.call.flag("inverse")?,
    ) {
        (Some(&[length]), _) => usize::try_from(length).unwrap_or(1),
        (_, true) => output.get(axis).copied().unwrap_or(1),
        (_, false) => x.get(axis).copied().unwrap_or(1),
    };
    Ok((axis, length))
}

fn dft(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (Some(x), Some(error)) = (query.input(0), query.error(0)) else {
        return super::exact::decides(query);
    };
    let missing = || OpError::invalid("the output is not a float tensor");
    let output = query.output(0).ok_or_else(missing)?;
    let (inverse, onesided) = (query.call.flag("inverse")?, query.call.flag("onesided")?);
    let (axis, length) = length(query, x.shape(), output.shape())?;
    let signal = |array: ArrayD<f64>| {
        let parts = array.sum_axis(Axis(x.ndim() - 1)).insert_axis(Axis(x.ndim() - 1));
        parts.sum_axis(Axis(axis)).insert_axis(Axis(axis))
    };
    // In a one-sided spectrum all values but the ends represent two values; an inverse is divided by n.
    let share = if inverse { 1.0 / length.max(1) as f64 } else { 1.0 };
    let share = share * if inverse && onesided { 2.0 } else { 1.0 };
    let growth = gamma(roundings(length), query.unit(0));
    let magnitudes = match precision::growth() {
        Growth::Worst => signal(x.mapv(f64::abs)),
        // Partial sums of terms of all phases.
        Growth::Independent | Growth::IndependentNarrow => signal(x.mapv(|x| x * x)).mapv_into(f64::sqrt),
    } * (growth * share);
    let carried = signal(error.into_owned()) * (share * (1.0 + growth));
    whole(query, magnitudes + carried)
}

/// The length of a frame of a signal of this length.
fn frame(query: &Query<'_>, length: usize) -> Result<usize, OpError> {
    let given = query.call.optional_integers(3)?;
    let given = given.and_then(|given| given.first().copied());
    Ok(match (query.input(2), given) {
        (Some(window), _) => window.len(),
        (None, Some(given)) => usize::try_from(given).unwrap_or(length),
        (None, None) => length,
    })
}

fn stft(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (Some(x), Some(error)) = (query.input(0), query.error(0)) else {
        return super::exact::decides(query);
    };
    let missing = || OpError::invalid("the output is not a float tensor");
    let output = query.output(0).ok_or_else(missing)?;
    let &[batch, frames, _, _] = output.shape() else {
        return Err(missing());
    };
    // A real signal may have no axis of parts.
    let [x, error] = [x, error].map(|array| match array.ndim() {
        2 => array.insert_axis(Axis(2)),
        _ => array,
    });
    let &[_, length, _] = x.shape() else {
        return Err(missing());
    };
    let step = query.call.integers(1)?.first().copied().unwrap_or(1);
    let step = usize::try_from(step).unwrap_or(1);
    let (window, off) = (query.input(2), query.error(2));
    let frame = frame(query, length)?;
    let weight = |at: usize| match (&window, &off) {
        (Some(window), Some(off)) => {
            let read = |of: &onnx_tensor::Array<f64>| of.iter().nth(at).copied().unwrap_or(0.0);
            (read(window).abs(), read(off))
        }
        _ => (1.0, 0.0),
    };
    let weights: Vec<(f64, f64)> = (0..frame.min(length)).map(weight).collect();
    // One more rounding for the window.
    let growth = gamma(roundings(frame) + 1.0, query.unit(0));
    let worst = precision::growth() == Growth::Worst;
    let mut sums = ArrayD::<f64>::zeros(vec![batch, frames, 1, 1]);
    for (place, sum) in sums.indexed_iter_mut() {
        let (image, from) = (place[0], place[1] * step);
        for (at, (weight, off)) in weights.iter().enumerate() {
            for part in 0..x.shape().last().copied().unwrap_or(1) {
                let index = ndarray::IxDyn(&[image, from + at, part]);
                if let (Some(x), Some(e)) = (x.get(&index), error.get(&index)) {
                    let carried = e * (weight + off) + x.abs() * off;
                    let own = growth * x.abs() * weight;
                    *sum = if worst {
                        *sum + own + (1.0 + growth) * carried
                    } else {
                        sum.hypot(own)
                    };
                }
            }
        }
    }
    whole(query, sums)
}

/// Expands one radius for each signal to all elements of the output.
fn whole(query: &Query<'_>, signals: ArrayD<f64>) -> Result<Vec<Radius>, OpError> {
    let missing = || OpError::invalid("the output is not a float tensor");
    let output = query.output(0).ok_or_else(missing)?;
    let (dtype, y) = (output.dtype(), reals(output).ok_or_else(missing)?);
    let signals = signals.broadcast(y.raw_dim()).ok_or_else(missing)?;
    // In an ordinary sum whose terms agree in phase, the partial sums grow to the result.
    let length = y.len_of(Axis(y.ndim().saturating_sub(2))) as f64;
    let coherent = match precision::growth() {
        Growth::Worst => 0.0,
        Growth::Independent | Growth::IndependentNarrow => several(length / 3.0) * query.unit(0),
    };
    let radius = &y.mapv(|y| ulp(dtype, y.abs()) + coherent * y.abs()) + &signals;
    Ok(vec![Radius::within(
        radius,
        "discrete Fourier transform, direct, fast or by convolution",
    )])
}
