//! Reductions, running sums and choices along axes.

use super::arithmetic::is_float;
use super::{Declaration, of};
use crate::families::{arg_reduction, axis, full, reduction, shape};
use crate::{Domain, Draft, Made};

/// No version is defined for no elements.
const NEVER: u32 = u32::MAX;

pub(super) const OPERATORS: &[Declaration] = &[
    of("ArgMax", arg_reduction),
    of("ArgMin", arg_reduction),
    of("CumProd", running),
    of("CumSum", running),
    of("ReduceL1", |d| reduction(d, Domain::SUM, 18)),
    of("ReduceL2", |d| reduction(d, Domain::SUM, 18)),
    of("ReduceLogSum", |d| {
        let domain = positive(d)?;
        let empty = if is_float(d.input_dtype(0)?) { 18 } else { NEVER };
        reduction(d, domain, empty)
    }),
    of("ReduceLogSumExp", |d| {
        // The logarithm of an empty sum is infinite, which no integer can represent.
        let empty = if is_float(d.input_dtype(0)?) { 18 } else { NEVER };
        reduction(d, Domain::MODERATE, empty)
    }),
    of("ReduceMax", |d| reduction(d, Domain::from(-8.0, 8.0), 20)),
    of("ReduceMean", |d| reduction(d, Domain::SUM, NEVER)),
    of("ReduceMin", |d| reduction(d, Domain::from(-8.0, 8.0), 20)),
    of("ReduceProd", |d| reduction(d, Domain::from(-2.0, 2.0), 18)),
    of("ReduceSum", |d| reduction(d, Domain::SUM, 13)),
    of("ReduceSumSquare", |d| reduction(d, Domain::SUM, 18)),
    of("TopK", top_k),
];

fn positive(d: &Draft) -> Result<Domain, crate::Reject> {
    Ok(if is_float(d.input_dtype(0)?) {
        Domain::POSITIVE
    } else {
        Domain::whole(1.0, 4.0)
    })
}

/// The axis is a scalar, or one element.
fn running(d: &mut Draft) -> Made {
    let shape = shape(d, 1, 4);
    d.flag("exclusive", false);
    d.flag("reverse", false);
    let product = d.schema.name == "CumProd";
    d.input(
        &shape,
        if product {
            Domain::from(-2.0, 2.0)
        } else {
            Domain::MODERATE
        },
    )?;
    let (given, _) = axis(d, shape.len(), 11);
    d.number(given)
}

/// k is at most the extent. Equal elements are sorted by index; the order of NaN is undefined.
fn top_k(d: &mut Draft) -> Made {
    let shape = full(d, 1, 4);
    let (given, at) = axis(d, shape.len(), 11);
    let default = !d.whether("axis given");
    let at = if default { shape.len() - 1 } else { at };
    if !default {
        d.int("axis", given);
    }
    d.flag("largest", true);
    let sorted = d.flag("sorted", true);
    d.input(&shape, Domain::from(-8.0, 8.0))?;
    let k = match d.pick("k", &["one", "all", "some", "none"]) {
        // The order of unsorted results is undefined.
        _ if !sorted => 1,
        "one" => 1,
        "all" => shape[at],
        "none" if d.since() >= 10 => 0,
        _ => 1 + d.draws.below(shape[at]),
    };
    if d.has("k") {
        d.int("k", k as i64);
        return Ok(());
    }
    d.numbers(&[k as i64])
}
