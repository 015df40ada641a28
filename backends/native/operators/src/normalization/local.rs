//! LRN, LpNormalization, MeanVarianceNormalization.

use super::super::call::{axes, axis, extent, one};
use super::super::fast::{Fast, Normalization};
use super::super::movement::split_at;
use super::super::numbers::{floats, from_floats, sum};
use super::super::reduction::Groups;
use super::super::{Call, Outcome, Row, row};
use crate::error::invalid;
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("LRN", 1, SAME, lrn)
        .fast(Fast::Normalization(Normalization::Neighbours))
        .requires(|node| match node.attributes.int("size")? {
            ..1 => invalid("`size` must be at least 1"),
            _ => node.image(0),
        }),
    row("LpNormalization", 1, SAME, lp),
    row("MeanVarianceNormalization", 9, SAME, mean_variance),
];

/// Divides each element by a power of the sum of squares of the channels around it.
fn lrn(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let attribute = |name| call.attributes.float(name).map(f64::from);
    let (alpha, beta, bias) = (attribute("alpha")?, attribute("beta")?, attribute("bias")?);
    let size = extent(call.attributes.int("size")?)?;
    let (images, channels, inner) = split_at(tensor.shape(), 1);
    let values = floats(tensor)?;
    if values.is_empty() {
        return one(tensor.clone());
    }
    let mut results = values.clone();
    for image in 0..images {
        for channel in 0..channels {
            let first = channel.saturating_sub((size - 1) / 2);
            let last = channel.saturating_add(size / 2).min(channels - 1);
            for at in 0..inner {
                let place = |channel: usize| (image * channels + channel) * inner + at;
                let squares = sum((first..=last).map(|channel| values[place(channel)].powi(2)));
                results[place(channel)] /= (bias + alpha / size as f64 * squares).powf(beta);
            }
        }
    }
    one(from_floats(tensor.dtype(), tensor.shape(), results)?)
}

/// A line of zeros becomes zeros.
fn lp(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    let p = call.attributes.int("p")?;
    let (outer, length, inner) = split_at(tensor.shape(), at);
    let mut values = floats(tensor)?;
    if values.is_empty() {
        return one(tensor.clone());
    }
    for row in 0..outer {
        for column in 0..inner {
            let place = |along: usize| (row * length + along) * inner + column;
            let line = (0..length).map(|along| values[place(along)]);
            let norm = match p {
                1 => sum(line.map(f64::abs)),
                2 => sum(line.map(|x| x * x)).sqrt(),
                other => return invalid(format!("p is {other}, expected 1 or 2")),
            };
            // "When the Lp norm is zero …, the output is defined to be zero".
            (0..length).for_each(|along| match norm {
                0.0 => values[place(along)] = 0.0,
                norm => values[place(along)] /= norm,
            });
        }
    }
    one(from_floats(tensor.dtype(), tensor.shape(), values)?)
}

fn mean_variance(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let listed = axes(call.attributes.ints("axes")?.unwrap_or(&[0, 2, 3]), tensor.rank())?;
    let groups = Groups::new(tensor.shape(), &listed, true);
    let values = floats(tensor)?;
    let mut results = values.clone();
    for members in groups.map(|members| members.collect::<Vec<usize>>()) {
        let count = members.len() as f64;
        let mean = sum(members.iter().map(|&at| values[at])) / count;
        let variance = sum(members.iter().map(|&at| (values[at] - mean).powi(2))) / count;
        members
            .iter()
            .for_each(|&at| results[at] = (values[at] - mean) / (variance.sqrt() + 1e-9));
    }
    one(from_floats(tensor.dtype(), tensor.shape(), results)?)
}
