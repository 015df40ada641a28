//! Reductions, and operators along one axis.

use super::arithmetic::with;
use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::{Expr, Operation};
use crate::fact::{Content, Fact};
use crate::finding::{Outcome, Stop, known};

pub(super) const ROWS: &[Row] = &[
    row("ReduceL1", 1, reduce),
    row("ReduceL2", 1, reduce),
    row("ReduceLogSum", 1, reduce),
    row("ReduceLogSumExp", 1, reduce),
    row("ReduceMax", 1, reduce),
    row("ReduceMean", 1, reduce),
    row("ReduceMin", 1, reduce),
    row("ReduceProd", 1, reduce),
    row("ReduceSum", 1, reduce),
    row("ReduceSumSquare", 1, reduce),
    row("ArgMax", 1, arg),
    row("ArgMin", 1, arg),
    row("CumSum", 11, cumulative),
    row("CumProd", 26, cumulative),
];

pub(super) fn reduce(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let keep = call.flag("keepdims");
    let axes = match call.numbers_of("axes", 1) {
        Ok(axes) => axes.unwrap_or_default(),
        // The axes are unknown: the rank is known if it is kept.
        Err(Stop::Unknown) if keep => {
            let kept = call.unknowns(shape.len());
            return one(kept);
        }
        Err(Stop::Unknown) => match call.known_length(1) {
            Ok(count @ 1..) if count <= shape.len() && !call.flag("noop_with_empty_axes") => {
                let rest = call.unknowns(shape.len() - count);
                return one(rest);
            }
            _ => return Err(Stop::Unknown),
        },
        Err(stop) => return Err(stop),
    };
    if axes.is_empty() && call.flag("noop_with_empty_axes") {
        return one(shape);
    }
    let axes = if axes.is_empty() {
        (0..shape.len()).collect()
    } else {
        call.axes(&axes, shape.len())?
    };
    let content = elements(call, &shape, &axes).unwrap_or_default();
    Ok(vec![with(without(&shape, &axes, keep), content)])
}

/// Removes the axes, or sets their extents to 1.
fn without(shape: &[Expr], axes: &[usize], keep: bool) -> Vec<Expr> {
    let extent = |(at, extent): (usize, &Expr)| {
        if axes.contains(&at) {
            keep.then(|| 1.into())
        } else {
            Some(extent.clone())
        }
    };
    shape.iter().enumerate().filter_map(extent).collect()
}

/// The sum, product or extremum of a list of integers.
fn elements(call: &mut Call<'_, '_>, shape: &[Expr], axes: &[usize]) -> Option<Content> {
    if shape.len() != 1 || axes.len() != 1 {
        return None;
    }
    let list = call.list(0).ok()?;
    let (first, others) = list.split_first()?;
    let mut known = first.clone();
    for other in others {
        known = match call.schema.name {
            "ReduceSum" => known.plus(other)?,
            "ReduceProd" => known.times(other)?,
            "ReduceMax" => call.apply(Operation::Max, [known, other.clone()]),
            "ReduceMin" => call.apply(Operation::Min, [known, other.clone()]),
            _ => return None,
        };
    }
    matches!(
        call.schema.name,
        "ReduceSum" | "ReduceProd" | "ReduceMax" | "ReduceMin"
    )
    .then(|| Content::Integers(vec![known]))
}

fn arg(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let axis = call.axis_attribute(shape.len())?;
    one(without(&shape, &[axis], call.flag("keepdims")))
}

fn cumulative(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    if let Some(axis) = known(call.only(1))?.and_then(|axis| axis.constant()) {
        call.axis(axis, shape.len())?;
    }
    one(shape)
}
