//! Operators on elements: the extents of the input, or those to which the inputs broadcast.

use super::arithmetic;
use super::{Row, row};
use crate::call::{Call, one};
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, Stop, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("Abs", 1, unary),
    row("Acos", 7, same),
    row("Acosh", 9, same),
    row("Asin", 7, same),
    row("Asinh", 9, same),
    row("Atan", 7, same),
    row("Atanh", 9, same),
    row("BitwiseNot", 18, same),
    row("Cast", 1, unary),
    row("CastLike", 15, unary),
    row("Ceil", 1, unary),
    row("Celu", 12, same),
    row("Clip", 1, same),
    row("Clip", 11, clip),
    row("Cos", 7, same),
    row("Cosh", 9, same),
    row("Elu", 1, same),
    row("Erf", 9, same),
    row("Exp", 1, same),
    row("Floor", 1, unary),
    row("Gelu", 20, same),
    row("HardSigmoid", 1, same),
    row("HardSwish", 14, same),
    row("IsInf", 10, same),
    row("IsNaN", 9, same),
    row("LeakyRelu", 1, same),
    row("Log", 1, same),
    row("Mish", 18, same),
    row("Neg", 1, unary),
    row("Not", 1, unary),
    row("Reciprocal", 1, same),
    row("Relu", 1, same),
    row("Round", 11, unary),
    row("Selu", 1, same),
    row("Shrink", 9, same),
    row("Sigmoid", 1, same),
    row("Sign", 9, same),
    row("Sin", 7, same),
    row("Sinh", 9, same),
    row("Softplus", 1, same),
    row("Softsign", 1, same),
    row("Sqrt", 1, unary),
    row("Swish", 24, same),
    row("Tan", 7, same),
    row("Tanh", 1, same),
    row("ThresholdedRelu", 10, same),
    row("Add", 1, binary),
    row("And", 1, binary),
    row("BitShift", 11, binary),
    row("BitwiseAnd", 18, binary),
    row("BitwiseOr", 18, binary),
    row("BitwiseXor", 18, binary),
    row("Div", 1, binary),
    row("Equal", 1, binary),
    row("Greater", 1, binary),
    row("GreaterOrEqual", 12, binary),
    row("Less", 1, binary),
    row("LessOrEqual", 12, binary),
    row("Mod", 10, binary),
    row("Mul", 1, binary),
    row("Or", 1, binary),
    row("Pow", 1, binary),
    row("Sub", 1, binary),
    row("Xor", 1, binary),
    row("PRelu", 1, slopes_1),
    row("PRelu", 7, slopes_7),
    row("Max", 1, equal_inputs),
    row("Max", 8, binary),
    row("Mean", 1, equal_inputs),
    row("Mean", 8, binary),
    row("Min", 1, equal_inputs),
    row("Min", 8, binary),
    row("Sum", 1, equal_inputs),
    row("Sum", 8, binary),
    row("SwiGLU", 28, equal_inputs),
    row("Where", 9, binary),
    row("Identity", 1, identity),
    row("BitCast", 26, bit_cast),
];

/// The extents of the first input.
pub(super) fn same(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    one(call.shape(0)?)
}

/// The value itself.
fn identity(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    Ok(vec![call.fact(0).clone()])
}

/// The extents of the input, with its elements if they are followed.
fn unary(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let content = arithmetic::unary(call);
    Ok(vec![arithmetic::with(shape, content)])
}

/// Clip-11: the bounds are scalars.
fn clip(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    scalars(call, &[1, 2])?;
    same(call)
}

/// These inputs are scalars, as far as they are given.
pub(super) fn scalars(call: &mut Call<'_, '_>, places: &[usize]) -> Outcome<()> {
    for &at in places {
        match call.given(at).then(|| call.rank(at)).flatten() {
            None | Some(0) => {}
            Some(rank) => return call.wrong_rank(at, rank, "0 (a scalar)"),
        }
    }
    Ok(())
}

/// The inputs broadcast. In old versions only the second does, to the first, and only if an attribute
/// says so.
fn binary(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    if call.schema.attribute("broadcast").is_some() {
        return limited(call);
    }
    let shapes = all_shapes(call)?;
    let shape = call.broadcast(&shapes)?;
    let content = arithmetic::broadcasting(call, &shapes, &shape);
    Ok(vec![arithmetic::with(shape, content)])
}

fn all_shapes(call: &mut Call<'_, '_>) -> Outcome<Vec<Shape>> {
    (0..call.inputs.len()).map(|at| call.shape(at)).collect()
}

/// Limited broadcasting: the second input has a suffix, or the extents from `axis` on, of the first.
fn limited(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let Ok(other) = call.shape(1) else {
        return one(shape);
    };
    if !call.flag("broadcast") {
        return one(call.same_shape(&shape, &other, "extents")?);
    }
    if let [only] = other.as_slice()
        && only.is(1)
    {
        return one(shape);
    }
    let first = match call.int("axis") {
        Some(axis) => call.axis(axis, shape.len().max(1))?,
        None => shape.len().saturating_sub(other.len()),
    };
    if let Some(part) = shape.get(first..first + other.len()) {
        call.broadcast_to(part, &other)?;
    } else if !other.is_empty() {
        return call.wrong_rank(1, other.len(), &format!("at most {}", shape.len() - first));
    }
    one(shape)
}

/// All inputs have one shape.
fn equal_inputs(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shapes: Vec<Shape> = (0..call.inputs.len())
        .filter_map(|at| call.shape(at).ok())
        .collect();
    let Some((first, others)) = shapes.split_first() else {
        return Err(Stop::Unknown);
    };
    let mut shape = first.clone();
    for other in others {
        shape = call.same_shape(&shape, other, "extents")?;
    }
    one(shape)
}

/// PRelu before version 7: the slope is one number or has an element for each channel.
fn slopes_1(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    if let (Some(slope), Some(channels)) = (known(call.shape(1))?, shape.get(1)) {
        let count = call.product(&slope);
        if count.constant().is_some_and(|count| count != 1) {
            call.equal(&count, channels, "slopes and channels")?;
        }
    }
    one(shape)
}

/// PRelu: the slope broadcasts to the input.
fn slopes_7(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    if let Ok(slope) = call.shape(1) {
        call.broadcast_to(&shape, &slope)?;
    }
    one(shape)
}

/// BitCast: the last extent grows or shrinks with the width of an element.
fn bit_cast(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let widths = [call.dtype(0), call.result(0)].map(|dtype| dtype.and_then(|dtype| dtype.bits()));
    match widths {
        [Some(from), Some(to)] if from == to => one(shape),
        [Some(from), Some(to)] => parameter(format!("elements of {from} bits cannot be {to} bits")),
        _ => Err(Stop::Unknown),
    }
}
