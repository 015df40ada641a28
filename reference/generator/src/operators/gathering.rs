//! Operators that read or write at indices; every index is within its axis.

use super::movement::signed;
use super::{Declaration, of};
use crate::families::{axis, full};
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    of("Compress", compress),
    of("Gather", gather),
    of("GatherElements", |d| elements(d, false)),
    of("GatherND", gather_nd),
    of("Scatter", |d| elements(d, true)),
    of("ScatterElements", |d| elements(d, true)),
    of("ScatterND", scatter_nd),
    of("TensorScatter", tensor_scatter),
];

/// An index into an axis; from version 11 on it may be negative.
fn index(d: &mut Draft, extent: usize) -> i64 {
    let extent = extent as i64;
    let negative = d.since() >= 11 && d.pick("indices", &["plain", "negative"]) == "negative";
    d.draws.between(if negative { -extent } else { 0 }, extent - 1)
}

/// The condition may be shorter than the axis.
fn compress(d: &mut Draft) -> Made {
    let shape = full(d, 1, 4);
    d.input(&shape, Domain::ANY)?;
    let extent = if d.whether("axis given") {
        let (given, at) = axis(d, shape.len(), 11);
        d.int("axis", given);
        shape[at]
    } else {
        shape.iter().product()
    };
    let length = if d.pick("condition", &["whole", "shorter"]) == "whole" {
        extent
    } else {
        d.draws.below(extent) + 1
    };
    d.input(&[length], Domain::ANY)?;
    Ok(())
}

fn gather(d: &mut Draft) -> Made {
    let shape = full(d, 1, 4);
    d.input(&shape, Domain::ANY)?;
    let (given, at) = axis(d, shape.len(), 11);
    let at = if d.whether("axis given") {
        d.int("axis", given);
        at
    } else {
        0
    };
    let form: &[usize] = match d.pick("indices form", &["scalar", "one axis", "two axes", "empty"]) {
        "scalar" => &[],
        "one axis" => &[3],
        "two axes" => &[2, 2],
        _ => &[0],
    };
    let indices: Vec<i64> = (0..form.iter().product()).map(|_| index(d, shape[at])).collect();
    d.shaped_numbers(form, &indices)
}

/// Indices of the rank of the data, with extents that are at most as large. Without a reduction no
/// element is written twice.
fn elements(d: &mut Draft, scatter: bool) -> Made {
    let shape = full(d, 1, 4);
    let (given, at) = axis(d, shape.len(), 11);
    let at = if d.whether("axis given") {
        d.int("axis", given);
        at
    } else {
        0
    };
    let reduction = d.mode("reduction");
    let adding = matches!(reduction.as_str(), "add" | "mul" | "min" | "max");
    arithmetic_only(d, adding)?;
    let mut extents: Vec<usize> = shape.iter().map(|&extent| 1 + d.draws.below(extent)).collect();
    if !scatter || adding {
        extents[at] = 1 + d.draws.below(shape[at] + 1);
    }
    d.input(&shape, data(adding))?;
    let count: usize = extents.iter().product();
    let stride: usize = extents[at + 1..].iter().product();
    // One order of the axis for all lines keeps the indices of a line distinct.
    let order = d.draws.permutation(shape[at]);
    let negative = d.since() >= 11 && d.pick("indices", &["plain", "negative"]) == "negative";
    let place = |d: &mut Draft, number: usize| {
        let along = number / stride % extents[at];
        let index = match order.get(along) {
            Some(&index) if scatter && !adding => index,
            _ => d.draws.below(shape[at]),
        };
        index as i64
            - if negative && d.draws.one_in(2) {
                shape[at] as i64
            } else {
                0
            }
    };
    let indices: Vec<i64> = (0..count).map(|number| place(d, number)).collect();
    d.shaped_numbers(&extents, &indices)?;
    if scatter {
        d.input(&extents, data(adding))?;
    }
    Ok(())
}

