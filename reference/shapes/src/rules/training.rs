//! Optimizers and gradients.

use super::quantization::single;
use super::{Row, row};
use crate::call::Call;
use crate::fact::Fact;
use crate::finding::{Outcome, Stop};

pub(super) const ROWS: &[Row] = &[
    row("Gradient", 1, |call| {
        Ok((0..call.outputs())
            .map(|at| {
                call.fact(at)
                    .shape()
                    .map_or(Fact::Unknown, |shape| Fact::of(shape.clone()))
            })
            .collect())
    }),
    row("Adagrad", 1, |call| updated(call, 3)),
    row("Momentum", 1, |call| updated(call, 3)),
    row("Adam", 1, |call| updated(call, 4)),
];

/// After the rate and the count, the inputs are groups: tensors, gradients, states. A tensor, its gradient
/// and its states have one shape.
fn updated(call: &mut Call<'_, '_>, groups: usize) -> Outcome<Vec<Fact>> {
    single(call, &[0, 1])?;
    let tensors = call.inputs.len().checked_sub(2).ok_or(Stop::Unknown)? / groups;
    let mut shapes = Vec::with_capacity(tensors);
    for tensor in 0..tensors {
        let Ok(mut shape) = call.shape(2 + tensor) else {
            shapes.push(None);
            continue;
        };
        for group in 1..groups {
            if let Ok(other) = call.shape(2 + group * tensors + tensor) {
                shape = call.same_shape(&shape, &other, "extents of a tensor and its gradient or state,")?;
            }
        }
        shapes.push(Some(shape));
    }
    let fact = |at: usize| shapes.get(at.checked_rem(tensors)?)?.clone().map(Fact::of);
    Ok((0..call.outputs())
        .map(|at| fact(at).unwrap_or_default())
        .collect())
}
