//! Normalizations.

use onnx_model::AttributeValue::{Float, Int};
use onnx_tensor::{DType, Tensor};

use super::elementwise::narrowed;
use super::{Row, contrib};
use crate::call::axis;
use crate::compose::{Composed, Composition, Id};
use crate::composed;
use crate::error::{invalid, unsupported};

pub const ROWS: &[Row] = &[
    contrib("EmbedLayerNormalization", embeddings),
    contrib("GatedRMSNorm", gated),
    contrib("GroupNorm", |c| {
        let x = c.input_wide(0)?;
        groups(c, x)
    }),
    contrib("SkipGroupNorm", |c| {
        let sum = skipped_groups(c)?;
        let dtype = c.dtype(c.input(0)?)?;
        c.give_as(1, sum, dtype)?;
        groups(c, sum)
    }),
    contrib("SkipLayerNormalization", |c| {
        let sum = skip_sum(c, 4)?;
        let (gamma, beta) = (c.input_wide(2)?, c.find_wide(3)?);
        layer(c, sum, gamma, beta, [1, 2])?;
        skipped(c, sum)
    }),
    contrib("SkipSimplifiedLayerNormalization", |c| {
        let sum = skip_sum(c, 3)?;
        let gamma = c.input_wide(2)?;
        c.along_last(sum, gamma, "gamma")?;
        let (own, rank) = (c.dtype(c.input(0)?)?, c.rank(sum)?);
        mean_square(c, sum, gamma, rank.saturating_sub(1), own)?;
        if c.wants(1) {
            // Nothing is subtracted.
            let factor = inverse_root(c, sum, rank.saturating_sub(1))?;
            let zero = c.scalar(c.dtype(factor)?, 0.0)?;
            let means = c.mul(factor, zero)?;
            c.give_as(1, means, DType::Float)?;
        }
        if c.wants(2) {
            let factor = inverse_root(c, sum, rank.saturating_sub(1))?;
            c.give_as(2, factor, DType::Float)?;
        }
        skipped(c, sum)
    }),
    composed("", "SimplifiedLayerNormalization", |c| {
        let (mut x, scale) = (c.input_wide(0)?, c.input(1)?);
        let at = axis(c.attributes().int("axis")?, c.rank(x)?)?;
        let own = c.dtype(scale)?;
        if own == DType::Double {
            x = c.cast(x, own)?;
        }
        let scale = c.cast(scale, c.dtype(x)?)?;
        mean_square(c, x, scale, at, own)?;
        if c.wants(1) {
            let stash = stash(c)?;
            let factor = inverse_root(c, x, at)?;
            c.give_as(1, factor, stash)?;
        }
        Ok(())
    }),
    composed("", "LayerNormalization", |c| {
        let (mut x, scale, stash) = (c.input_wide(0)?, c.input(1)?, stash(c)?);
        // The type of the statistics is that of the sums.
        if stash == DType::Double {
            x = c.cast(x, stash)?;
        }
        let (own, wide) = (c.dtype(scale)?, c.dtype(x)?);
        let scale = c.cast(scale, wide)?;
        let shift = c.find(2).map(|shift| c.cast(shift, wide)).transpose()?;
        let at = axis(c.attributes().int("axis")?, c.rank(x)?)?;
        let results = centred(c, x, [Some(scale), shift], at)?;
        c.give_as(0, results[0], own)?;
        c.give_as(1, results[1], stash)?;
        c.give_as(2, results[2], stash)
    }),
];

fn stash(c: &Composition<'_>) -> Composed<DType> {
    match c.attributes().dtype("stash_type")? {
        Some(stash) => Ok(stash),
        None => Ok(DType::Float),
    }
}

/// Input + skip + bias.
fn skip_sum(c: &mut Composition<'_>, bias: usize) -> Composed<Id> {
    let (x, skip) = (c.input_wide(0)?, c.input_wide(1)?);
    let (shape, own) = (c.shape(x), c.shape(skip));
    if let (Ok(shape), Ok(own)) = (shape, own) {
        let fits = |(extent, own): (&usize, &usize)| *own == 1 || own == extent;
        let stretches = own.len() <= shape.len() && shape.iter().rev().zip(own.iter().rev()).all(fits);
        if !stretches || own.is_empty() || own.last() != shape.last() {
            return Ok(invalid(format!(
                "`skip` of shape {own:?} does not fit the input of shape {shape:?}"
            ))?);
        }
    }
    let sum = c.add(x, skip)?;
    match c.find_wide(bias)? {
        Some(bias) => {
            c.along_last(sum, bias, "bias")?;
            c.add(sum, bias)
        }
        None => Ok(sum),
    }
}

