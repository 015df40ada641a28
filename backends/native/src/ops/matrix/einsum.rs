//! Einsum, with a loop over all indices.

use std::collections::BTreeMap;

use super::super::call::{count, one};
use super::super::movement::{positions, strides};
use super::super::numbers::{floats, from_floats, from_ints, ints, is_int};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::ops::shapes::Shapes::First;
use crate::size::has_room;

pub const ROWS: &[Row] = &[row("Einsum", 12, First(|known| known.einsum()), einsum)];

/// A letter, or an axis of an ellipsis, counted from its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Ellipsis(usize),
    Letter(char),
}

/// Returns the labels of a term. The ellipsis covers the axes of `rank` that have no letter.
fn labels(term: &str, rank: Option<usize>, ellipsis: usize) -> Result<Vec<Label>, Problem> {
    let letters = term.chars().filter(|c| c.is_ascii_alphabetic()).count();
    let hidden = rank.map_or(ellipsis, |rank| rank.saturating_sub(letters));
    let mut all = Vec::new();
    let mut rest = term;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("...") {
            all.extend((0..hidden).rev().map(Label::Ellipsis));
            rest = after;
        } else if c.is_ascii_alphabetic() {
            all.push(Label::Letter(c));
            rest = &rest[1..];
        } else {
            return invalid(format!("`{term}` is not a term of an equation"));
        }
    }
    if rank.is_some_and(|rank| rank != all.len()) {
        return invalid(format!(
            "the term `{term}` does not match a tensor of {rank:?} axes"
        ));
    }
    Ok(all)
}

fn einsum(call: &Call) -> Outcome {
    let equation: String = call.attributes.text("equation")?.split_whitespace().collect();
    let (left, right) = match equation.split_once("->") {
        Some((left, right)) => (left.to_owned(), Some(right.to_owned())),
        None => (equation, None),
    };
    let tensors = call.tensors(0)?;
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != tensors.len() {
        return invalid(format!(
            "the equation has {} terms for {} inputs",
            terms.len(),
            tensors.len()
        ));
    }
    let mut extents: BTreeMap<Label, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for (term, tensor) in terms.iter().zip(&tensors) {
        let own = labels(term, Some(tensor.rank()), 0)?;
        for (&label, &extent) in own.iter().zip(tensor.shape()) {
            let known = extents.entry(label).or_insert(extent);
            match (*known, extent) {
                (1, other) => *known = other,
                (a, b) if a == b || b == 1 => {}
                (a, b) => return invalid(format!("an index has extents {a} and {b}")),
            }
        }
        all.push(own);
    }
    let ellipsis = extents
        .keys()
        .filter(|label| matches!(label, Label::Ellipsis(_)))
        .count();
    let output = match right {
        Some(term) => labels(&term, None, ellipsis)?,
        None => implicit(&all, ellipsis),
    };
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
    if is_int(dtype) {
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
    let sums = (0..results).map(|result| (result * inner..(result + 1) * inner).map(term).sum());
    one(from_floats(dtype, shape, sums.collect())?)
}

/// Returns the output of an equation without an arrow: the ellipsis, then the letters that occur once, in
/// alphabetical order.
fn implicit(terms: &[Vec<Label>], ellipsis: usize) -> Vec<Label> {
    let mut occurrences: BTreeMap<Label, usize> = BTreeMap::new();
    for &label in terms.iter().flatten() {
        *occurrences.entry(label).or_default() += 1;
    }
    let once = occurrences
        .into_iter()
        .filter(|(label, times)| matches!(label, Label::Letter(_)) && *times == 1);
    (0..ellipsis)
        .rev()
        .map(Label::Ellipsis)
        .chain(once.map(|(label, _)| label))
        .collect()
}
