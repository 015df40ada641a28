//! StringConcat.

use onnx_tensor::Tensor;

use super::super::broadcast::{broadcast_shape, zip_with};
use super::super::call::one;
use super::super::numbers::slice;
use super::super::{Call, Outcome, Row, row};
use crate::shapes::BROADCAST;
use crate::size::{has_room, has_room_for_text};

pub const ROWS: &[Row] = &[row("StringConcat", 20, BROADCAST, concat)];

fn concat(call: &Call) -> Outcome {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let shape = broadcast_shape([a.shape(), b.shape()])?;
    let (total, x, y) = (shape.iter().product(), slice::<String>(a)?, slice::<String>(b)?);
    has_room(total)?;
    has_room_for_text(bytes(x, total).saturating_add(bytes(y, total)))?;
    let x: Vec<&str> = x.iter().map(String::as_str).collect();
    let y: Vec<&str> = y.iter().map(String::as_str).collect();
    let joined = zip_with((&x, a.shape()), (&y, b.shape()), &shape, |x, y| [x, y].concat());
    one(Tensor::new(&shape, joined)?)
}

/// Returns the number of bytes of an operand that broadcasts to `total` elements: each of its elements is
/// read equally often.
fn bytes(texts: &[String], total: usize) -> usize {
    let read = total / texts.len().max(1);
    texts.iter().map(String::len).sum::<usize>().saturating_mul(read)
}
