//! Arithmetic of two or more operands: sums, products, quotients, remainders, powers, minimum, maximum.

use native_kernels::elementwise::Binary;
use onnx_tensor::{DType, Tensor};

use super::super::broadcast::{broadcast_shape, zip_ints, zip_with};
use super::super::call::one;
use super::super::fast::Fast;
use super::super::numbers::{floats, from_floats, from_ints, ints, slice};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::BROADCAST;

pub const ROWS: &[Row] = &[
    row("Add", 1, BROADCAST, legacy_pair::<Add>),
    row("Add", 7, BROADCAST, pair::<Add>)
        .pointwise()
        .fast(Fast::Binary(Binary::Add)),
    row("Sub", 1, BROADCAST, legacy_pair::<Sub>),
    row("Sub", 7, BROADCAST, pair::<Sub>)
        .pointwise()
        .fast(Fast::Binary(Binary::Sub)),
    row("Mul", 1, BROADCAST, legacy_pair::<Mul>),
    row("Mul", 7, BROADCAST, pair::<Mul>)
        .pointwise()
        .fast(Fast::Binary(Binary::Mul)),
    row("Div", 1, BROADCAST, legacy_pair::<Div>),
    row("Div", 7, BROADCAST, pair::<Div>)
        .pointwise()
        .fast(Fast::Binary(Binary::Div)),
    row("Mod", 10, BROADCAST, modulo).pointwise(),
    row("Pow", 1, BROADCAST, |call| pow(call.tensor(0)?, &aligned(call)?)),
    row("Pow", 7, BROADCAST, |call| pow(call.tensor(0)?, call.tensor(1)?))
        .pointwise()
        .fast(Fast::Power),
    row("Max", 1, BROADCAST, fold::<Max>),
    row("Max", 8, BROADCAST, fold::<Max>)
        .pointwise()
        .fast(Fast::Binary(Binary::Max)),
    row("Min", 1, BROADCAST, fold::<Min>),
    row("Min", 8, BROADCAST, fold::<Min>)
        .pointwise()
        .fast(Fast::Binary(Binary::Min)),
    row("Sum", 1, BROADCAST, fold::<Add>),
    row("Sum", 8, BROADCAST, fold::<Add>)
        .pointwise()
        .fast(Fast::Binary(Binary::Add)),
    row("Mean", 1, BROADCAST, mean),
    row("Mean", 8, BROADCAST, mean).pointwise(),
];

/// An operation on two numbers. A trait, so that the loops over the elements have no indirect call.
trait Operation {
    /// The result for f32.
    fn float32(a: f32, b: f32) -> f32;
    /// The result for other floats, which is rounded to their type.
    fn float(a: f64, b: f64) -> f64;
    /// The result for integers, which keep the low bits.
    fn int(a: i128, b: i128) -> i128;
    /// Whether it is undefined for integers if the second one is zero.
    const DIVIDES: bool = false;
}

macro_rules! operation {
    ($name:ident, $a:ident, $b:ident, $float:expr, $int:expr $(, $divides:literal)?) => {
        struct $name;

        impl Operation for $name {
            fn float32($a: f32, $b: f32) -> f32 {
                $float
            }

            fn float($a: f64, $b: f64) -> f64 {
                $float
            }

            fn int($a: i128, $b: i128) -> i128 {
                $int
            }

            $(const DIVIDES: bool = $divides;)?
        }
    };
}

operation!(Add, a, b, a + b, a + b);
operation!(Sub, a, b, a - b, a - b);
operation!(Mul, a, b, a * b, a.wrapping_mul(b));
operation!(Div, a, b, a / b, quotient(a, b), true);
operation!(Max, a, b, if a.is_nan() || a > b { a } else { b }, a.max(b));
operation!(Min, a, b, if a.is_nan() || a < b { a } else { b }, a.min(b));

/// The quotient, truncated toward zero; 0 if it is undefined.
fn quotient(a: i128, b: i128) -> i128 {
    // A division of 128 bits takes several times as long as one of 64.
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) if b != -1 && b != 0 => i128::from(a / b),
        _ => a.checked_div(b).unwrap_or(0),
    }
}

fn pair<O: Operation>(call: &Call) -> Outcome {
    one(apply::<O>(call.tensor(0)?, call.tensor(1)?)?)
}

/// Before since 7 the second operand broadcasts only if `broadcast` is set; its axes start at `axis` of the
/// first.
fn legacy_pair<O: Operation>(call: &Call) -> Outcome {
    one(apply::<O>(call.tensor(0)?, &aligned(call)?)?)
}

/// Returns the second operand with trailing axes of extent 1, aligned as `axis` states.
pub fn aligned(call: &Call) -> Result<Tensor, Problem> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    if !call.attributes.flag("broadcast")? {
        return if a.shape() == b.shape() {
            Ok(b.clone())
        } else {
            invalid(format!(
                "shapes {:?} and {:?} differ, and broadcast is not set",
                a.shape(),
                b.shape()
            ))
        };
    }
    let moved = match call.attributes.find_int("axis")? {
        None => b.clone(),
        Some(at) => {
            let after = a.rank() - super::super::call::axis(at, a.rank())?;
            let mut shape = b.shape().to_vec();
            if shape.len() > after {
                return invalid(format!("shape {shape:?} has more axes than `axis` leaves"));
            }
            shape.resize(after, 1);
            super::super::movement::reshape(b, &shape)?
        }
    };
    if broadcast_shape([a.shape(), moved.shape()])? == a.shape() {
        Ok(moved)
    } else {
        invalid(format!(
            "only the second operand is broadcast: {:?} to {:?}",
            b.shape(),
            a.shape()
        ))
    }
}

