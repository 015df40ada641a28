//! Rotary embeddings: that of ONNX, with positions that count from one number.

use onnx_model::AttributeValue::Int;
use onnx_tensor::{DType, Tensor};

use super::elementwise::narrowed;
use super::{Row, contrib};
use crate::compose::{Composed, Composition, Id};
use crate::error::{invalid, unsupported};

pub const ROWS: &[Row] = &[contrib("RotaryEmbedding", embedding)];

fn embedding(c: &mut Composition<'_>) -> Composed {
    let attributes = c.attributes();
    if attributes.find_float("scale")?.is_some_and(|scale| scale != 1.0)
        || attributes.find_int("is_packed_batching")?.unwrap_or(0) != 0
    {
        return Ok(unsupported("`scale` other than 1, and `is_packed_batching`")?);
    }
    let x = c.input_wide(0)?;
    let cos = c.shape(c.input(2)?)?;
    let shape = c.shape(x)?;
    let rotated = attributes.find_int("rotary_embedding_dim")?.unwrap_or(0);
    let (batch, length) = match shape[..] {
        [batch, length, _] | [batch, _, length, _] => (batch, length),
        _ => return Ok(invalid("the input must have rank 3 or 4")?),
    };
    let mut given = vec![
        (
            "interleaved",
            Int(attributes.find_int("interleaved")?.unwrap_or(0)),
        ),
        ("rotary_embedding_dim", Int(rotated)),
    ];
    if let [_, _, width] = shape[..] {
        let heads = match rotated {
            // The caches have half of a head.
            0 => {
                let size = 2 * cos.last().copied().unwrap_or(0);
                if size == 0 || width % size != 0 {
                    return Ok(invalid(format!(
                        "a width of {width} is not divisible into heads of {size}"
                    ))?);
                }
                (width / size) as i64
            }
            _ => attributes.find_int("num_heads")?.unwrap_or(0),
        };
        given.push(("num_heads", Int(heads)));
    }
    let positions = positions(c, batch, length)?;
    let (cos, sin) = (c.input_wide(2)?, c.input_wide(3)?);
    let y = c.apply("RotaryEmbedding", &[x, cos, sin, positions], &given)?;
    narrowed(c, y)
}

/// The position of each token. One number is that of the first.
fn positions(c: &mut Composition<'_>, batch: usize, length: usize) -> Composed<Id> {
    let given = c.input(1)?;
    match c.shape(given)?[..] {
        [] | [1] => {
            let steps = counted(c, batch, length)?;
            let given = c.reshape(given, &[1, 1])?;
            c.add(given, steps)
        }
        [rows, columns] if [rows, columns] == [batch, length] => Ok(given),
        [count] if count == batch * length => c.reshape(given, &[batch, length]),
        ref shape => Ok(invalid(format!(
            "`position_ids` of shape {shape:?} must have one element or shape [{batch}, {length}]"
        ))?),
    }
}

/// The numbers from 0 for each entry of a batch.
pub fn counted(c: &mut Composition<'_>, batch: usize, length: usize) -> Composed<Id> {
    crate::call::count(&[batch, length])?;
    let row = (0..length).map(|place| place as i64);
    let all: Vec<i64> = (0..batch).flat_map(|_| row.clone()).collect();
    Ok(c.constant(Tensor::new(&[batch, length], all)?))
}

/// Rotates heads by the caches at two inputs.
pub fn rotated(
    c: &mut Composition<'_>,
    x: Id,
    [cos, sin]: [usize; 2],
    positions: Id,
    interleaved: bool,
) -> Composed<Id> {
    let (cos, sin) = (c.input_wide(cos)?, c.input_wide(sin)?);
    let half = c.shape(cos)?.last().copied().unwrap_or(0);
    let size = c.shape(x)?.last().copied().unwrap_or(0);
    let part = if 2 * half < size { 2 * half } else { 0 };
    let given = [
        ("interleaved", Int(i64::from(interleaved))),
        ("rotary_embedding_dim", Int(part as i64)),
    ];
    let positions = c.cast(positions, DType::Int64)?;
    c.apply("RotaryEmbedding", &[x, cos, sin, positions], &given)
}
