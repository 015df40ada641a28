//! Selections among elements with errors: ArgMax, ArgMin, Hardmax, TopK.
//!
//! An element may be the greatest if its upper end is not below the greatest lower end. Among
//! elements without an error the rule of the operator for equal elements holds. The k-th greatest
//! element lies between the k-th greatest lower end and the k-th greatest upper end.

use ndarray::{ArrayD, Axis};
use onnx_operators::frame::OpError;
use onnx_tensor::Array;

use super::exact::decides;
use super::{Entry, entry};
use crate::query::reals;
use crate::{Query, Radius, Sets, Span};

pub(super) const RULES: &[Entry] = &[
    entry("ArgMax", |query| argument(query, 1.0)),
    entry("ArgMin", |query| argument(query, -1.0)),
    entry("Hardmax", hardmax),
    entry("TopK", top),
];

/// The error model of all rules here.
const MODEL: &str = "elements that rounding can make equal";

fn missing() -> OpError {
    OpError::invalid("the operands are not numeric tensors")
}

/// Whether no rule here applies: all inputs are exact, the error of one is unknown, or one but the
/// first has an error.
fn is_decided(query: &Query<'_>) -> bool {
    let others = query.errors.iter().skip(1).any(|radius| !radius.is_exact());
    query.inputs_exact() || query.unknown_input().is_some() || others
}

/// The axis of the attribute in a tensor of this rank.
fn axis(query: &Query<'_>, default: i64, rank: usize) -> Result<usize, OpError> {
    let given = query
        .call
        .given_attributes()
        .iter()
        .find(|attribute| attribute.name == "axis");
    let axis = match given.map(|attribute| &attribute.value) {
        Some(onnx_model::AttributeValue::Int(axis)) => *axis,
        _ => default,
    };
    let axis = if axis < 0 { axis + rank as i64 } else { axis };
    usize::try_from(axis)
        .ok()
        .filter(|axis| *axis < rank)
        .ok_or_else(missing)
}

/// The numbers of one lane, negated for a minimum, with their errors.
struct Lane {
    values: Vec<f64>,
    errors: Vec<f64>,
}

impl Lane {
    /// Whether every number has a bound.
    fn is_known(&self) -> bool {
        let known = |(value, error): (&f64, &f64)| !value.is_nan() && error.is_finite();
        self.values.iter().zip(&self.errors).all(known)
    }

    fn low(&self, index: usize) -> f64 {
        self.values[index] - self.errors[index]
    }

    fn high(&self, index: usize) -> f64 {
        self.values[index] + self.errors[index]
    }

    fn all(&self) -> std::ops::Range<usize> {
        0..self.values.len()
    }

    /// The elements that may be the greatest, if `chosen` is it without errors.
    fn candidates(&self, chosen: usize) -> Vec<usize> {
        let floor = self
            .all()
            .map(|index| self.low(index))
            .fold(f64::NEG_INFINITY, f64::max);
        // An equal element without an error loses to the chosen one by the rule of the operator.
        let loses = |index: usize| {
            self.errors[index] == 0.0
                && self.errors[chosen] == 0.0
                && self.values[index] <= self.values[chosen]
        };
        self.all()
            .filter(|index| *index == chosen || self.high(*index) >= floor && !loses(*index))
            .collect()
    }
}

/// The lanes of input 0 along an axis, in row-major order of the other axes.
fn lanes(x: &Array<f64>, error: &Array<f64>, axis: usize, sign: f64) -> Vec<Lane> {
    let lanes = x.lanes(Axis(axis)).into_iter().zip(error.lanes(Axis(axis)));
    lanes
        .map(|(values, errors)| Lane {
            values: values.iter().map(|value| value * sign).collect(),
            errors: errors.to_vec(),
        })
        .collect()
}

/// ArgMax, and ArgMin of the negated numbers.
fn argument(query: &Query<'_>, sign: f64) -> Result<Vec<Radius>, OpError> {
    if is_decided(query) {
        return decides(query);
    }
    let (x, error) = query.input(0).zip(query.error(0)).ok_or_else(missing)?;
    let center = query.output(0).and_then(reals).ok_or_else(missing)?.into_owned();
    let axis = axis(query, 0, x.ndim())?;
    let mut radius = ArrayD::zeros(center.raw_dim());
    let mut sets = Sets::default();
    let elements = lanes(&x, &error, axis, sign)
        .into_iter()
        .zip(center.iter().zip(&mut radius));
    for (place, (lane, (chosen, radius))) in elements.enumerate() {
        if !lane.is_known() {
            *radius = f64::INFINITY;
            continue;
        }
        let found = lane.candidates(*chosen as usize);
        if found.len() > 1 {
            sets.insert(
                place,
                found.into_iter().map(|index| Span::only(index as f64)).collect(),
            );
        }
    }
    Ok(vec![Radius::among(&center, &radius, sets, MODEL)])
}

