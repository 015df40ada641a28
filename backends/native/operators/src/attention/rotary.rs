//! RotaryEmbedding.

use onnx_tensor::Tensor;

use super::super::call::{extent, one};
use super::super::movement::reshape;
use super::super::numbers::{floats, from_floats};
use super::super::shaping::transpose;
use super::super::{Call, Outcome, Row, row};
use crate::error::invalid;
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[row("RotaryEmbedding", 23, SAME, rotary)];

fn rotary(call: &Call) -> Outcome {
    let (x, cos, sin) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let heads = extent(call.attributes.find_int("num_heads")?.unwrap_or(0))?;
    let flat = x.rank() == 3;
    // [batch, heads, sequence, size]
    let split = match *x.shape() {
        [batch, sequence, hidden] if heads > 0 && hidden % heads == 0 => transpose(
            &reshape(x, &[batch, sequence, heads, hidden / heads])?,
            &[0, 2, 1, 3],
        )?,
        [_, _, _, _] => x.clone(),
        _ => return invalid("expected an input of rank 4, or of rank 3 with num_heads"),
    };
    let &[batch, heads, sequence, size] = split.shape() else {
        return invalid("expected an input of rank 4");
    };
    let turned = match extent(call.attributes.find_int("rotary_embedding_dim")?.unwrap_or(0))? {
        0 => size,
        turned => turned,
    };
    let half = turned / 2;
    if turned > size || !turned.is_multiple_of(2) {
        return invalid(format!("cannot rotate {turned} of {size} elements in pairs"));
    }
    let given = call.find_tensor(3)?.map(Tensor::shape);
    let angles_fit = |angles: &Tensor| match (given, angles.shape()) {
        (Some(_), &[_, columns]) => columns == half,
        (None, shape) => shape == [batch, sequence, half],
        _ => false,
    };
    if given.is_some_and(|given| given != [batch, sequence]) || ![cos, sin].into_iter().all(angles_fit) {
        return invalid("the caches of angles, or the positions, do not match the input");
    }
    let interleaved = call.attributes.flag("interleaved")?;
    let positions = call.find_ints(3)?;
    let (cosines, sines) = (floats(cos)?, floats(sin)?);
    let row = |b: usize, s: usize| match &positions {
        Some(positions) => positions
            .get(b * sequence + s)
            .and_then(|&at| usize::try_from(at).ok()),
        None => Some(b * sequence + s),
    };
    let mut values = floats(&split)?;
    for b in 0..batch {
        for s in 0..sequence {
            let angles = row(b, s).and_then(|row| {
                let start = row.checked_mul(half)?;
                Some(start..start.checked_add(half)?)
            });
            let angles = angles.and_then(|range| Some((cosines.get(range.clone())?, sines.get(range)?)));
            let Some((cosines, sines)) = angles.filter(|_| turned <= size) else {
                return invalid("a position is outside of the cache of angles");
            };
            for h in 0..heads {
                let line = &mut values[((b * heads + h) * sequence + s) * size..][..size];
                for at in 0..half {
                    let (i, j) = if interleaved {
                        (2 * at, 2 * at + 1)
                    } else {
                        (at, at + half)
                    };
                    let (real, imaginary) = (line[i], line[j]);
                    line[i] = cosines[at] * real - sines[at] * imaginary;
                    line[j] = sines[at] * real + cosines[at] * imaginary;
                }
            }
        }
    }
    let result = from_floats(x.dtype(), split.shape(), values)?;
    if flat {
        one(reshape(&transpose(&result, &[0, 2, 1, 3])?, x.shape())?)
    } else {
        one(result)
    }
}
