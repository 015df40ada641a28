//! Arithmetic and elementary functions on each element.

use super::{Declaration, of};
use crate::families::{binary, broadcast_shapes, shape, unary, variadic};
use crate::values::Beyond;
use crate::{Domain, Draft, Made, Reject};
use onnx_tensor::DType;

pub(super) const OPERATORS: &[Declaration] = &[
    of("Abs", |d| {
        let domain = arithmetic(d, 0)?;
        unary(d, domain)
    }),
    of("Acos", any),
    of("Acosh", any),
    of("Add", two),
    of("Asin", any),
    of("Asinh", any),
    of("Atan", any),
    of("Atanh", any),
    of("BitShift", bit_shift),
    of("BitwiseAnd", |d| binary(d, Domain::ANY, Domain::ANY)),
    of("BitwiseNot", any),
    of("BitwiseOr", |d| binary(d, Domain::ANY, Domain::ANY)),
    of("BitwiseXor", |d| binary(d, Domain::ANY, Domain::ANY)),
    of("Ceil", any),
    of("Clip", clip),
    of("Cos", any),
    of("Cosh", any),
    of("Div", |d| {
        let domain = arithmetic(d, 0)?;
        binary(d, domain, without_zero(d, domain)?)
    }),
    of("Erf", any),
    of("Exp", any),
    of("Floor", any),
    of("Log", any),
    of("Max", |d| {
        let domain = ordered(d)?;
        variadic(d, domain, 8)
    }),
    of("Mean", |d| variadic(d, Domain::SUM, 8)),
    of("Min", |d| {
        let domain = ordered(d)?;
        variadic(d, domain, 8)
    }),
    of("Mod", modulo),
    of("Mul", two),
    of("Neg", |d| {
        let domain = arithmetic(d, 0)?;
        unary(d, domain)
    }),
    of("Pow", power),
    of("Reciprocal", any),
    of("Round", any),
    of("Sign", any),
    of("Sin", any),
    of("Sinh", any),
    of("Sqrt", any),
    of("Sub", two),
    of("Sum", |d| variadic(d, Domain::SUM, 8)),
    of("Tan", any),
    of("Tanh", any),
];

fn any(d: &mut Draft) -> Made {
    unary(d, Domain::ANY)
}

fn two(d: &mut Draft) -> Made {
    let domain = arithmetic(d, 0)?;
    binary(d, domain, domain)
}

/// Every float, or integers whose sums and products do not overflow: the result of an overflow is
/// undefined.
pub(super) fn arithmetic(d: &Draft, position: usize) -> Result<Domain, Reject> {
    Ok(if is_float(d.input_dtype(position)?) {
        Domain::ANY
    } else {
        Domain::whole(-10.0, 10.0)
    })
}

/// Division by 0 is infinite for floats and undefined for integers.
fn without_zero(d: &Draft, domain: Domain) -> Result<Domain, Reject> {
    Ok(if is_float(d.input_dtype(0)?) {
        domain
    } else {
        domain.without_zero()
    })
}

/// Everything with an order: Max and Min of NaN are undefined.
fn ordered(d: &Draft) -> Result<Domain, Reject> {
    Ok(if is_float(d.input_dtype(0)?) {
        Domain::from(-8.0, 8.0)
    } else {
        Domain::ANY
    })
}

pub(super) fn is_float(dtype: DType) -> bool {
    matches!(
        dtype,
        DType::Float | DType::Double | DType::Float16 | DType::Bfloat16
    )
}

/// The amount is less than the width of the type.
fn bit_shift(d: &mut Draft) -> Made {
    d.mode("direction");
    let (a, b) = broadcast_shapes(d);
    // A shift of a negative number is undefined.
    d.input(&a, Domain::whole(0.0, 127.0))?;
    d.input(&b, Domain::whole(0.0, 7.0))?;
    Ok(())
}

/// From version 13 on, the maximum may be below the minimum: then all elements become the maximum.
fn clip(d: &mut Draft) -> Made {
    let shape = shape(d, 0, 5);
    d.input(&shape, Domain::from(-8.0, 8.0).with(Beyond::NotFinite))?;
    if d.since() < 11 {
        d.scalar("min", &[-2.0, 0.5]);
        d.scalar("max", &[1.0, 3.5]);
        return Ok(());
    }
    let crossed = d.since() >= 13 && d.pick("bounds", &["ordered", "crossed"]) == "crossed";
    let (least, greatest) = if crossed { (3.0, 1.0) } else { (1.0, 3.0) };
    d.optional("min", &[], Domain::from(least, least))?;
    d.optional("max", &[], Domain::from(greatest, greatest + 2.0))?;
    Ok(())
}

/// Floats need `fmod`; the divisor of integers is not 0.
fn modulo(d: &mut Draft) -> Made {
    let float = is_float(d.input_dtype(0)?);
    let divisor = Domain::whole(-5.0, 5.0).without_zero();
    if float {
        d.mode_among("fmod", &["1"]);
        let given = d.attributes.iter().any(|attribute| attribute.name == "fmod");
        d.require(given, "a float needs fmod")?;
        return binary(d, Domain::MODERATE, Domain::from(-5.0, 5.0).without_zero());
    }
    d.flag("fmod", false);
    binary(d, Domain::whole(-20.0, 20.0), divisor)
}

/// Integers have small bases and exponents that are integers and not negative: the type must represent
/// the power.
fn power(d: &mut Draft) -> Made {
    if is_float(d.input_dtype(0)?) {
        binary(d, Domain::SUM, Domain::from(-3.0, 3.0))
    } else {
        binary(d, Domain::whole(-3.0, 3.0), Domain::whole(0.0, 4.0))
    }
}
