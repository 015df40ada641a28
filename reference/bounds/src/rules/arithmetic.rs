//! Sums, differences and products of two numbers, and functions with a slope of at most 1: a formula
//! propagates the errors of their inputs.
//!
//! One operation rounds once (Cos and Sin: 4 ULP, *OpenCL C*, §7.4). The error of a ± b is da + db, that of
//! a·b is |a|·db + |b|·da + da·db. A function whose slope is at most 1 passes on at most the error of its
//! input, and Relu none if the input is below 0 even with its error.

use ndarray::{ArrayD, Zip};
use onnx_arithmetic::pairs::{Operand, Pair, is_exact_quotient, quotient_roundings, roundings};
use onnx_operators::frame::OpError;
use onnx_operators::shared::broadcast;
use onnx_operators::shared::pairs::ByRows;
use onnx_tensor::{Array, DType, Tensor};

use super::pointwise::{within_ulps, within_ulps_and};
use super::{Entry, Written, entry};
use crate::precision::{Growth, growth, is_accurate, several};
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("Abs", |query| within_ulps_and(query, 0.0, passed)),
    entry("Add", |query| {
        rounded_once(query, added, (Pair::Add, |a, b, y| a + b == y))
    }),
    entry("Cos", |query| within_ulps_and(query, 4.5, passed)),
    entry("Div", divided),
    entry("Mul", |query| {
        rounded_once(query, multiplied, (Pair::Mul, |a, b, y| a * b == y))
    }),
    entry("Neg", |query| within_ulps_and(query, 0.0, passed)),
    entry("Relu", |query| within_ulps_and(query, 0.0, rectified)),
    entry("Sin", |query| within_ulps_and(query, 4.5, passed)),
    entry("Sub", |query| {
        rounded_once(query, added, (Pair::Sub, |a, b, y| a - b == y))
    }),
];

/// The propagated errors of the inputs for an output of this shape.
type Carry = fn(&Query<'_>, &[usize]) -> Option<ArrayD<f64>>;

/// One rounding of the result of `operation`, plus the errors of `carry`. An exact result does not round:
/// one with an infinite operand, or a result of exact operands that the type can represent.
fn rounded_once(
    query: &Query<'_>,
    carry: Carry,
    (pair, is_exact): (Pair, fn(f64, f64, f64) -> bool),
) -> Result<Vec<Radius>, OpError> {
    if let Some(errors) = of_floats(query, pair) {
        return Ok(vec![Radius::within(errors, "one rounding")]);
    }
    let mut radii = within_ulps_and(query, 1.0, carry)?;
    let (Some(Radius::Within { radius, .. }), Some(output)) = (radii.first(), query.output(0)) else {
        return Ok(radii);
    };
    let exact = query.inputs_exact();
    if !exact && radius.iter().all(|radius| radius.is_finite()) {
        return Ok(radii);
    }
    if let Some(certain) = certain(query, output, exact, &is_exact) {
        let carried = if exact { None } else { carry(query, output.shape()) };
        let carried = carried.unwrap_or_else(|| ArrayD::zeros(output.shape()));
        let choose = |certain: &bool, carried: &f64, radius: &f64| if *certain { *carried } else { *radius };
        let chosen = Zip::from(&certain).and(&carried).and(radius).map_collect(choose);
        radii = vec![Radius::within(chosen, "one rounding")];
    }
    Ok(radii)
}

/// The ULP of a quotient (*OpenCL C*, §7.4), which some runtimes compute by the reciprocal.
const OF_QUOTIENT: f64 = 3.0;

/// The errors of quotients. Typical ones are none where a quotient is exact in every arithmetic of the class.
fn divided(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let mut radii = within_ulps(query, OF_QUOTIENT)?;
    let whole = is_accurate();
    let is_exact = move |a: f64, b: f64, y: f64| is_exact_quotient(whole, a, b, y);
    if growth() != Growth::Worst
        && let (Some(Radius::Within { radius, .. }), Some(output), true) =
            (radii.first_mut(), query.output(0), query.inputs_exact())
        && let Some(certain) = certain(query, output, true, &is_exact)
    {
        let radius = radius.view_mut();
        Zip::from(radius)
            .and(&certain)
            .for_each(|radius, certain| *radius = if *certain { 0.0 } else { *radius });
    }
    Ok(radii)
}

/// Writes the errors of quotients of exact operands, all of float.
pub(super) fn written_quotients<'q>(query: &'q Query<'_>) -> Option<Written<'q>> {
    let (ulps, whole) = (several(OF_QUOTIENT), is_accurate());
    let of_one = written_as(query, move |a, b, y, errors| {
        quotient_roundings(whole, a, b, y, errors)
    })?;
    Some(Box::new(move |from, errors| {
        of_one(from, errors);
        errors.iter_mut().for_each(|error| *error *= ulps);
    }))
}

/// The errors of results of exact operands, all of float.
fn of_floats(query: &Query<'_>, pair: Pair) -> Option<ArrayD<f64>> {
    let output = query.output(0)?;
    let mut errors = vec![0.0; output.len()];
    written(query, pair)?(0, &mut errors);
    ArrayD::from_shape_vec(output.shape(), errors).ok()
}

/// Writes the errors of results of exact operands, all of float.
pub(super) fn written<'q>(query: &'q Query<'_>, pair: Pair) -> Option<Written<'q>> {
    written_as(query, move |a, b, y, errors| roundings(pair, a, b, y, errors))
}

fn written_as<'q>(
    query: &'q Query<'_>,
    roundings: impl Fn(Operand<'_>, Operand<'_>, &[f32], &mut [f64]) + 'q,
) -> Option<Written<'q>> {
    let operand = |index| float(query.call.optional(index)?.as_tensor()?);
    let (a, b, y) = (operand(0)?, operand(1)?, float(query.output(0)?)?);
    let fits = broadcast::shape(&[a.shape(), b.shape()]).is_ok_and(|shape| shape == y.shape());
    if !query.inputs_exact() || !fits {
        return None;
    }
    let (rows, results) = (ByRows::new([a, b], y.shape())?, y.as_slice()?);
    Some(Box::new(move |from, errors| {
        rows.part(from, errors, |at, [a, b], errors| {
            roundings(a, b, &results[from + at..][..errors.len()], errors);
        });
    }))
}