/// States the sum as the fourth output.
fn skipped(c: &mut Composition<'_>, sum: Id) -> Composed {
    if c.wants(3) {
        let dtype = c.dtype(c.input(0)?)?;
        c.give_as(3, sum, dtype)?;
    }
    Ok(())
}

/// LayerNormalization from an axis on: the result, the means and the inverse deviations.
fn centred(c: &mut Composition<'_>, x: Id, affine: [Option<Id>; 2], at: usize) -> Composed<Vec<Id>> {
    let epsilon = c.attributes().float("epsilon")?;
    let given = [
        ("axis", Int(at as i64)),
        ("epsilon", Float(epsilon)),
        ("stash_type", Int(c.dtype(x)? as i64)),
    ];
    let results = if (1..3).any(|position| c.wants(position)) {
        3
    } else {
        1
    };
    let mut found = c.apply_many(
        "LayerNormalization",
        &[Some(x), affine[0], affine[1]],
        &given,
        results,
    )?;
    // Results that no output has.
    found.resize(3, found[0]);
    Ok(found)
}

/// Normalizes rows, and states the statistics at these outputs.
fn layer(c: &mut Composition<'_>, x: Id, gamma: Id, beta: Option<Id>, statistics: [usize; 2]) -> Composed {
    c.along_last(x, gamma, "gamma")?;
    if let Some(beta) = beta {
        c.along_last(x, beta, "beta")?;
    }
    let last = c.rank(x)?.saturating_sub(1);
    let results = centred(c, x, [Some(gamma), beta], last)?;
    for (at, result) in statistics.into_iter().zip(&results[1..]) {
        if c.wants(at) {
            c.give_as(at, *result, DType::Float)?;
        }
    }
    narrowed(c, results[0])
}

/// RMSNormalization from an axis on, stated as the first output.
fn mean_square(c: &mut Composition<'_>, x: Id, scale: Id, at: usize, own: DType) -> Composed {
    let epsilon = c.attributes().float("epsilon")?;
    let given = [
        ("axis", Int(at as i64)),
        ("epsilon", Float(epsilon)),
        ("stash_type", Int(c.dtype(x)? as i64)),
    ];
    let y = c.apply("RMSNormalization", &[x, scale], &given)?;
    c.give_as(0, y, own)
}

/// `1 / √(mean(x²) + epsilon)` from an axis on.
fn inverse_root(c: &mut Composition<'_>, x: Id, at: usize) -> Composed<Id> {
    let axes = c.vector(at..c.rank(x)?);
    let squares = c.mul(x, x)?;
    let mean = c.apply("ReduceMean", &[squares, axes], &[])?;
    let epsilon = c.scalar(c.dtype(x)?, f64::from(c.attributes().float("epsilon")?))?;
    let sum = c.add(mean, epsilon)?;
    let root = c.apply("Sqrt", &[sum], &[])?;
    c.apply("Reciprocal", &[root], &[])
}

/// GatedRMSNorm: rows of the width of the scale, times the activated gate.
fn gated(c: &mut Composition<'_>) -> Composed {
    let (x, scale, gate) = (c.input_wide(0)?, c.input_wide(1)?, c.input_wide(2)?);
    let (shape, widths) = (c.shape(x)?, c.shape(scale)?);
    let ([width], Some((last, outer))) = (&widths[..], shape.split_last()) else {
        return Ok(invalid(format!(
            "a scale of shape {widths:?} for rows of shape {shape:?}"
        ))?);
    };
    if *width == 0 || last % width != 0 || c.shape(gate)? != shape {
        return Ok(invalid(format!(
            "a scale of {width} elements and the gate do not fit rows of shape {shape:?}"
        ))?);
    }
    let parts = [outer, &[last / width, *width]].concat();
    let rows = c.reshape(x, &parts)?;
    let epsilon = c.attributes().float("epsilon")?;
    let given = [
        ("axis", Int(-1)),
        ("epsilon", Float(epsilon)),
        ("stash_type", Int(c.dtype(x)? as i64)),
    ];
    let rows = c.apply("RMSNormalization", &[rows, scale], &given)?;
    let rows = c.reshape(rows, &shape)?;
    let active = match c.attributes().text("activation")? {
        "silu" | "swish" => c.apply("Swish", &[gate], &[])?,
        "sigmoid" => c.apply("Sigmoid", &[gate], &[])?,
        other => return Ok(unsupported(format!("`activation` is `{other}`"))?),
    };
    let y = c.mul(rows, active)?;
    narrowed(c, y)
}

/// The places of the axes of an image with channels last in one with channels first, and the reverse.
const CHANNELS_FIRST: [usize; 4] = [0, 3, 1, 2];
const CHANNELS_LAST: [usize; 4] = [0, 2, 3, 1];

