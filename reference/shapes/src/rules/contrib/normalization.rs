//! Normalisation of sums and of groups, and embeddings.

use super::super::elementwise::same;
use super::super::normalization::trailing;
use super::super::{Row, row};
use super::vector;
use crate::call::{Call, one};
use crate::extent::{Expr, Operation};
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, known};

pub(super) const ROWS: &[Row] = &[
    row("BranchwiseRMSNorm", 1, same),
    row("EmbedLayerNormalization", 1, |call| {
        let (positions, segments) = (Some(8), 1);
        embed(call, EMBEDDINGS, segments, positions)
    }),
    row("GatedRMSNorm", 1, gated_rms_norm),
    row("QEmbedLayerNormalization", 1, |call| {
        embed(call, EMBEDDINGS, 1, None)
    }),
    row("QOrderedLayerNormalization", 1, same),
    row("SkipLayerNormalization", 1, |call| skip(call, &[2, 3, 4])),
    row("SkipSimplifiedLayerNormalization", 1, |call| skip(call, &[2, 3])),
];

pub(in super::super) const STANDARD: &[Row] = &[
    row("DisentangledAttention_TRT", 1, same),
    row("LayerNormalization", 1, trailing),
    row("SimplifiedLayerNormalization", 1, simplified),
];

/// The statistics of rows: an empty row has none.
fn statistics(call: &mut Call<'_, '_>, x: &[Expr], axis: usize) -> Shape {
    let mut shape = x[..axis].to_vec();
    for extent in &x[axis..] {
        shape.push(call.apply(Operation::Min, [extent.clone(), 1.into()]));
    }
    shape
}

fn simplified(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.shape(0)?;
    let axis = call.axis_attribute(x.len())?;
    if let Some(scale) = known(call.shape(1))? {
        call.broadcast_to(&x, &scale)?;
    }
    let statistics = statistics(call, &x, axis);
    Ok(vec![Fact::of(x), Fact::of(statistics)])
}

/// The result, the mean and the inverse deviation of each row, and the sum.
fn skip(call: &mut Call<'_, '_>, vectors: &[usize]) -> Outcome<Vec<Fact>> {
    let x = call.at_least_rank(0, 1)?;
    let last = x.len() - 1;
    if let Some(skip) = known(call.at_least_rank(1, 1))? {
        call.broadcast_to(&x, &skip)?;
        call.equal(
            &x[last],
            &skip[skip.len() - 1],
            "widths of the input and of `skip`",
        )?;
    }
    for &at in vectors {
        vector(
            call,
            at,
            &x[last],
            "elements of a parameter and of the last axis,",
        )?;
    }
    let rows = statistics(call, &x, last);
    Ok([x.clone(), rows.clone(), rows, x].map(Fact::of).to_vec())
}

/// The scale has one element for each index of a group of the last axis.
fn gated_rms_norm(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.at_least_rank(0, 1)?;
    if let Some(width) = known(call.length(1))? {
        call.multiple(&x[x.len() - 1], &width, "the width of all groups")?;
    }
    match known(call.shape(2))? {
        Some(gate) => one(call.same_shape(&x, &gate, "extents of the input and of the gate")?),
        None => one(x),
    }
}

/// The tables of words, positions and segments, and the scale and the shift.
const EMBEDDINGS: [usize; 5] = [2, 3, 4, 5, 6];

/// A vector for each token, a number for each sequence, and the sum of the embeddings.
fn embed(
    call: &mut Call<'_, '_>,
    [words, places, kinds, gamma, beta]: [usize; 5],
    segments: usize,
    positions: Option<usize>,
) -> Outcome<Vec<Fact>> {
    let [batch, length] = call.ranked::<2>(0)?;
    let [count, width] = call.ranked::<2>(words)?;
    call.indices(0, &0.into(), &count)?;
    if let Some([rows, also]) = known(call.ranked::<2>(places))? {
        call.equal(&also, &width, "widths of the embeddings")?;
        match positions.filter(|&at| call.given(at)) {
            Some(at) => call.indices(at, &0.into(), &rows)?,
            None => call.at_least(&rows, &length, "the number of positions")?,
        }
    }
    if let Some([rows, also]) = known(call.ranked::<2>(kinds))? {
        call.equal(&also, &width, "widths of the embeddings")?;
        call.indices(segments, &0.into(), &rows)?;
    }
    for at in [gamma, beta] {
        vector(
            call,
            at,
            &width,
            "elements of a parameter and width of the embeddings,",
        )?;
    }
    let tokens = [batch.clone(), length.clone()];
    for at in [segments, 7] {
        if let Some(found) = known(call.shape(at))? {
            call.same_shape(&found, &tokens, "extents of the tokens")?;
        }
    }
    let vectors = Fact::of(vec![batch.clone(), length, width]);
    Ok(vec![vectors.clone(), Fact::of(vec![batch]), vectors])
}
