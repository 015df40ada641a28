//! The comparisons of the crate `approx` for tensors and values, for the assertions of tests: a failed
//! `assert_abs_diff_eq!` shows both values. No verdict is decided by them.
//!
//! Tensors are approximately equal if they have the same type and shape and if all elements are. f16, bf16,
//! f32, f64 and the parts of complex numbers are compared by the tolerance; two NaNs are equal. Elements of
//! all other types must be the same ([`Element::same`]). A tolerance is an f64, for each element type.

use std::iter::zip;

use approx::{AbsDiffEq, RelativeEq, UlpsEq};

use crate::{Element, Real, Sequence, Tensor, TensorError, Value, bf16, dispatch, f16};

/// How two floats are compared.
#[derive(Clone, Copy)]
enum Rule {
    /// The same bits, all NaNs being the same.
    Same,
    /// By the absolute difference.
    Absolute { epsilon: f64 },
    /// By the absolute difference, or by the difference relative to the larger magnitude.
    Relative { epsilon: f64, max_relative: f64 },
    /// By the absolute difference, or by the number of units in the last place of the element's type.
    Ulps { epsilon: f64, max_ulps: u32 },
}

/// A float of which the values can be numbered in their order.
trait Numbered: Real {
    /// The place of the value among all values of the type; both zeros have place 0.
    fn place(self) -> i128;
}

macro_rules! numbered {
    ($($ty:ty),*) => {
        $(impl Numbered for $ty {
            fn place(self) -> i128 {
                let magnitude = i128::from(Real::abs(self).to_bits());
                if self.is_sign_negative() { -magnitude } else { magnitude }
            }
        })*
    };
}

numbered!(f16, bf16, f32, f64);

impl Rule {
    fn holds<T: Numbered>(self, a: T, b: T) -> bool {
        let (x, y) = (a.to_f64(), b.to_f64());
        if x.is_nan() || y.is_nan() {
            return x.is_nan() && y.is_nan();
        }
        if matches!(self, Rule::Same) {
            return a.same(&b);
        }
        x == y || self.is_near(x, y, a.place().abs_diff(b.place()))
    }

    /// Whether two numbers that differ, `steps` values of their type apart, are near enough.
    fn is_near(self, x: f64, y: f64, steps: u128) -> bool {
        match self {
            Rule::Same => false,
            Rule::Absolute { epsilon } => x.abs_diff_eq(&y, epsilon),
            Rule::Relative {
                epsilon,
                max_relative,
            } => x.relative_eq(&y, epsilon, max_relative),
            Rule::Ulps { epsilon, max_ulps } => x.abs_diff_eq(&y, epsilon) || steps <= u128::from(max_ulps),
        }
    }

    fn arrays<T: Element>(self, a: &Tensor, b: &Tensor, same: impl Fn(&T, &T) -> bool) -> bool {
        match (T::unwrap(a), T::unwrap(b)) {
            (Some(a), Some(b)) => a.shape() == b.shape() && zip(a, b).all(|(x, y)| same(x, y)),
            _ => false,
        }
    }

    fn tensors(self, a: &Tensor, b: &Tensor) -> bool {
        match a {
            Tensor::Complex64(_) => self.arrays(a, b, |x: &crate::Complex32, y| {
                self.holds(x.re, y.re) && self.holds(x.im, y.im)
            }),
            Tensor::Complex128(_) => self.arrays(a, b, |x: &crate::Complex64, y| {
                self.holds(x.re, y.re) && self.holds(x.im, y.im)
            }),
            _ => {
                let floats: Result<bool, TensorError> = dispatch!(float, a.dtype(), T => {
                    Ok(self.arrays(a, b, |x: &T, y: &T| self.holds(*x, *y)))
                });
                floats.unwrap_or_else(|_| a.same_bits(b))
            }
        }
    }

    fn values(self, a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Tensor(a), Value::Tensor(b)) => self.tensors(a, b),
            (Value::Sparse(a), Value::Sparse(b)) => {
                a.shape == b.shape && a.indices.same_bits(&b.indices) && self.tensors(&a.values, &b.values)
            }
            (Value::Stored(a), Value::Stored(b)) => a == b,
            (Value::Sequence(a), Value::Sequence(b)) => self.sequences(a, b),
            (Value::Map(a), Value::Map(b)) => {
                a.key == b.key
                    && a.entries.len() == b.entries.len()
                    && zip(&a.entries, &b.entries).all(|(x, y)| x.0 == y.0 && self.values(x.1, y.1))
            }
            (
                Value::Optional { value: a, element },
                Value::Optional {
                    value: b,
                    element: other,
                },
            ) => {
                element.same_kind(other)
                    && match (a, b) {
                        (Some(a), Some(b)) => self.values(a, b),
                        (None, None) => true,
                        _ => false,
                    }
            }
            _ => false,
        }
    }

    fn sequences(self, a: &Sequence, b: &Sequence) -> bool {
        a.element.same_kind(&b.element)
            && a.values.len() == b.values.len()
            && zip(&a.values, &b.values).all(|(x, y)| self.values(x, y))
    }
}

