//! Arithmetic of two or more operands: sums, products, quotients, remainders, powers, minimum, maximum.

use onnx_tensor::{DType, Tensor};

use super::super::broadcast::{broadcast_shape, zip_with};
use super::super::call::one;
use super::super::numbers::{floats, from_floats, from_ints, ints, is_int, slice};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::ops::shapes::BROADCAST;

pub const ROWS: &[Row] = &[
    row("Add", 1, BROADCAST, |call| legacy_pair(call, &ADD)),
    row("Add", 7, BROADCAST, |call| pair(call, &ADD)),
    row("Sub", 1, BROADCAST, |call| legacy_pair(call, &SUB)),
    row("Sub", 7, BROADCAST, |call| pair(call, &SUB)),
    row("Mul", 1, BROADCAST, |call| legacy_pair(call, &MUL)),
    row("Mul", 7, BROADCAST, |call| pair(call, &MUL)),
    row("Div", 1, BROADCAST, |call| legacy_pair(call, &DIV)),
    row("Div", 7, BROADCAST, |call| pair(call, &DIV)),
    row("Mod", 10, BROADCAST, modulo),
    row("Pow", 1, BROADCAST, |call| pow(call.tensor(0)?, &aligned(call)?)),
    row("Pow", 7, BROADCAST, |call| pow(call.tensor(0)?, call.tensor(1)?)),
    row("Max", 1, BROADCAST, |call| fold(call, &MAX)),
    row("Min", 1, BROADCAST, |call| fold(call, &MIN)),
    row("Sum", 1, BROADCAST, |call| fold(call, &ADD)),
    row("Mean", 1, BROADCAST, mean),
];

/// An operation on two numbers.
struct Binary {
    float32: fn(f32, f32) -> f32,
    float: fn(f64, f64) -> f64,
    /// `None` if the result is undefined.
    int: fn(i128, i128) -> Option<i128>,
}

const ADD: Binary = Binary {
    float32: |a, b| a + b,
    float: |a, b| a + b,
    int: |a, b| Some(a + b),
};
const SUB: Binary = Binary {
    float32: |a, b| a - b,
    float: |a, b| a - b,
    int: |a, b| Some(a - b),
};
const MUL: Binary = Binary {
    float32: |a, b| a * b,
    float: |a, b| a * b,
    int: |a, b| Some(a.wrapping_mul(b)),
};
const DIV: Binary = Binary {
    float32: |a, b| a / b,
    float: |a, b| a / b,
    int: i128::checked_div,
};
const MAX: Binary = Binary {
    float32: |a, b| if a.is_nan() || a > b { a } else { b },
    float: |a, b| if a.is_nan() || a > b { a } else { b },
    int: |a, b| Some(a.max(b)),
};
const MIN: Binary = Binary {
    float32: |a, b| if a.is_nan() || a < b { a } else { b },
    float: |a, b| if a.is_nan() || a < b { a } else { b },
    int: |a, b| Some(a.min(b)),
};

fn pair(call: &Call, operation: &Binary) -> Outcome {
    one(apply(operation, call.tensor(0)?, call.tensor(1)?)?)
}

/// Before since 7 the second operand broadcasts only if `broadcast` is set; its axes start at `axis` of the
/// first.
fn legacy_pair(call: &Call, operation: &Binary) -> Outcome {
    one(apply(operation, call.tensor(0)?, &aligned(call)?)?)
}

/// Returns the second operand with trailing axes of extent 1, aligned as `axis` states.
pub fn aligned(call: &Call) -> Result<Tensor, Problem> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    if !call.attributes.flag("broadcast")? {
        return match a.shape() == b.shape() {
            true => Ok(b.clone()),
            false => invalid(format!(
                "shapes {:?} and {:?} differ, and broadcast is not set",
                a.shape(),
                b.shape()
            )),
        };
    }
    let Some(at) = call.attributes.find_int("axis")? else {
        return Ok(b.clone());
    };
    let at = super::super::call::axis(at, a.rank())?;
    let mut shape = b.shape().to_vec();
    shape.resize(shape.len().max(a.rank().saturating_sub(at)), 1);
    super::super::movement::reshape(b, &shape)
}

