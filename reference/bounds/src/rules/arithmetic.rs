//! Sums, differences and products of two numbers, and functions that stretch nothing: what the errors of their inputs do is a formula.
//!
//! The value of one operation rounds once (Cos and Sin: 4 ULP, *OpenCL C*, §7.4). a ± b is off by da + db, a·b by |a|·db + |b|·da + da·db; a function whose slope is nowhere
//! steeper than 1 passes on at most the error of its input, and Relu none where even the error leaves its input below 0.

use ndarray::{ArrayD, Zip};
use onnx_tensor::{Array, Tensor};

use super::pointwise::within_ulps_and;
use super::{Entry, entry};
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("Abs", |query| within_ulps_and(query, 0.0, passed)),
    entry("Add", |query| within_ulps_and(query, 1.0, added)),
    entry("Cos", |query| within_ulps_and(query, 4.5, passed)),
    entry("Mul", |query| within_ulps_and(query, 1.0, multiplied)),
    entry("Neg", |query| within_ulps_and(query, 0.0, passed)),
    entry("Relu", |query| within_ulps_and(query, 0.0, rectified)),
    entry("Sin", |query| within_ulps_and(query, 4.5, passed)),
    entry("Sub", |query| within_ulps_and(query, 1.0, added)),
];

/// The radii of input `index`, if it is off at all.
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