/// Implements the three traits for `$ty`, compared by the method `$compare` of [`Rule`]. By default the
/// tolerances are those that `approx` has for f32.
macro_rules! approximate {
    ($ty:ty, $compare:ident) => {
        /// Whether types, shapes and elements are the same, as [`Tensor::same_bits`] decides.
        impl PartialEq for $ty {
            fn eq(&self, other: &$ty) -> bool {
                Rule::Same.$compare(self, other)
            }
        }

        impl AbsDiffEq for $ty {
            type Epsilon = f64;

            fn default_epsilon() -> f64 {
                f64::from(f32::EPSILON)
            }

            fn abs_diff_eq(&self, other: &$ty, epsilon: f64) -> bool {
                Rule::Absolute { epsilon }.$compare(self, other)
            }
        }

        impl RelativeEq for $ty {
            fn default_max_relative() -> f64 {
                f64::from(f32::EPSILON)
            }

            fn relative_eq(&self, other: &$ty, epsilon: f64, max_relative: f64) -> bool {
                Rule::Relative {
                    epsilon,
                    max_relative,
                }
                .$compare(self, other)
            }
        }

        impl UlpsEq for $ty {
            fn default_max_ulps() -> u32 {
                f32::default_max_ulps()
            }

            fn ulps_eq(&self, other: &$ty, epsilon: f64, max_ulps: u32) -> bool {
                Rule::Ulps { epsilon, max_ulps }.$compare(self, other)
            }
        }
    };
}

approximate!(Tensor, tensors);
approximate!(Value, values);

#[cfg(test)]
mod tests {
    use approx::{abs_diff_eq, assert_abs_diff_eq, assert_relative_eq, relative_eq, ulps_eq};

    use super::*;
    use crate::{DType, F4E2M1, ValueType};

    #[test]
    fn floats_are_compared_by_the_tolerance() {
        let vector = |x: f32| Tensor::vector(vec![1.0, x]);
        assert_abs_diff_eq!(vector(2.0), vector(2.5), epsilon = 0.5);
        assert!(!abs_diff_eq!(vector(2.0), vector(2.5), epsilon = 0.4));
        assert_relative_eq!(vector(200.0), vector(202.0), max_relative = 0.01);
        assert!(!relative_eq!(vector(200.0), vector(203.0), max_relative = 0.01));
    }

    /// Units in the last place are those of the type: one step of f16 at 1 is 2^-10.
    #[test]
    fn steps_are_those_of_the_type() {
        let half = |x: f64| Tensor::scalar(<f16 as Real>::from_f64(x));
        assert!(ulps_eq!(half(1.0), half(1.0 + 2_f64.powi(-10)), max_ulps = 1));
        assert!(!ulps_eq!(half(1.0), half(1.0 + 2_f64.powi(-9)), max_ulps = 1));
        let least = f32::from_bits(1);
        assert!(ulps_eq!(
            Tensor::scalar(least),
            Tensor::scalar(-least),
            epsilon = 0.0,
            max_ulps = 2
        ));
        assert!(!ulps_eq!(
            Tensor::scalar(least),
            Tensor::scalar(-least),
            epsilon = 0.0,
            max_ulps = 1
        ));
    }

    #[test]
    fn equal_means_the_same_bits() {
        assert_eq!(Tensor::scalar(f32::NAN), Tensor::scalar(-f32::NAN));
        assert_ne!(Tensor::scalar(0.0_f32), Tensor::scalar(-0.0_f32));
        assert_abs_diff_eq!(Tensor::scalar(0.0_f32), Tensor::scalar(-0.0_f32), epsilon = 0.0);
        assert!(!abs_diff_eq!(
            Tensor::scalar(f32::NAN),
            Tensor::scalar(0.0_f32),
            epsilon = f64::INFINITY
        ));
    }

    #[test]
    fn types_shapes_and_other_elements_must_be_the_same() {
        let differs = |a: Tensor, b: Tensor| assert!(!abs_diff_eq!(a, b, epsilon = 1e9), "{a:?} {b:?}");
        differs(Tensor::scalar(1_f32), Tensor::scalar(1_f64));
        differs(Tensor::scalar(1_f32), Tensor::vector(vec![1_f32]));
        differs(Tensor::scalar(1_i64), Tensor::scalar(2_i64));
        differs(Tensor::scalar(F4E2M1(1)), Tensor::scalar(F4E2M1(2)));
        let complex = |im: f32| Tensor::scalar(crate::Complex32::new(1.0, im));
        assert_abs_diff_eq!(complex(1.0), complex(1.5), epsilon = 0.5);
        differs(complex(1.0), complex(f32::INFINITY));
    }

    #[test]
    fn values_are_compared_element_by_element() {
        let sequence = |x: &[f32]| {
            Value::Sequence(Sequence {
                element: ValueType::tensor(DType::Float),
                values: x.iter().map(|x| Tensor::scalar(*x).into()).collect(),
            })
        };
        assert_abs_diff_eq!(sequence(&[1.0, 2.0]), sequence(&[1.0, 2.1]), epsilon = 0.2);
        assert!(!abs_diff_eq!(
            sequence(&[1.0]),
            sequence(&[1.0, 2.0]),
            epsilon = 9.0
        ));
        let optional = |value: Option<f32>| Value::Optional {
            element: ValueType::tensor(DType::Float),
            value: value.map(|x| Box::new(Tensor::scalar(x).into())),
        };
        assert_abs_diff_eq!(optional(Some(1.0)), optional(Some(1.1)), epsilon = 0.2);
        assert!(!abs_diff_eq!(optional(Some(1.0)), optional(None), epsilon = 0.2));
        assert_eq!(optional(None), optional(None));
    }
}
