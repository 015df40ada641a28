//! Masks of keys in the forms of ONNX Runtime, as a summand of the scores.

use onnx_tensor::{DType, Tensor};

use crate::compose::{Composed, Composition, Id};
use crate::error::invalid;

/// What excluded keys get without the attribute `mask_filter_value`.
const FILTER: f32 = -10000.0;

/// Returns the mask at an input as a summand that is `mask_filter_value` where a key is excluded. Its forms:
/// the lengths of the entries; their exclusive ends, then their inclusive starts; 3B + 2 numbers, of which
/// the first are lengths; the kept keys, of all queries or of each; those of a square of positions.
pub fn padding(
    c: &mut Composition<'_>,
    position: usize,
    [batch, queries, keys]: [usize; 3],
    dtype: DType,
) -> Composed<Option<Id>> {
    let Some(mask) = c.find(position) else {
        return Ok(None);
    };
    let shape = c.shape(mask)?;
    let excluded = match shape[..] {
        [count] if count == batch || count == 3 * batch + 2 => {
            let ends = part(c, mask, 0, batch)?;
            let places = places(c, keys)?;
            c.apply("GreaterOrEqual", &[places, ends], &[])?
        }
        [count] if count == 2 * batch => {
            let (ends, starts) = (part(c, mask, 0, batch)?, part(c, mask, batch, 2 * batch)?);
            let places = places(c, keys)?;
            let behind = c.apply("GreaterOrEqual", &[places, ends], &[])?;
            let before = c.apply("Less", &[places, starts], &[])?;
            c.apply("Or", &[behind, before], &[])?
        }
        [rows, columns] if [rows, columns] == [batch, keys] => hidden(c, mask, &[batch, 1, 1, keys])?,
        [rows, middle, columns] if [rows, middle, columns] == [batch, queries, keys] => {
            hidden(c, mask, &[batch, 1, queries, keys])?
        }
        [rows, 1, height, width] if rows == batch && height == width && height >= keys && keys >= queries => {
            let rows = c.slice(mask, 2, keys - queries, keys)?;
            let square = c.slice(rows, 3, 0, keys)?;
            hidden(c, square, &[batch, 1, queries, keys])?
        }
        _ => {
            return Ok(invalid(format!(
                "a mask of shape {shape:?} does not fit {batch} entries of {queries} queries and {keys} keys"
            ))?);
        }
    };
    let filter = c.attributes().find_float("mask_filter_value")?.unwrap_or(FILTER);
    let (filter, zero) = (c.scalar(dtype, f64::from(filter))?, c.scalar(dtype, 0.0)?);
    Ok(Some(c.apply("Where", &[excluded, filter, zero], &[])?))
}

/// One number of each entry.
fn part(c: &mut Composition<'_>, mask: Id, from: usize, to: usize) -> Composed<Id> {
    let part = c.slice(mask, 0, from, to)?;
    c.reshape(part, &[to - from, 1, 1, 1])
}

/// The positions of the keys.
pub fn places(c: &mut Composition<'_>, keys: usize) -> Composed<Id> {
    let numbers: Vec<i32> = (0..keys).map(|place| place as i32).collect();
    Ok(c.constant(Tensor::new(&[1, 1, 1, keys], numbers)?))
}

/// Where a mask keeps nothing.
fn hidden(c: &mut Composition<'_>, mask: Id, shape: &[usize]) -> Composed<Id> {
    let mask = c.reshape(mask, shape)?;
    let zero = c.scalar(DType::Int32, 0.0)?;
    c.apply("LessOrEqual", &[mask, zero], &[])
}
