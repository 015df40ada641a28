//! Operators that work on each element alone: a number of units in the last place, and what the errors of the inputs do.
//!
//! The units are those of *The OpenCL C Specification*, version 3.0, §7.4 (table "ULP values for single precision built-in math
//! functions", full profile), which processors of all kinds meet, plus half a unit for the rounding of our own result;
//! where a function is not in that table, they are derived in the comment of its line.
//!
//! Errors of inputs are carried through by evaluating the operator at the ends of each input's interval, which is right to first
//! order and, for a function that is monotone on the interval, exactly.

use ndarray::{ArrayD, Zip};
use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::precision::ulp;
use crate::{Query, Radius};

/// Rules of a number of ULP each.
macro_rules! units {
    ($($name:literal: $ulps:literal),* $(,)?) => {
        &[$(entry($name, |query| within_ulps(query, $ulps))),*]
    };
}

pub(super) const RULES: &[Entry] = units! {
    // Correctly rounded or exact (§7.4: x + y, x − y, x * y, fabs, floor …).
    "Abs": 0.0, "Ceil": 0.0, "Floor": 0.0, "Neg": 0.0, "Round": 0.0, "Sign": 0.0, "Relu": 0.0, "Max": 0.0, "Min": 0.0,
    "Clip": 0.0, "Where": 0.0, "Equal": 0.0, "Greater": 0.0, "GreaterOrEqual": 0.0, "Less": 0.0, "LessOrEqual": 0.0,
    "IsNaN": 0.0, "IsInf": 0.0, "Not": 0.0, "And": 0.0, "Or": 0.0, "Xor": 0.0, "ThresholdedRelu": 0.0,
    // A conversion rounds once, to nearest, by the specification; the remainder of a division is representable.
    "Cast": 0.0, "CastLike": 0.0, "Mod": 0.0,
    "Add": 1.0, "Sub": 1.0, "Mul": 1.0,
    "Div": 3.0, "Reciprocal": 3.0, "Sqrt": 3.5,
    "Exp": 3.5, "Log": 3.5, "Sin": 4.5, "Cos": 4.5, "Tan": 5.5, "Sinh": 4.5, "Cosh": 4.5, "Tanh": 5.5,
    "Asin": 4.5, "Acos": 4.5, "Atan": 5.5, "Asinh": 4.5, "Acosh": 4.5, "Atanh": 5.5, "Erf": 16.5, "Pow": 16.5,
};

/// `ulps` units in the last place of the result, and the errors of the inputs carried through.
pub fn within_ulps(query: &Query<'_>, ulps: f64) -> Result<Vec<Radius>, OpError> {
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let Some((dtype, center)) = query
        .output(0)
        .and_then(|output| Some((output.dtype(), crate::query::reals(output)?)))
    else {
        return super::exact::decides(query);
    };
    if query.inputs_exact() && (ulps == 0.0 || query.unit(0) == 0.0) {
        return Ok(vec![Radius::Exact; query.outputs.len()]);
    }
    let mut radius = center.mapv(|value| {
        if ulps == 0.0 {
            0.0
        } else {
            ulps * ulp(dtype, value.abs())
        }
    });
    if !query.inputs_exact() {
        radius += &carried(query)?;
    }
    Ok(vec![Radius::within(
        radius,
        format!("{ulps} ULP of the function"),
    )])
}

/// How far the result can move when the inputs move within their radii: one input after the other, both ways.
pub fn carried(query: &Query<'_>) -> Result<ArrayD<f64>, OpError> {
    let missing = || OpError::invalid("the operator has no numeric output".to_owned());
    let first = |outputs: Vec<Option<ArrayD<f64>>>| outputs.into_iter().next().flatten().ok_or_else(missing);
    let center = first(query.again(|_, value| value)?)?;
    let mut moved = ArrayD::<f64>::zeros(center.raw_dim());
    for moving in (0..query.errors.len()).filter(|&index| !query.errors[index].is_exact()) {
        let mut worst = ArrayD::<f64>::zeros(center.raw_dim());
        for sign in [1.0, -1.0] {
            let end = first(query.again(|index, value| match query.error(index) {
                Some(error) if index == moving => value + error * sign,
                _ => value,
            })?)?;
            Zip::from(&mut worst)
                .and(&end)
                .and(&center)
                .for_each(|worst, end, center| {
                    *worst = f64::max(*worst, (end - center).abs());
                });
        }
        moved += &worst;
    }
    Ok(moved)
}
