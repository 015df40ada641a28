//! DynamicQuantizeLinear: scale = (max − min) / 255, zero point = round(−min / scale), y = round(x / scale)
//! + zero point.
//!
//! The scale is a difference and a quotient: u and 2.5 ULP (*OpenCL C*, §7.4), 6u. The error of a value in
//! steps, v = x / scale, is that plus its own quotient: 11u·|v|, plus u·256 if the zero point is added
//! before rounding. It can be on the other side of a tie that is closer than that: one step. So can the
//! zero point, and each y with it.
//!
//! If x has errors, the ends of the range lie between those of x − δ and of x + δ, and so do scale, zero
//! point and y, which are monotone in each of them.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;
use onnx_tensor::Array;

use super::{Entry, entry};
use crate::{Query, Radius, Sets};

pub(super) const RULES: &[Entry] = &[entry("DynamicQuantizeLinear", dynamic)];

/// Unit roundoff of float, the only type of X.
const UNIT: f64 = 1.0 / 16_777_216.0;

fn dynamic(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let Some(x) = query.input(0).filter(|_| query.unknown_input().is_none()) else {
        return super::exact::decides(query);
    };
    if !query.inputs_exact() {
        return from_inexact(query, &x);
    }
    let least = x.iter().fold(0.0, |least: f64, x| least.min(*x));
    let greatest = x.iter().fold(0.0, |greatest: f64, x| greatest.max(*x));
    let scale = (greatest - least) / 255.0;
    // One step if a value in steps is closer to a tie than its error.
    let step = |value: f64| {
        let steps = value / scale;
        let to_tie = (steps - steps.floor() - 0.5).abs();
        f64::from(u8::from(to_tie <= UNIT * (11.0 * steps.abs() + 256.0)))
    };
    let zero_point = step(-least);
    let radii = vec![
        Radius::within(
            x.mapv(|x| step(x) + zero_point),
            "one step where a value is near a tie",
        ),
        Radius::within(
            ndarray::arr0(6.0 * UNIT * scale + UNIT * scale).into_dyn(),
            "a difference and a quotient",
        ),
        Radius::within(
            ndarray::arr0(zero_point).into_dyn(),
            "one step where a value is near a tie",
        ),
    ];
    Ok(radii.into_iter().take(query.outputs.len()).collect())
}

/// The least and the greatest value of a number.
type Ends = (f64, f64);

/// Widens both ends by `roundings` units of roundoff.
fn rounded((low, high): Ends, roundings: f64) -> Ends {
    let share = roundings * UNIT;
    (low - share * low.abs(), high + share * high.abs())
}

/// The outputs for x with errors.
fn from_inexact(query: &Query<'_>, x: &Array<f64>) -> Result<Vec<Radius>, OpError> {
    let Some(error) = query
        .error(0)
        .filter(|error| error.iter().all(|error| error.is_finite()))
    else {
        return super::exact::decides(query);
    };
    let extreme = |side: f64, pick: fn(f64, f64) -> f64| {
        let ends = x.iter().zip(&error).map(|(x, error)| x + side * error);
        ends.fold(0.0, pick)
    };
    let (below, above) = (
        (-extreme(1.0, f64::min), -extreme(-1.0, f64::min)),
        (extreme(-1.0, f64::max), extreme(1.0, f64::max)),
    );
    let scale = rounded(((below.0 + above.0) / 255.0, (below.1 + above.1) / 255.0), 7.0);
    if scale.0 <= 0.0 {
        let reason = "DynamicQuantizeLinear: all elements are within their errors of 0";
        return Ok(vec![Radius::unknown(reason); query.outputs.len()]);
    }
    let share = |part: f64, rest: f64| 255.0 * part / (part + rest);
    let steps = rounded((share(below.0, above.1), share(below.1, above.0)), 16.0);
    let zero_point = (
        steps.0.round_ties_even().max(0.0),
        steps.1.round_ties_even().min(255.0),
    );
    let mut sets = Sets::default();
    for (place, (x, error)) in x.iter().zip(&error).enumerate() {
        let quotient = |x: f64, side: fn(f64, f64) -> f64| side(x / scale.0, x / scale.1);
        let value = rounded(
            (quotient(x - error, f64::min), quotient(x + error, f64::max)),
            16.0,
        );
        // The zero point may be added before rounding.
        let off = 256.0 * UNIT;
        let end = |value: f64, zero: f64| (value.round_ties_even() + zero).clamp(0.0, 255.0);
        let (low, high) = (end(value.0 - off, zero_point.0), end(value.1 + off, zero_point.1));
        if low != high {
            sets.insert_whole(place, low, high);
        }
    }
    let zeros = ArrayD::zeros(x.raw_dim());
    let center = |index: usize| {
        let output = query.output(index).and_then(crate::query::reals);
        output.map_or_else(|| ndarray::arr0(0.0).into_dyn(), Array::into_owned)
    };
    let mut zero_sets = Sets::default();
    if zero_point.0 != zero_point.1 {
        zero_sets.insert_whole(0, zero_point.0, zero_point.1);
    }
    let scale_center = center(1);
    let scale_off = scale_center.mapv(|exact| (scale.1 - exact).max(exact - scale.0));
    let model = "steps within the error of the range";
    let radii = vec![
        Radius::among(&center(0), &zeros, sets, model),
        Radius::within(scale_off, "a difference and a quotient"),
        Radius::among(&center(2), &ndarray::arr0(0.0).into_dyn(), zero_sets, model),
    ];
    Ok(radii.into_iter().take(query.outputs.len()).collect())
}
