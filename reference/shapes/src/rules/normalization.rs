//! Normalization, Softmax, Dropout.

use super::elementwise::same;
use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::Expr;
use crate::fact::{Fact, Shape};
use crate::finding::Outcome;

pub(super) const ROWS: &[Row] = &[
    row("BatchNormalization", 1, batch_normalization),
    row("InstanceNormalization", 1, |call| {
        let x = call.at_least_rank(0, 2)?;
        per_channel(call, &[1, 2], &x[1])?;
        one(x)
    }),
    row("GroupNormalization", 18, |call| group_normalization(call, true)),
    row("GroupNormalization", 21, |call| group_normalization(call, false)),
    row("LayerNormalization", 17, trailing),
    row("RMSNormalization", 23, trailing),
    row("LRN", 1, same),
    row("LpNormalization", 1, along_axis),
    row("MeanVarianceNormalization", 9, |call| {
        let x = call.shape(0)?;
        if let Some(axes) = call.ints("axes") {
            call.axes(&axes, x.len())?;
        }
        one(x)
    }),
    row("Dropout", 1, dropout),
    row("Softmax", 1, flattened),
    row("Softmax", 13, along_axis),
    row("LogSoftmax", 1, flattened),
    row("LogSoftmax", 13, along_axis),
    row("Hardmax", 1, flattened),
    row("Hardmax", 13, along_axis),
];

/// Each of these inputs has one element for each channel.
pub(super) fn per_channel(call: &mut Call<'_, '_>, inputs: &[usize], channels: &Expr) -> Outcome<()> {
    for &at in inputs {
        if call.rank(at).is_some() {
            let [length] = call.ranked::<1>(at)?;
            call.equal(&length, channels, "elements of a parameter and channels,")?;
        }
    }
    Ok(())
}

/// Other outputs are statistics, one for each channel, or in old versions for each feature.
fn batch_normalization(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.at_least_rank(0, 1)?;
    let features = call.schema.attribute("spatial").is_some() && call.int("spatial") == Some(0);
    let statistics: Shape = match (features, x.get(1)) {
        (true, _) => x[1..].to_vec(),
        (false, Some(channels)) => vec![channels.clone()],
        (false, None) => vec![1.into()],
    };
    for at in 1..5 {
        if let Ok(shape) = call.shape(at) {
            call.same_shape(&shape, &statistics, "extents of a parameter and of the channels,")?;
        }
    }
    let mut outputs = vec![Fact::of(x)];
    outputs.resize(call.outputs().max(1), Fact::of(statistics));
    Ok(outputs)
}

/// Version 18 has one scale for each group, later versions have one for each channel.
fn group_normalization(call: &mut Call<'_, '_>, by_group: bool) -> Outcome<Vec<Fact>> {
    let x = call.at_least_rank(0, 2)?;
    let groups: Expr = super::windows::positive(call, "num_groups")?.into();
    call.multiple(&x[1], &groups, "channels of all groups")?;
    let entries = if by_group { groups } else { x[1].clone() };
    per_channel(call, &[1, 2], &entries)?;
    one(x)
}

/// The axes from `axis` on are normalized; the statistics have the extent 1 there.
pub(super) fn trailing(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.shape(0)?;
    let axis = call.axis_attribute(x.len())?;
    for at in [1, 2] {
        if let Ok(parameter) = call.shape(at) {
            call.broadcast_to(&x, &parameter)?;
        }
    }
    let mut statistics = x[..axis].to_vec();
    statistics.resize(x.len(), 1.into());
    Ok(vec![
        Fact::of(x),
        Fact::of(statistics.clone()),
        Fact::of(statistics),
    ])
}

pub(super) fn along_axis(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.shape(0)?;
    call.axis_attribute(x.len())?;
    one(x)
}

/// The input is a matrix whose rows begin at `axis`, which may be the rank.
fn flattened(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.shape(0)?;
    if let Some(axis) = call.int("axis") {
        call.axis(axis, x.len() + 1)
            .or_else(|_| call.axis(axis, x.len()))?;
    }
    one(x)
}

fn dropout(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.shape(0)?;
    for at in [1, 2] {
        match call.rank(at) {
            None | Some(0) => {}
            Some(rank) => return call.wrong_rank(at, rank, "0 (a scalar)"),
        }
    }
    Ok(vec![Fact::of(x.clone()), Fact::of(x)])
}