fn float(tensor: &Tensor) -> Option<&Array<f32>> {
    match tensor {
        Tensor::Float(array) => Some(array),
        _ => None,
    }
}

/// Whether the result of two operands is exact.
type IsExact = dyn Fn(f64, f64, f64) -> bool;

/// The positions at which the operation does not round.
fn certain(query: &Query<'_>, output: &Tensor, exact: bool, is_exact: &IsExact) -> Option<ArrayD<bool>> {
    let (a, b, y) = (query.input(0)?, query.input(1)?, reals(output)?);
    let (a, b) = (a.broadcast(y.raw_dim())?, b.broadcast(y.raw_dim())?);
    // An operation in f64 cannot check f64 itself.
    let checked = exact && output.dtype() != DType::Double;
    let certain = |a: &f64, b: &f64, y: &f64| {
        let from_infinity = y.is_infinite() && (a.is_infinite() || b.is_infinite());
        from_infinity || checked && is_exact(*a, *b, *y)
    };
    Some(Zip::from(&a).and(&b).and(&y).map_collect(certain))
}

/// The radii of input `index`, if it is not exact.
fn off<'q>(query: &'q Query<'_>, index: usize) -> Option<&'q Array<f64>> {
    match query.errors.get(index)? {
        Radius::Within { radius, .. } => Some(radius),
        _ => None,
    }
}

fn passed(query: &Query<'_>, _: &[usize]) -> Option<ArrayD<f64>> {
    off(query, 0).map(Array::to_owned)
}

fn rectified(query: &Query<'_>, _: &[usize]) -> Option<ArrayD<f64>> {
    let radius = off(query, 0)?;
    match query.call.optional(0)?.as_tensor()? {
        Tensor::Float(x) if x.shape() == radius.shape() => Some(
            Zip::from(x)
                .and(radius)
                .map_collect(|x, r| (f64::from(*x) + r).clamp(0.0, *r)),
        ),
        x => Some(
            Zip::from(&reals(x)?)
                .and(radius)
                .map_collect(|x, r| (x + r).clamp(0.0, *r)),
        ),
    }
}

fn added(query: &Query<'_>, shape: &[usize]) -> Option<ArrayD<f64>> {
    match (off(query, 0), off(query, 1)) {
        (Some(a), Some(b)) => Some(&a.broadcast(shape)? + &b.broadcast(shape)?),
        (Some(a), None) | (None, Some(a)) => Some(a.broadcast(shape)?.to_owned()),
        (None, None) => None,
    }
}

fn multiplied(query: &Query<'_>, shape: &[usize]) -> Option<ArrayD<f64>> {
    let scaled = |factor: usize, error: &Array<f64>| {
        let factor = query.input(factor)?;
        let (factor, error) = (factor.broadcast(shape)?, error.broadcast(shape)?);
        Some(Zip::from(&factor).and(&error).map_collect(|x, r| x.abs() * r))
    };
    match (off(query, 0), off(query, 1)) {
        (Some(da), Some(db)) => {
            let both = &da.broadcast(shape)? * &db.broadcast(shape)?;
            Some(both + scaled(0, db)? + scaled(1, da)?)
        }
        (Some(da), None) => scaled(1, da),
        (None, Some(db)) => scaled(0, db),
        (None, None) => None,
    }
}