/// Hardmax: 1 for the greatest element, 0 for all others. Versions 1 and 11 take all axes from
/// `axis` on as one.
fn hardmax(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if is_decided(query) {
        return decides(query);
    }
    let (x, error) = query.input(0).zip(query.error(0)).ok_or_else(missing)?;
    let center = query.output(0).and_then(reals).ok_or_else(missing)?.into_owned();
    let flattened = query.call.schema().since < 13;
    let axis = axis(query, if flattened { 1 } else { -1 }, x.ndim())?;
    let width: usize = x.shape().iter().skip(axis + 1).product();
    let extent = x.shape().get(axis).copied().unwrap_or(1);
    // The distance of the elements of a lane, and their number.
    let (step, count) = if flattened {
        (1, extent * width)
    } else {
        (width, extent)
    };
    let flat = |array: &Array<f64>| array.iter().copied().collect::<Vec<f64>>();
    let (x, error, exact) = (
        flat(&x),
        flat(&error),
        center.iter().copied().collect::<Vec<f64>>(),
    );
    let mut radius = vec![0.0; x.len()];
    let mut sets = Sets::default();
    let starts = (0..x.len()).filter(|place| count > 0 && place / step % count == 0);
    for start in starts {
        let places: Vec<usize> = (0..count).map(|index| start + index * step).collect();
        let lane = Lane {
            values: places.iter().map(|place| x[*place]).collect(),
            errors: places.iter().map(|place| error[*place]).collect(),
        };
        let chosen = places.iter().position(|place| exact[*place] == 1.0).unwrap_or(0);
        if !lane.is_known() {
            places.iter().for_each(|place| radius[*place] = f64::INFINITY);
            continue;
        }
        let found = lane.candidates(chosen);
        if found.len() > 1 {
            for index in found {
                sets.insert(places[index], vec![Span::only(0.0), Span::only(1.0)]);
            }
        }
    }
    let radius = ArrayD::from_shape_vec(center.raw_dim(), radius).map_err(|_| missing())?;
    Ok(vec![Radius::among(&center, &radius, sets, MODEL)])
}

/// TopK: the values lie between the sorted ends; an index is that of an element which may have this rank.
fn top(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if is_decided(query) {
        return decides(query);
    }
    let int = |name| query.call.optional_int(name).ok().flatten();
    if int("sorted") == Some(0) {
        return Ok(vec![
            Radius::unknown("TopK without an order");
            query.outputs.len()
        ]);
    }
    let sign = if int("largest") == Some(0) { -1.0 } else { 1.0 };
    let (x, error) = query.input(0).zip(query.error(0)).ok_or_else(missing)?;
    let axis = axis(query, -1, x.ndim())?;
    let output = |index: usize| {
        query
            .output(index)
            .and_then(reals)
            .map(Array::into_owned)
            .ok_or_else(missing)
    };
    let (values, indices) = (output(0)?, output(1)?);
    let (mut value_radius, mut index_radius) =
        (ArrayD::zeros(values.raw_dim()), ArrayD::zeros(indices.raw_dim()));
    // The flat position of each element, lane by lane.
    let places =
        ArrayD::from_shape_vec(values.raw_dim(), (0..values.len()).collect()).map_err(|_| missing())?;
    let (mut value_sets, mut index_sets) = (Sets::default(), Sets::default());
    let outputs = value_radius
        .lanes_mut(Axis(axis))
        .into_iter()
        .zip(index_radius.lanes_mut(Axis(axis)));
    let chosen = indices
        .lanes(Axis(axis))
        .into_iter()
        .zip(places.lanes(Axis(axis)));
    for (lane, ((mut value_radius, mut index_radius), (chosen, places))) in
        lanes(&x, &error, axis, sign).into_iter().zip(outputs.zip(chosen))
    {
        if !lane.is_known() {
            value_radius.fill(f64::INFINITY);
            index_radius.fill(f64::INFINITY);
            continue;
        }
        let sorted = |end: &dyn Fn(usize) -> f64| {
            let mut ends: Vec<f64> = lane.all().map(end).collect();
            ends.sort_by(|a, b| b.total_cmp(a));
            ends
        };
        let (lows, highs) = (
            sorted(&|index| lane.low(index)),
            sorted(&|index| lane.high(index)),
        );
        for (rank, (place, chosen)) in places.iter().zip(&chosen).enumerate() {
            let (low, high) = (lows[rank], highs[rank]);
            if low == high {
                continue;
            }
            let (first, last) = if sign > 0.0 { (low, high) } else { (-high, -low) };
            value_sets.insert(
                *place,
                vec![Span {
                    low: first,
                    high: last,
                }],
            );
            let fits = |index: &usize| lane.high(*index) >= low && lane.low(*index) <= high;
            let mut found: Vec<usize> = lane.all().filter(fits).collect();
            let exact = *chosen as usize;
            if !found.contains(&exact) {
                found.push(exact);
            }
            if found.len() > 1 {
                index_sets.insert(
                    *place,
                    found.into_iter().map(|index| Span::only(index as f64)).collect(),
                );
            }
        }
    }
    let mut radii = vec![
        Radius::among(&values, &value_radius, value_sets, MODEL),
        Radius::among(&indices, &index_radius, index_sets, MODEL),
    ];
    radii.truncate(query.outputs.len());
    Ok(radii)
}
