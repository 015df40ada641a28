//! DynamicQuantizeLinear: scale = (max − min) / 255, zero point = round(−min / scale), y = round(x / scale)
//! + zero point.
//!
//! The scale is a difference and a quotient: u and 2.5 ULP (*OpenCL C*, §7.4), 6u. The error of a value in
//! steps, v = x / scale, is that plus its own quotient: 11u·|v|, plus u·256 if the zero point is added
//! before rounding. It can be on the other side of a tie that is closer than that: one step. So can the
//! zero point, and each y with it.

use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("DynamicQuantizeLinear", dynamic)];

/// Unit roundoff of float, the only type of X.
const UNIT: f64 = 1.0 / 16_777_216.0;

fn dynamic(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (true, Some(x)) = (query.inputs_exact(), query.input(0)) else {
        return super::exact::decides(query);
    };
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
