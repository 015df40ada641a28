//! Operations on pairs of f32, each correctly rounded.

use crate::isa::vectorised;

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

    /// Writes `low` for each element below it, and `high` for each above it.
    pub fn clip(x: &[f32], low: f32, high: f32, y: &mut [f32]) {
        for (y, &x) in y.iter_mut().zip(x) {
            let raised = if x < low { low } else { x };
            *y = if raised > high { high } else { raised };
        }
    }
}