fn apply<O: Operation>(a: &Tensor, b: &Tensor) -> Result<Tensor, Problem> {
    same_type(a, b)?;
    let shape = broadcast_shape([a.shape(), b.shape()])?;
    let shapes = (a.shape(), b.shape());
    match a.dtype() {
        DType::Float => {
            let (x, y) = (slice::<f32>(a)?, slice::<f32>(b)?);
            let values = zip_with((x, shapes.0), (y, shapes.1), &shape, O::float32);
            Ok(Tensor::new(&shape, values)?)
        }
        DType::Double => {
            let (x, y) = (slice::<f64>(a)?, slice::<f64>(b)?);
            let values = zip_with((x, shapes.0), (y, shapes.1), &shape, O::float);
            Ok(Tensor::new(&shape, values)?)
        }
        dtype if dtype.is_integer() => {
            if O::DIVIDES && !shape.contains(&0) {
                without_zero(b)?;
            }
            zip_ints(a, b, &shape, O::int)
        }
        dtype => {
            let (x, y) = (floats(a)?, floats(b)?);
            let values = zip_with((&x, shapes.0), (&y, shapes.1), &shape, O::float);
            from_floats(dtype, &shape, values)
        }
    }
}

/// Fails if a divisor is zero.
fn without_zero(divisors: &Tensor) -> Result<(), Problem> {
    if ints(divisors)?.contains(&0) {
        invalid("an integer is divided by zero")
    } else {
        Ok(())
    }
}

pub fn same_type(a: &Tensor, b: &Tensor) -> Result<(), Problem> {
    if a.dtype() == b.dtype() {
        Ok(())
    } else {
        invalid(format!(
            "the element types {} and {} differ",
            a.dtype(),
            b.dtype()
        ))
    }
}

/// Before since 8, the operands of Max, Min, Sum and Mean have one shape.
fn one_shape(call: &Call, tensors: &[&Tensor]) -> Result<(), Problem> {
    let first = tensors.first().map(|tensor| tensor.shape());
    if call.since >= 8 || tensors.iter().all(|tensor| Some(tensor.shape()) == first) {
        Ok(())
    } else {
        invalid("the operands differ in shape, and this version does not broadcast")
    }
}

fn fold<O: Operation>(call: &Call) -> Outcome {
    one_shape(call, &call.tensors(0)?)?;
    let mut result = call.tensor(0)?.clone();
    for other in call.tensors(1)? {
        result = apply::<O>(&result, other)?;
    }
    one(result)
}

/// The sum is computed in f64, so that narrow types are rounded once.
fn mean(call: &Call) -> Outcome {
    let tensors = call.tensors(0)?;
    one_shape(call, &tensors)?;
    let shape = broadcast_shape(tensors.iter().map(|tensor| tensor.shape()))?;
    // A sum of negative zeros is one: -0 is what changes no number that is added.
    let mut sum = vec![-0.0; shape.iter().product()];
    for tensor in &tensors {
        let so_far = (sum.as_slice(), shape.as_slice());
        sum = match tensor.dtype() {
            DType::Float => {
                let values = (slice::<f32>(tensor)?, tensor.shape());
                zip_with(so_far, values, &shape, |a, b| a + f64::from(b))
            }
            _ => zip_with(so_far, (&floats(tensor)?, tensor.shape()), &shape, |a, b| a + b),
        };
    }
    let count = tensors.len() as f64;
    let means = sum.into_iter().map(|total| total / count);
    one(match call.tensor(0)?.dtype() {
        DType::Float => Tensor::new(&shape, means.map(|mean| mean as f32).collect::<Vec<f32>>())?,
        dtype => from_floats(dtype, &shape, means.collect())?,
    })
}

/// The sign of the result is that of the divisor (as `%` in Python), or with `fmod` that of the dividend (as
/// `fmod` in C). Floats without `fmod` are defined since 28, where a result of zero has the sign of the
/// divisor.
fn modulo(call: &Call) -> Outcome {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    same_type(a, b)?;
    let like_c = call.attributes.flag("fmod")?;
    let shape = broadcast_shape([a.shape(), b.shape()])?;
    if a.dtype().is_integer() {
        if !shape.contains(&0) {
            without_zero(b)?;
        }
        let remainder = |a: i128, b: i128| {
            let remainder = a.checked_rem(b).unwrap_or(0);
            let moved = !like_c && remainder != 0 && (remainder < 0) != (b < 0);
            if moved { remainder + b } else { remainder }
        };
        return one(zip_ints(a, b, &shape, remainder)?);
    }
    if !like_c && call.since < 28 {
        return invalid("`fmod` must be 1 for floats in this version");
    }
    let remainder = |a: f64, b: f64| {
        let remainder = a % b;
        match remainder {
            remainder if like_c => remainder,
            0.0 => 0.0_f64.copysign(b),
            remainder if (remainder < 0.0) != (b < 0.0) => remainder + b,
            remainder => remainder,
        }
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
    if a.dtype().is_integer() && b.dtype().is_integer() {
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
