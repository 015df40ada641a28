//! Maximum and minimum of several elements: no rounding, and an error of at most the greatest error of an
//! element. An index of MaxPool names an element that may be the greatest of its window.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;
use onnx_operators::max_pool_windows;

use super::exact::decides;
use super::{Entry, entry};
use crate::query::reals;
use crate::{Query, Radius, Sets, Span};

pub(super) const RULES: &[Entry] = &[
    entry("GlobalMaxPool", greatest),
    entry("MaxPool", pooled),
    entry("MaxRoiPool", decides),
    entry("ReduceMax", greatest),
    entry("ReduceMin", least),
];

fn greatest(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    extremum(query, 1.0)
}

fn least(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    extremum(query, -1.0)
}

/// MaxPool: the greatest value, and the elements whose upper end is not below the greatest lower end. Exact
/// elements that are equal to the chosen one lose to it by the rule of the operator.
fn pooled(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let mut radii = greatest(query)?;
    let decided = query.inputs_exact() || query.unknown_input().is_some();
    let (Some(slot), false) = (radii.get_mut(1), decided) else {
        return Ok(radii);
    };
    let (Some(x), Some(error), Some(chosen)) =
        (query.input(0), query.error(0), query.output(1).and_then(reals))
    else {
        return Ok(radii);
    };
    let (x, error): (Vec<f64>, Vec<f64>) = (x.iter().copied().collect(), error.iter().copied().collect());
    let (mut sets, mut radius) = (Sets::default(), ArrayD::zeros(chosen.raw_dim()));
    let windows = max_pool_windows(query.call)?;
    for (place, ((window, radius), chosen)) in windows.iter().zip(&mut radius).zip(&chosen).enumerate() {
        if window
            .iter()
            .any(|(at, _)| x[*at].is_nan() || error[*at].is_infinite())
        {
            *radius = f64::INFINITY;
            continue;
        }
        let floor = window
            .iter()
            .map(|(at, _)| x[*at] - error[*at])
            .fold(f64::NEG_INFINITY, f64::max);
        let winner = window.iter().find(|(_, named)| *named as f64 == *chosen);
        let decided = |at: usize| {
            error[at] == 0.0 && winner.is_some_and(|(first, _)| error[*first] == 0.0 && x[at] <= x[*first])
        };
        let fits = |(at, named): &&(usize, i64)| {
            *named as f64 == *chosen || x[*at] + error[*at] >= floor && !decided(*at)
        };
        let found: Vec<Span> = window
            .iter()
            .filter(fits)
            .map(|(_, named)| Span::only(*named as f64))
            .collect();
        if found.len() > 1 {
            sets.insert(place, found);
        }
    }
    *slot = Radius::among(
        &chosen.into_owned(),
        &radius,
        sets,
        "elements that rounding can make equal",
    );
    Ok(radii)
}

/// The operator applied to the radii (negated for a minimum) returns the greatest of them.
fn extremum(query: &Query<'_>, sign: f64) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact() || query.unknown_input().is_some() {
        return decides(query);
    }
    let spread = query.again(|index, value| query.error(index).map_or(value, |error| error * sign))?;
    let mut radii: Vec<Radius> =
        vec![Radius::unknown("the selected element may change"); query.outputs.len()];
    if let (Some(first), Some(Some(spread))) = (radii.first_mut(), spread.into_iter().next()) {
        *first = Radius::within(spread, "the greatest error of an element");
    }
    Ok(radii)
}