fn apply(operation: &Binary, a: &Tensor, b: &Tensor) -> Result<Tensor, Problem> {
    same_type(a, b)?;
    let shape = broadcast_shape([a.shape(), b.shape()])?;
    let shapes = (a.shape(), b.shape());
    if a.dtype() == DType::Float {
        let (x, y) = (slice::<f32>(a)?, slice::<f32>(b)?);
        let values = zip_with((x, shapes.0), (y, shapes.1), &shape, operation.float32);
        return Ok(Tensor::new(&shape, values)?);
    }
    if is_int(a.dtype()) {
        let (x, y) = (ints(a)?, ints(b)?);
        let values = zip_with((&x, shapes.0), (&y, shapes.1), &shape, operation.int);
        let Some(values) = values.into_iter().collect::<Option<Vec<_>>>() else {
            return invalid("an integer is divided by zero");
        };
        return from_ints(a.dtype(), &shape, values);
    }
    let (x, y) = (floats(a)?, floats(b)?);
    let values = zip_with((&x, shapes.0), (&y, shapes.1), &shape, operation.float);
    from_floats(a.dtype(), &shape, values)
}

pub fn same_type(a: &Tensor, b: &Tensor) -> Result<(), Problem> {
    match a.dtype() == b.dtype() {
        true => Ok(()),
        false => invalid(format!(
            "the element types {} and {} differ",
            a.dtype(),
            b.dtype()
        )),
    }
}

fn fold(call: &Call, operation: &Binary) -> Outcome {
    let mut result = call.tensor(0)?.clone();
    for other in call.tensors(1)? {
        result = apply(operation, &result, other)?;
    }
    one(result)
}

/// The sum is computed in f64, so that narrow types are rounded once.
fn mean(call: &Call) -> Outcome {
    let tensors = call.tensors(0)?;
    let shape = broadcast_shape(tensors.iter().map(|tensor| tensor.shape()))?;
    let mut sum = vec![0.0; shape.iter().product()];
    for tensor in &tensors {
        let values = floats(tensor)?;
        sum = zip_with((&sum, &shape), (&values, tensor.shape()), &shape, |a, b| a + b);
    }
    let count = tensors.len() as f64;
    let mean = sum.into_iter().map(|total| total / count).collect();
    one(from_floats(call.tensor(0)?.dtype(), &shape, mean)?)
}

/// The sign of the result is that of the divisor (as `%` in Python), or with `fmod` that of the dividend (as
/// `fmod` in C).
fn modulo(call: &Call) -> Outcome {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    same_type(a, b)?;
    let like_c = call.attributes.flag("fmod")?;
    let shape = broadcast_shape([a.shape(), b.shape()])?;
    if is_int(a.dtype()) {
        let remainder = |a: i128, b: i128| {
            let remainder = a.checked_rem(b)?;
            let moved = !like_c && remainder != 0 && (remainder < 0) != (b < 0);
            Some(if moved { remainder + b } else { remainder })
        };
        let values = zip_with((&ints(a)?, a.shape()), (&ints(b)?, b.shape()), &shape, remainder);
        let Some(values) = values.into_iter().collect::<Option<Vec<_>>>() else {
            return invalid("an integer is divided by zero");
        };
        return one(from_ints(a.dtype(), &shape, values)?);
    }
    let remainder = |a: f64, b: f64| {
        let remainder = a % b;
        let moved = !like_c && remainder != 0.0 && (remainder < 0.0) != (b < 0.0);
        if moved { remainder + b } else { remainder }
    };
    let values = zip_with(
        (&floats(a)?, a.shape()),
        (&floats(b)?, b.shape()),
        &shape,
        remainder,
    );
    one(from_floats(a.dtype(), &shape, values)?)
}

/// The result has the type of the base. An integer power of an integer is exact, modulo the width of the
/// type.
fn pow(a: &Tensor, b: &Tensor) -> Outcome {
    let shape = broadcast_shape([a.shape(), b.shape()])?;
    if is_int(a.dtype()) && is_int(b.dtype()) {
        let values = zip_with((&ints(a)?, a.shape()), (&ints(b)?, b.shape()), &shape, int_power);
        return one(from_ints(a.dtype(), &shape, values)?);
    }
    let values = zip_with(
        (&floats(a)?, a.shape()),
        (&floats(b)?, b.shape()),
        &shape,
        f64::powf,
    );
    one(from_floats(a.dtype(), &shape, values)?)
}

fn int_power(base: i128, exponent: i128) -> i128 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 => {
                if exponent % 2 == 0 {
                    1
                } else {
                    -1
                }
            }
            _ => 0,
        };
    }
    let (mut result, mut square, mut rest) = (1_i128, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        rest >>= 1;
    }
    result
}
