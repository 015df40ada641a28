//! Elementwise operators: a number of ULP, plus the propagated errors of the inputs.
//!
//! The ULP values are those of *The OpenCL C Specification*, version 3.0, §7.4 (table "ULP values for
//! single precision built-in math functions", full profile), which processors of all kinds satisfy, plus
//! half a ULP for the rounding of the reference; a value for a function that is not in that table is
//! derived in the comment of its line.
//!
//! Errors of inputs are propagated by evaluating the operator at the ends of each input's interval, which
//! is correct to first order and exact for a function that is monotone on the interval.

use ndarray::{ArrayD, Zip};
use onnx_arithmetic::perturbation::add_ulps;
use onnx_operators::frame::OpError;
use onnx_tensor::{Array, Tensor};

use super::{Entry, Written, entry};
use crate::precision::{several, ulp};
use crate::query::reals;
use crate::{Query, Radius};

/// Rules with a constant number of ULP.
macro_rules! units {
    ($($name:literal: $ulps:literal),* $(,)?) => {
        pub(super) const RULES: &[Entry] = &[$(entry($name, |query| within_ulps(query, $ulps))),*];

        /// The number of ULP of an operator of these rules.
        fn ulps(name: &str) -> Option<f64> {
            match name {
                $($name => Some($ulps),)*
                _ => None,
            }
        }
    };
}

units! {
    // Correctly rounded or exact (§7.4: floor, fmax …).
    "Max": 0.0, "Min": 0.0, "Clip": 0.0,
    "Reciprocal": 3.0, "Sqrt": 3.5,
    "Exp": 3.5, "Log": 3.5, "Tan": 5.5, "Sinh": 4.5, "Cosh": 4.5, "Tanh": 5.5,
    "Asin": 4.5, "Acos": 4.5, "Atan": 5.5, "Asinh": 4.5, "Acosh": 4.5, "Atanh": 5.5, "Erf": 16.5, "Pow": 16.5,
}

/// Writes the errors of the result of a function of exact numbers, all of float.
pub(super) fn written<'q>(query: &'q Query<'_>) -> Option<Written<'q>> {
    let ulps = ulps(query.call.schema().name).filter(|ulps| *ulps > 0.0)?;
    let Tensor::Float(y) = query.output(0)? else {
        return None;
    };
    let y = y.as_slice().filter(|_| query.inputs_exact())?;
    let ulps = several(ulps);
    Some(Box::new(move |from, errors| {
        errors.fill(0.0);
        add_ulps(&y[from..][..errors.len()], ulps, errors);
    }))
}

/// `ulps` ULP of the result, plus the propagated errors of the inputs ([`carried`]).
pub fn within_ulps(query: &Query<'_>, ulps: f64) -> Result<Vec<Radius>, OpError> {
    within_ulps_and(query, ulps, |query, _| carried(query).ok())
}

/// `ulps` ULP of the result; if an input has an error, also the effect given by `carry` for an output of
/// this shape.
pub fn within_ulps_and(
    query: &Query<'_>,
    ulps: f64,
    carry: impl Fn(&Query<'_>, &[usize]) -> Option<ArrayD<f64>>,
) -> Result<Vec<Radius>, OpError> {
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let Some(output) = query.output(0) else {
        return super::exact::decides(query);
    };
    // The errors of the steps of a function are independent.
    let ulps = if ulps > 1.0 { several(ulps) } else { ulps };
    let exact = query.inputs_exact();
    if exact && (ulps == 0.0 || query.unit(0) == 0.0) {
        return Ok(vec![Radius::Exact; query.outputs.len()]);
    }
    // A result that is rounded to an integer has jumps.
    if !exact && ulps > 0.0 && query.unit(0) == 0.0 {
        return super::exact::decides(query);
    }
    let missing = || OpError::invalid("the effect of the errors of the inputs is unknown".to_owned());
    let mut radius = if exact {
        ArrayD::zeros(output.shape())
    } else {
        carry(query, output.shape()).ok_or_else(missing)?
    };
    if ulps > 0.0 && add_units(&mut radius, output, ulps).is_none() {
        return super::exact::decides(query);
    }
    Ok(vec![Radius::within(
        radius,
        format!("{ulps} ULP of the function"),
    )])
}

/// Adds `ulps` ULP of `values` to radii of the same shape; `None` if they are not numeric.
fn add_units(radius: &mut ArrayD<f64>, values: &Tensor, ulps: f64) -> Option<()> {
    let dtype = values.dtype();
    if let Tensor::Float(values) = values
        && let (Some(values), Some(radius)) = (values.as_slice(), radius.as_slice_mut())
    {
        add_ulps(values, ulps, radius);
        return Some(());
    }
    Zip::from(radius)
        .and(&reals(values)?)
        .for_each(|radius, y| *radius += ulps * ulp(dtype, y.abs()));
    Some(())
}

/// How far the result can change if the inputs change within their radii: one input after the other, in
/// both directions.
pub fn carried(query: &Query<'_>) -> Result<ArrayD<f64>, OpError> {
    let missing = || OpError::invalid("the operator has no numeric output".to_owned());
    let first = |outputs: Vec<Option<Array<f64>>>| outputs.into_iter().next().flatten().ok_or_else(missing);
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