/// Normalizes groups of channels of an image in the layout of the first input.
fn groups(c: &mut Composition<'_>, x: Id) -> Composed {
    let attributes = c.attributes();
    if c.rank(x)? != 4 {
        return Ok(invalid("the image must have rank 4")?);
    }
    let last = attributes.flag("channels_last")?;
    let image = if last { c.transpose(x, &CHANNELS_FIRST)? } else { x };
    let (gamma, beta) = (c.input_wide(1)?, c.input_wide(2)?);
    let given = [
        ("epsilon", Float(attributes.float("epsilon")?)),
        ("num_groups", Int(attributes.int("groups")?)),
        ("stash_type", Int(c.dtype(x)? as i64)),
    ];
    let mut y = c.apply("GroupNormalization", &[image, gamma, beta], &given)?;
    y = match attributes.int("activation")? {
        0 => y,
        1 => c.apply("Swish", &[y], &[])?,
        other => return Ok(invalid(format!("`activation` is {other}, expected 0 or 1"))?),
    };
    if last {
        y = c.transpose(y, &CHANNELS_LAST)?;
    }
    narrowed(c, y)
}

/// Image + skip + bias. A skip of rank 2 serves all pixels.
fn skipped_groups(c: &mut Composition<'_>) -> Composed<Id> {
    let last = c.attributes().flag("channels_last")?;
    let (x, mut skip) = (c.input_wide(0)?, c.input_wide(3)?);
    let pixels: &[usize] = if last { &[1, 2] } else { &[2, 3] };
    if c.rank(skip)? == 2 {
        skip = c.unsqueeze(skip, pixels)?;
    }
    let mut sum = c.add(x, skip)?;
    if let Some(mut bias) = c.find_wide(4)? {
        if !last {
            bias = c.unsqueeze(bias, &[1, 2])?;
        }
        sum = c.add(sum, bias)?;
    }
    match (c.shape(x), c.shape(sum)) {
        (Ok(own), Ok(stretched)) if own != stretched => Ok(invalid(format!(
            "`skip` and the bias stretch an image of shape {own:?} to {stretched:?}"
        ))?),
        _ => Ok(sum),
    }
}

/// EmbedLayerNormalization: rows of three tables, added and normalized.
fn embeddings(c: &mut Composition<'_>) -> Composed {
    let ids = c.input(0)?;
    let shape = c.shape(ids)?;
    let &[batch, length] = &shape[..] else {
        return Ok(invalid("`input_ids` must have rank 2")?);
    };
    let table = c.input_wide(2)?;
    let mut sum = c.apply("Gather", &[table, ids], &[])?;
    let table = c.input_wide(3)?;
    let rows = match c.find(8) {
        Some(positions) => c.apply("Gather", &[table, positions], &[])?,
        None => {
            let known = c.shape(table)?;
            if known.first().is_none_or(|&rows| rows < length) {
                return Ok(invalid(format!(
                    "{length} positions for a table of shape {known:?}"
                ))?);
            }
            c.slice(table, 0, 0, length)?
        }
    };
    sum = c.add(sum, rows)?;
    match (c.find(1), c.find_wide(4)?) {
        (Some(segments), Some(table)) => {
            let rows = c.apply("Gather", &[table, segments], &[])?;
            sum = c.add(sum, rows)?;
        }
        (None, None) => {}
        _ => return Ok(invalid("`segment_ids` and `segment_embedding` belong together")?),
    }
    let (gamma, beta) = (c.input_wide(5)?, c.input_wide(6)?);
    c.along_last(sum, gamma, "gamma")?;
    c.along_last(sum, beta, "beta")?;
    let epsilon = Float(c.attributes().float("epsilon")?);
    let y = c.apply(
        "LayerNormalization",
        &[sum, gamma, beta],
        &[("axis", Int(-1)), ("epsilon", epsilon)],
    )?;
    let own = c.dtype(c.input(2)?)?;
    c.give_as(0, y, own)?;
    if c.wants(1) {
        let counts = words(c, batch)?;
        c.give(1, counts);
    }
    if c.wants(2) {
        c.give_as(2, sum, own)?;
    }
    Ok(())
}

/// The number of ones in each row of the mask.
fn words(c: &mut Composition<'_>, batch: usize) -> Composed<Id> {
    let Some(mask) = c.find(7) else {
        return Ok(c.constant(Tensor::vector(vec![0_i32; batch])));
    };
    let one = c.scalar(DType::Int32, 1.0)?;
    let ones = c.apply("Equal", &[mask, one], &[])?;
    let ones = c.cast(ones, DType::Int32)?;
    let axes = c.vector([1]);
    c.apply("ReduceSum", &[ones, axes], &[("keepdims", Int(0))])
}
