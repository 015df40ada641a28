//! Logic of booleans, and bitwise operations on integers.

use onnx_tensor::Tensor;

use super::super::broadcast::{broadcast_shape, zip_ints, zip_with};
use super::super::call::one;
use super::super::numbers::{map_ints, slice};
use super::super::{Call, Outcome, Row, row};
use super::arithmetic::{aligned, same_type};
use crate::error::invalid;
use crate::shapes::{BROADCAST, SAME};

pub const ROWS: &[Row] = &[
    row("And", 1, BROADCAST, |call| legacy(call, |a, b| a & b)),
    row("And", 7, BROADCAST, |call| logic(call, |a, b| a & b)).pointwise(),
    row("Or", 1, BROADCAST, |call| legacy(call, |a, b| a | b)),
    row("Or", 7, BROADCAST, |call| logic(call, |a, b| a | b)).pointwise(),
    row("Xor", 1, BROADCAST, |call| legacy(call, |a, b| a ^ b)),
    row("Xor", 7, BROADCAST, |call| logic(call, |a, b| a ^ b)).pointwise(),
    row("Not", 1, SAME, |call| {
        let tensor = call.tensor(0)?;
        let values = slice::<bool>(tensor)?.iter().map(|x| !x).collect();
        one(Tensor::new::<bool>(tensor.shape(), values)?)
    })
    .pointwise(),
    row("BitwiseAnd", 18, BROADCAST, |call| bitwise(call, |a, b| a & b)).pointwise(),
    row("BitwiseOr", 18, BROADCAST, |call| bitwise(call, |a, b| a | b)).pointwise(),
    row("BitwiseXor", 18, BROADCAST, |call| bitwise(call, |a, b| a ^ b)).pointwise(),
    row("BitwiseNot", 18, SAME, |call| {
        one(map_ints(call.tensor(0)?, |x| !x)?)
    })
    .pointwise(),
    row("BitShift", 11, BROADCAST, shift).pointwise(),
];

fn logic(call: &Call, operation: impl Fn(bool, bool) -> bool) -> Outcome {
    joined(call.tensor(0)?, call.tensor(1)?, operation)
}

/// Before since 7, broadcasting is that of the old arithmetic operators.
fn legacy(call: &Call, operation: impl Fn(bool, bool) -> bool) -> Outcome {
    joined(call.tensor(0)?, &aligned(call)?, operation)
}

fn joined(a: &Tensor, b: &Tensor, operation: impl Fn(bool, bool) -> bool) -> Outcome {
    let shape = broadcast_shape([a.shape(), b.shape()])?;
    let values = zip_with(
        (slice::<bool>(a)?, a.shape()),
        (slice::<bool>(b)?, b.shape()),
        &shape,
        operation,
    );
    one(Tensor::new(&shape, values)?)
}

fn bitwise(call: &Call, operation: impl Fn(i128, i128) -> i128) -> Outcome {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    same_type(a, b)?;
    let shape = broadcast_shape([a.shape(), b.shape()])?;
    one(zip_ints(a, b, &shape, operation)?)
}

/// A shift by the width of the type or more, or by a negative amount, shifts out every bit; a right shift
/// leaves copies of the sign.
fn shift(call: &Call) -> Outcome {
    let left = match call.attributes.text("direction")? {
        "LEFT" => true,
        "RIGHT" => false,
        other => return invalid(format!("unknown direction `{other}`, expected LEFT or RIGHT")),
    };
    bitwise(call, move |value, distance| {
        match u32::try_from(distance).ok().filter(|&by| by < 64) {
            Some(by) if left => value << by,
            Some(by) => value >> by,
            None if left => 0,
            None => value >> 64,
        }
    })
}
