//! Einsum, with a loop over all indices.

use std::collections::BTreeMap;

use super::super::call::{count, one};
use super::super::equation::{Equation, Label};
use super::super::movement::{positions, strides};
use super::super::numbers::{floats, from_floats, from_ints, ints, sum};
use super::super::{Call, Outcome, Row, row};
use crate::error::invalid;
use crate::shapes::Shapes::First;
use crate::size::has_room;

pub const ROWS: &[Row] = &[row("Einsum", 12, First(|known| known.einsum()), einsum)];

fn einsum(call: &Call) -> Outcome {
    let tensors = call.tensors(0)?;
    let ranks: Vec<usize> = tensors.iter().map(|tensor| tensor.rank()).collect();
    let Equation { terms: all, output } = Equation::read(call.attributes.text("equation")?, &ranks)?;
    let mut extents: BTreeMap<Label, usize> = BTreeMap::new();
    for (own, tensor) in all.iter().zip(&tensors) {
        for (&label, &extent) in own.iter().zip(tensor.shape()) {
            let known = extents.entry(label).or_insert(extent);
            match (*known, extent) {
                (1, other) => *known = other,
                (a, b) if a == b || b == 1 => {}
                (a, b) => return invalid(format!("an index has extents {a} and {b}")),
            }
        }
    }
    let summed: Vec<Label> = extents
        .keys()
        .copied()
        .filter(|label| !output.contains(label))
        .collect();
    let order: Vec<Label> = output.iter().chain(&summed).copied().collect();
    let Some(full) = order
        .iter()
        .map(|label| extents.get(label).copied())
        .collect::<Option<Vec<usize>>>()
    else {
        return invalid("an index of the result is missing in the inputs");
    };
    has_room(count(&full)?.saturating_mul(tensors.len()))?;
    let read = all.iter().zip(&tensors).map(|(own, tensor)| {
        let steps = strides(tensor.shape());
        let step = |label: &Label| {
            let places = own
                .iter()
                .enumerate()
                .filter(|&(at, other)| other == label && tensor.shape()[at] != 1);
            places.map(|(at, _)| steps[at]).sum()
        };
        positions(&full, &order.iter().map(step).collect::<Vec<usize>>(), 0)
    });
    let read: Vec<Vec<usize>> = read.collect();
    let shape = &full[..output.len()];
    let inner: usize = full[output.len()..].iter().product();
    let dtype = call.tensor(0)?.dtype();
    let results = shape.iter().product::<usize>();
    if dtype.is_integer() {
        let values = tensors
            .iter()
            .map(|tensor| ints(tensor))
            .collect::<Result<Vec<_>, _>>()?;
        let term = |at: usize| {
            values
                .iter()
                .zip(&read)
                .map(|(v, p)| v[p[at]])
                .fold(1_i128, i128::wrapping_mul)
        };
        let sums = (0..results).map(|result| (result * inner..(result + 1) * inner).map(term).sum());
        return one(from_ints(dtype, shape, sums.collect())?);
    }
    let values = tensors
        .iter()
        .map(|tensor| floats(tensor))
        .collect::<Result<Vec<_>, _>>()?;
    let term = |at: usize| values.iter().zip(&read).map(|(v, p)| v[p[at]]).product::<f64>();
    let sums = (0..results).map(|result| sum((result * inner..(result + 1) * inner).map(term)));
    one(from_floats(dtype, shape, sums.collect())?)
}
