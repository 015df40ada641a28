//! A number with an error bound, for derivations that follow a formula element by element.
//!
//! It is the scalar form of the running error analysis of
//! [`ErrorBounded`](crate::error_bounded::ErrorBounded): each operation adds one rounding and propagates
//! the errors of its operands (Higham, §3.3). Derivations with loops (the steps of a recurrent network, the
//! taps of a filter) are written with it, like the formula of the specification.

use std::iter::Sum;
use std::ops::{Add, Div, Mul, Neg, Sub};

use ndarray::{ArrayD, Zip};

use crate::error_bounded::derived;
use crate::precision::{Growth, gamma, growth, joint, joint_sum, ordinary_sum, several};
use crate::{Query, Radius};

/// A value, its absolute error and the unit roundoff of the backend's precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The exact value.
    pub value: f64,
    /// The maximum error of a backend's value; never negative.
    pub error: f64,
    /// The unit roundoff.
    pub unit: f64,
}

impl Number {
    /// A number that every backend has exactly.
    pub const fn exact(value: f64) -> Number {
        Number {
            value,
            error: 0.0,
            unit: 0.0,
        }
    }

    /// A number with an error of at most `error`, and this unit roundoff for the following operations.
    pub const fn off(value: f64, error: f64, unit: f64) -> Number {
        Number { value, error, unit }
    }

    /// This number after `roundings` more roundings.
    pub fn rounded(self, roundings: f64) -> Number {
        Number {
            error: joint(
                self.error,
                several(roundings) * self.unit * (self.value.abs() + self.error),
            ),
            ..self
        }
    }

    /// |value| plus its error.
    pub fn magnitude(self) -> f64 {
        self.value.abs() + self.error
    }

    /// An elementary function with an error of `ulps` ULP. The error of the argument is propagated by the
    /// values at both ends of its interval, which is exact for a function that is monotone between them.
    pub fn map(self, ulps: f64, f: impl Fn(f64) -> f64) -> Number {
        let value = f(self.value);
        // An infinite argument stays so.
        let carried = if self.error == 0.0 || self.value.is_infinite() {
            0.0
        } else {
            (f(self.value + self.error) - value)
                .abs()
                .max((f(self.value - self.error) - value).abs())
        };
        Number::off(value, carried, self.unit).rounded(2.0 * ulps)
    }

    /// √x: 3 ULP (*OpenCL C*, §7.4).
    pub fn sqrt(self) -> Number {
        self.map(3.0, |x| x.max(0.0).sqrt())
    }

    /// Σ aᵢ·bᵢ in any order, with or without FMA: γₙ₊₁ of the sum of magnitudes. The additional term is the
    /// rounding of the number to which the sum is added.
    pub fn dot(pairs: impl IntoIterator<Item = (Number, Number)>) -> Number {
        let products = pairs.into_iter().map(|(a, b)| Number {
            value: a.value * b.value,
            error: joint(a.value.abs() * b.error, b.value.abs() * a.error) + a.error * b.error,
            unit: a.unit.max(b.unit),
        });
        total(products, 1.0)
    }
}

/// Input `index` with its errors, in the precision of the first output; `None` if it is omitted, not a
/// numeric tensor, or of unknown error.
pub fn input(query: &Query<'_>, index: usize) -> Option<ArrayD<Number>> {
    let (unit, values) = (query.unit(0), query.input(index)?);
    Some(match query.errors.get(index)? {
        Radius::Exact => values.mapv(|value| Number::off(value, 0.0, unit)),
        Radius::Within { radius, .. } if radius.shape() == values.shape() => Zip::from(&values)
            .and(radius)
            .map_collect(|value, error| Number::off(*value, *error, unit)),
        _ => return None,
    })
}

/// Like [`input`], with the elements in row-major order.
pub fn elements(query: &Query<'_>, index: usize) -> Option<Vec<Number>> {
    input(query, index).map(|numbers| numbers.iter().copied().collect())
}

/// The radius of output `index` from these derived numbers, in the order of its elements ([`derived`]).
pub fn radius(query: &Query<'_>, index: usize, numbers: Vec<Number>, model: &'static str) -> Radius {
    let shape = query.output(index).map_or(&[][..], |output| output.shape());
    let values = numbers.iter().map(|number| number.value).collect();
    let errors = numbers.iter().map(|number| number.error).collect();
    match (
        ArrayD::from_shape_vec(shape, values),
        ArrayD::from_shape_vec(shape, errors),
    ) {
        (Ok(values), Ok(errors)) => derived(query, index, &values, &errors, model),
        _ => Radius::unknown("the shape of the derivation differs from that of the output"),
    }
}

/// γ of the number of terms plus `more`, times the sum of magnitudes.
fn total(terms: impl Iterator<Item = Number>, more: f64) -> Number {
    let (mut sum, mut magnitudes, mut count) = (Number::exact(0.0), 0.0, more);
    // The last term may cancel all others, as a bias.
    let mut greatest = 0.0_f64;
    sum.error = joint_sum(terms.map(|term| {
        sum.value += term.value;
        greatest = greatest.max(sum.value.abs());
        sum.unit = sum.unit.max(term.unit);
        magnitudes += term.magnitude();
        count += 1.0;
        term.error
    }));
    let own = match growth() {
        Growth::Worst => magnitudes * gamma(count, sum.unit),
        Growth::Independent | Growth::IndependentNarrow => {
            ordinary_sum(magnitudes, greatest, count, sum.unit)
        }
    };
    sum.error = joint(sum.error, own);
    sum
}

impl Sum for Number {
    /// The sum in any order.
    fn sum<I: Iterator<Item = Number>>(terms: I) -> Number {
        total(terms, 0.0)
    }
}

impl Add for Number {
    type Output = Number;
    fn add(self, other: Number) -> Number {
        let unit = self.unit.max(other.unit);
        Number::off(self.value + other.value, joint(self.error, other.error), unit).rounded(1.0)
    }
}

impl Neg for Number {
    type Output = Number;
    fn neg(self) -> Number {
        Number {
            value: -self.value,
            ..self
        }
    }
}

impl Sub for Number {
    type Output = Number;
    fn sub(self, other: Number) -> Number {
        self + -other
    }
}

impl Mul for Number {
    type Output = Number;
    fn mul(self, other: Number) -> Number {
        let (a, b) = (self, other);
        let error = joint(a.value.abs() * b.error, b.value.abs() * a.error) + a.error * b.error;
        Number::off(a.value * b.value, error, a.unit.max(b.unit)).rounded(1.0)
    }
}

impl Div for Number {
    type Output = Number;
    /// 2.5 ULP (*OpenCL C*, §7.4); infinite if the divisor may be 0.
    fn div(self, other: Number) -> Number {
        let (a, b) = (self, other);
        let value = a.value / b.value;
        let room = b.value.abs() - b.error;
        let error = if a.error == 0.0 && b.error == 0.0 {
            0.0
        } else if room > 0.0 {
            joint(a.error, value.abs() * b.error) / room
        } else {
            f64::INFINITY
        };
        Number::off(value, error, a.unit.max(b.unit)).rounded(5.0)
    }
}
