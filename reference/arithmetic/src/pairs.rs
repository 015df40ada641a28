//! Operations on pairs of f32, each correctly rounded.

use crate::isa::vectorised;
use crate::perturbation::ulp;

/// An operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pair {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
    /// The quotient.
    Div,
}

/// An operand of a row: an element for each result, or one for all.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// As many elements as results.
    Row(&'a [f32]),
    /// One element.
    One(f32),
}

/// Writes the results of a row.
pub fn evaluate(pair: Pair, a: Operand<'_>, b: Operand<'_>, y: &mut [f32]) {
    match pair {
        Pair::Add => add(a, b, y),
        Pair::Sub => sub(a, b, y),
        Pair::Mul => mul(a, b, y),
        Pair::Div => div(a, b, y),
    }
}

/// Writes the error of each result `y` of a row: one ULP of it, none where the operation does not round, and
/// an infinite one of a result that is not finite. An infinite operand causes no rounding.
pub fn roundings(pair: Pair, a: Operand<'_>, b: Operand<'_>, y: &[f32], errors: &mut [f64]) {
    match pair {
        Pair::Add => rounded(a, b, y, errors, 1.0),
        Pair::Sub => rounded(a, b, y, errors, -1.0),
        Pair::Mul => rounded_products(a, b, y, errors),
        Pair::Div => quotient_roundings(false, a, b, y, errors),
    }
}

/// The same of quotients. One is exact in every arithmetic, also in one that multiplies by the reciprocal, if
/// the divisor is a power of two; `whole`: also one of integers, of which lengths and indices are made.
pub fn quotient_roundings(whole: bool, a: Operand<'_>, b: Operand<'_>, y: &[f32], errors: &mut [f64]) {
    if whole {
        rounded_whole_quotients(a, b, y, errors);
    } else {
        rounded_quotients(a, b, y, errors);
    }
}

/// Whether `y` is the exact quotient of numbers with as many digits as f32, and the divisor is a power of
/// two, or, where `whole` holds, all are integers.
#[inline(always)]
pub fn is_exact_quotient(whole: bool, a: f64, b: f64, y: f64) -> bool {
    let is_power = b.to_bits().trailing_zeros() >= f64::MANTISSA_DIGITS - 1;
    let are_whole = whole & (a.trunc() == a) & (b.trunc() == b) & (y.trunc() == y);
    (y * b == a) & (is_power | are_whole)
}

#[inline(always)]
fn each_rounding(
    a: Operand<'_>,
    b: Operand<'_>,
    y: &[f32],
    errors: &mut [f64],
    is_exact: impl Fn(f64, f64, f64) -> bool,
) {
    let error = |a: f32, b: f32, y: f32| {
        let wide = f64::from(y);
        let from_infinity = y.is_infinite() & (a.is_infinite() | b.is_infinite());
        let is_exact = from_infinity | is_exact(a.into(), b.into(), wide);
        let unit = if y.is_finite() { ulp(wide) } else { f64::INFINITY };
        if is_exact { 0.0 } else { unit }
    };
    let results = errors.iter_mut().zip(y);
    match (a, b) {
        (Operand::Row(a), Operand::Row(b)) => {
            let all = results.zip(a).zip(b);
            all.for_each(|(((into, y), a), b)| *into = error(*a, *b, *y));
        }
        (Operand::Row(a), Operand::One(b)) => {
            results.zip(a).for_each(|((into, y), a)| *into = error(*a, b, *y))
        }
        (Operand::One(a), Operand::Row(b)) => {
            results.zip(b).for_each(|((into, y), b)| *into = error(a, *b, *y))
        }
        (Operand::One(a), Operand::One(b)) => results.for_each(|(into, y)| *into = error(a, b, *y)),
    }
}

#[inline(always)]
fn each(a: Operand<'_>, b: Operand<'_>, y: &mut [f32], f: impl Fn(f32, f32) -> f32) {
    match (a, b) {
        (Operand::Row(a), Operand::Row(b)) => {
            y.iter_mut().zip(a).zip(b).for_each(|((y, a), b)| *y = f(*a, *b));
        }
        (Operand::Row(a), Operand::One(b)) => y.iter_mut().zip(a).for_each(|(y, a)| *y = f(*a, b)),
        (Operand::One(a), Operand::Row(b)) => y.iter_mut().zip(b).for_each(|(y, b)| *y = f(a, *b)),
        (Operand::One(a), Operand::One(b)) => y.fill(f(a, b)),
    }
}

vectorised! {
    fn add(a: Operand<'_>, b: Operand<'_>, y: &mut [f32]) {
        each(a, b, y, |a, b| a + b);
    }
    fn sub(a: Operand<'_>, b: Operand<'_>, y: &mut [f32]) {
        each(a, b, y, |a, b| a - b);
    }
    fn mul(a: Operand<'_>, b: Operand<'_>, y: &mut [f32]) {
        each(a, b, y, |a, b| a * b);
    }
    fn div(a: Operand<'_>, b: Operand<'_>, y: &mut [f32]) {
        each(a, b, y, |a, b| a / b);
    }

    fn rounded(a: Operand<'_>, b: Operand<'_>, y: &[f32], errors: &mut [f64], sign: f64) {
        each_rounding(a, b, y, errors, |a, b, y| a + sign * b == y);
    }
    fn rounded_products(a: Operand<'_>, b: Operand<'_>, y: &[f32], errors: &mut [f64]) {
        each_rounding(a, b, y, errors, |a, b, y| a * b == y);
    }
    fn rounded_quotients(a: Operand<'_>, b: Operand<'_>, y: &[f32], errors: &mut [f64]) {
        each_rounding(a, b, y, errors, |a, b, y| is_exact_quotient(false, a, b, y));
    }
    fn rounded_whole_quotients(a: Operand<'_>, b: Operand<'_>, y: &[f32], errors: &mut [f64]) {
        each_rounding(a, b, y, errors, |a, b, y| is_exact_quotient(true, a, b, y));
    }

    /// Writes `low` for each element below it, and `high` for each above it.
    pub fn clip(x: &[f32], low: f32, high: f32, y: &mut [f32]) {
        for (y, &x) in y.iter_mut().zip(x) {
            let raised = if x < low { low } else { x };
            *y = if raised > high { high } else { raised };
        }
    }
}