/// Strings, booleans and complex numbers have no sum or no order.
fn arithmetic_only(d: &Draft, adding: bool) -> Made {
    use onnx_tensor::DType as D;
    let dtype = d.input_dtype(0)?;
    let without = matches!(dtype, D::String | D::Bool | D::Complex64 | D::Complex128);
    d.require(!adding || !without, "the type has neither sum nor order")
}

fn data(adding: bool) -> Domain {
    if adding {
        Domain::from(-2.0, 2.0)
    } else {
        Domain::ANY
    }
}

/// The last axis of the indices is an index tuple into the data after the batch axes.
fn gather_nd(d: &mut Draft) -> Made {
    let shape = full(d, 1, 4);
    let batch = if d.has("batch_dims") && shape.len() > 1 && d.pick("batch", &["no", "yes"]) == "yes" {
        1 + d.draws.below(shape.len() - 1)
    } else {
        0
    };
    if batch > 0 || d.has("batch_dims") && d.draws.one_in(2) {
        d.int("batch_dims", batch as i64);
    }
    let depth = 1 + d.draws.below(shape.len() - batch);
    let middle: Vec<usize> = match d.pick("indices form", &["none", "one axis", "two axes"]) {
        "one axis" => vec![3],
        "two axes" => vec![2, 2],
        _ => Vec::new(),
    };
    d.input(&shape, Domain::ANY)?;
    let form = [shape[..batch].to_vec(), middle, vec![depth]].concat();
    let count: usize = form.iter().product();
    let indices: Vec<i64> = (0..count)
        .map(|number| index(d, shape[batch + number % depth]))
        .collect();
    d.shaped_numbers(&form, &indices)
}

/// Without a reduction no element is written twice.
fn scatter_nd(d: &mut Draft) -> Made {
    let shape = full(d, 1, 4);
    let reduction = d.mode("reduction");
    let adding = matches!(reduction.as_str(), "add" | "mul" | "min" | "max");
    arithmetic_only(d, adding)?;
    let depth = 1 + d.draws.below(shape.len());
    let places: usize = shape[..depth].iter().product();
    let count = if adding {
        1 + d.draws.below(4)
    } else {
        1 + d.draws.below(places.min(4))
    };
    let order = d.draws.permutation(places);
    let negative = d.since() >= 11 && d.pick("indices", &["plain", "negative"]) == "negative";
    let mut indices = Vec::new();
    for number in 0..count {
        let mut place = match order.get(number) {
            Some(&place) if !adding => place,
            _ => d.draws.below(places),
        };
        let mut coordinates = vec![0; depth];
        for axis in (0..depth).rev() {
            coordinates[axis] = (place % shape[axis]) as i64 - if negative { shape[axis] as i64 } else { 0 };
            place /= shape[axis];
        }
        indices.extend(coordinates);
    }
    d.input(&shape, data(adding))?;
    d.shaped_numbers(&[count, depth], &indices)?;
    d.input(&[vec![count], shape[depth..].to_vec()].concat(), data(adding))?;
    Ok(())
}

/// A cache of batch × heads × length × width to which an update is written from an index on.
fn tensor_scatter(d: &mut Draft) -> Made {
    let circular = d.mode("mode") == "circular";
    let (batch, length) = (1 + d.draws.below(3), 3 + d.draws.below(4));
    let shape: Vec<usize> = match d.pick("rank", &["3", "4"]) {
        "3" => vec![batch, length, 2],
        _ => vec![batch, 2, length, 3],
    };
    let at = shape.len() - 2;
    match d.pick("axis", &["absent", "positive", "negative"]) {
        "positive" => d.int("axis", at as i64),
        "negative" => d.int("axis", -2),
        _ => {}
    }
    let mut update = shape.clone();
    update[at] = 1 + d.draws.below(length);
    d.input(&shape, Domain::ANY)?;
    d.input(&update, Domain::ANY)?;
    let last = if circular { length - 1 } else { length - update[at] };
    if d.whether("write indices") {
        let starts: Vec<usize> = (0..batch).map(|_| d.draws.below(last + 1)).collect();
        return d.numbers(&signed(&starts));
    }
    Ok(())
}
