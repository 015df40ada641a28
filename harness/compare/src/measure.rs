//! Compares two tensors of the same type and shape, element by element.

use num_complex::Complex;
use onnx_tensor::{Element, Tensor};
use run_record::OutputStats;

use super::criteria::{Criteria, Tolerance};
use super::element::Difference;
use super::envelope::{AnswerSets, Envelope};
use super::scalar::{Scalar, Whole, text};
use super::tally::{BoundStatus, ElementContext, Measured, Tally};

/// The statistics of one output.
pub fn measure(name: &str, expected: &Tensor, observed: &Tensor, criteria: &Criteria<'_>) -> Measured {
    let envelope = criteria.envelopes.of(name, expected);
    let allowance = (criteria.allowance)(name, expected.dtype());
    let tolerance = criteria.official;
    let stats = empty(name, expected, envelope, allowance.to_string());
    let mut walk = Walk {
        radii: envelope.map(|envelope| envelope.radius.iter()),
        answers: envelope.map(|envelope| &envelope.answers),
        unknown: criteria.envelopes.is_unknown(name),
        tolerance,
        tally: Tally::new(stats, expected, tolerance, allowance, criteria.signed_zeros),
    };
    macro_rules! walk {
        ($method:ident: $($variant:ident)*) => {
            match (expected, observed) {
                $((Tensor::$variant(a), Tensor::$variant(b)) => {
                    let mut centers = match envelope.map(|envelope| &envelope.center) {
                        Some(Tensor::$variant(centers)) => Some(centers.iter()),
                        _ => None,
                    };
                    for (index, (a, b)) in a.iter().zip(b.iter()).enumerate() {
                        let center = centers.as_mut().and_then(Iterator::next);
                        walk.$method(index, a, b, center);
                    }
                    true
                })*
                _ => false,
            }
        };
    }
    let _ = walk!(float: Float Double Float16 Bfloat16 Float8E4M3Fn Float8E4M3Fnuz Float8E5M2 Float8E5M2Fnuz Float4E2M1 Float8E8M0
        Float6E2M3 Float6E3M2)
        || walk!(integer: Uint8 Int8 Uint16 Int16 Int32 Int64 Uint32 Uint64 Uint4 Int4 Uint2 Int2)
        || walk!(complex: Complex64 Complex128)
        || walk!(boolean: Bool)
        || walk!(string: String);
    walk.tally.finish()
}

fn empty(name: &str, expected: &Tensor, envelope: Option<&Envelope>, allowed: String) -> OutputStats {
    let numeric = !matches!(expected, Tensor::String(_) | Tensor::Bool(_));
    let start = if numeric { 0.0 } else { f64::NAN };
    OutputStats {
        name: name.to_owned(),
        dtype: expected.dtype().onnx_name().to_owned(),
        shape: expected.shape().iter().map(|&extent| extent as u64).collect(),
        elements: expected.len() as u64,
        allowed,
        model: envelope.map(|envelope| envelope.model.clone()),
        of_bound: f64::NAN,
        max_abs: start,
        max_rel: start,
        max_ulp: start,
        needed_rtol: start,
        ..OutputStats::default()
    }
}

/// Describes the differences of an output in one line.
pub fn sentence(stats: &OutputStats) -> String {
    let OutputStats {
        name,
        differing,
        elements,
        ..
    } = stats;
    let first = stats.first.first().map_or(String::new(), |first| {
        format!(
            "; first at {:?}: got {}, expected {}",
            first.index, first.actual, first.expected
        )
    });
    let worst = if stats.max_abs.is_nan() {
        String::new()
    } else {
        format!(", max abs {:.3e}", stats.max_abs)
    };
    let bound = match &stats.model {
        Some(_) if stats.of_bound == f64::INFINITY => ", must be exact".to_owned(),
        Some(model) if stats.of_bound > 1.0 => format!(", {:.3} times its bound ({model})", stats.of_bound),
        Some(_) | None => String::new(),
    };
    format!("`{name}`: {differing} of {elements} elements differ{worst}{bound}{first}")
}

/// Whether two floats are equal by the official rule.
fn same_float<T: Scalar>(tolerance: Tolerance, expected: T, center: T) -> bool {
    let difference = Difference::of_floats(expected, center);
    difference.equal || tolerance.admits(difference.absolute, expected.value().abs())
}

/// Iterates over the elements of expected, observed and center, in row-major order.
struct Walk<'a> {
    radii: Option<ndarray::iter::Iter<'a, f64, ndarray::IxDyn>>,
    answers: Option<&'a AnswerSets>,
    /// Whether the bound is unknown because earlier values have errors.
    unknown: bool,
    tolerance: Tolerance,
    tally: Tally<'a>,
}

impl Walk<'_> {
    /// The status of the next element. `agrees` states whether the reference's result agrees with
    /// the stored one by the official rule, and `distance` is the distance of the element from the
    /// reference's result.
    ///
    /// If the two disagree, the bound is about another result than the expected one and explains
    /// nothing. Otherwise a backend that repeats the reference would pass against the data. An
    /// element with several right answers stands by whether `observed` is one of them, if the
    /// stored value is one, too.
    fn standing<T: Copy>(
        &mut self,
        index: usize,
        [expected, observed]: [f64; 2],
        center: Option<T>,
        agrees: impl FnOnce(T) -> bool,
        distance: impl FnOnce(T) -> f64,
    ) -> Option<BoundStatus> {
        let radius = *self.radii.as_mut()?.next()?;
        let center = center?;
        let admits = |value| self.answers.and_then(|answers| answers.admit(index, value));
        match (admits(expected), admits(observed)) {
            (Some(true), Some(true)) => return Some(BoundStatus::Admitted),
            (Some(true), Some(false)) => return Some(BoundStatus::EXACT),
            (Some(true), None) | (Some(false) | None, _) => {}
        }
        Some(if agrees(center) {
            BoundStatus::at(distance(center), radius)
        } else {
            BoundStatus::Unknown
        })
    }

    fn float<T: Scalar>(&mut self, index: usize, a: &T, b: &T, center: Option<&T>) {
        let difference = Difference::of_floats(*a, *b);
        let tolerance = self.tolerance;
        let agrees = |center: &T| same_float(tolerance, *a, *center);
        let standing = self.standing(index, [a.value(), b.value()], center, agrees, |center| {
            Difference::of_floats(*center, *b).absolute
        });
        let magnitude = a.value().abs();
        let circumstance = ElementContext {
            magnitude,
            official: self.tolerance.admits(difference.absolute, magnitude),
            tolerant: true,
            standing: standing.unwrap_or(BoundStatus::Unknown),
        };
        self.tally
            .add(index, difference, &circumstance, || (text(*b), text(*a)));
    }

    fn integer<T: Whole>(&mut self, index: usize, a: &T, b: &T, center: Option<&T>) {
        let (a, b) = (a.whole(), b.whole());
        let difference = Difference::of_integers(a, b);
        let agrees = |center: &T| center.whole() == a;
        let standing = self.standing(index, [a as f64, b as f64], center, agrees, |center| {
            center.whole().abs_diff(b) as f64
        });
        let circumstance = self.exact(difference.absolute, a as f64, standing);
        self.tally.add(index, difference, &circumstance, || {
            (b.to_string(), a.to_string())
        });
    }

    fn complex<T: Scalar + Element>(
        &mut self,
        index: usize,
        a: &Complex<T>,
        b: &Complex<T>,
        center: Option<&Complex<T>>,
    ) {
        let modulus = |z: &Complex<T>| z.re.value().hypot(z.im.value());
        let between = |a: &Complex<T>| {
            let parts = [
                Difference::of_floats(a.re, b.re),
                Difference::of_floats(a.im, b.im),
            ];
            Difference::of_complex(parts, modulus(a))
        };
        let (difference, magnitude) = (between(a), modulus(a));
        let tolerance = self.tolerance;
        let agrees = |center: &Complex<T>| {
            let parts = [
                Difference::of_floats(a.re, center.re),
                Difference::of_floats(a.im, center.im),
            ];
            let difference = Difference::of_complex(parts, magnitude);
            difference.equal || tolerance.admits(difference.absolute, magnitude)
        };
        // Complex numbers have no order, and no operator on them a jump.
        let standing = self.standing(index, [f64::NAN; 2], center, agrees, |center| {
            between(center).absolute
        });
        let circumstance = ElementContext {
            magnitude,
            official: self.tolerance.admits(difference.absolute, magnitude),
            tolerant: true,
            standing: standing.unwrap_or(BoundStatus::Unknown),
        };
        let text = |z: &Complex<T>| format!("{}{:+}i", z.re.value(), z.im.value());
        self.tally
            .add(index, difference, &circumstance, || (text(b), text(a)));
    }

    fn boolean(&mut self, index: usize, a: &bool, b: &bool, center: Option<&bool>) {
        let number = |flag: &bool| f64::from(u8::from(*flag));
        let agrees = |center: &bool| center == a;
        let values = [number(a), number(b)];
        let standing = self.standing(index, values, center, agrees, |center| {
            (number(center) - number(b)).abs()
        });
        let circumstance = self.exact(f64::from(u8::from(a != b)), f64::from(*a), standing);
        self.tally
            .add(index, Difference::of_equality(a == b), &circumstance, || {
                (b.to_string(), a.to_string())
            });
    }

    fn string(&mut self, index: usize, a: &String, b: &String, _: Option<&String>) {
        let circumstance = self.exact(f64::INFINITY, 0.0, None);
        self.tally
            .add(index, Difference::of_equality(a == b), &circumstance, || {
                (format!("{b:?}"), format!("{a:?}"))
            });
    }

    /// The context of an element of an exact type. The official runner applies its tolerance to integers
    /// and booleans as well.
    fn exact(&self, absolute: f64, magnitude: f64, standing: Option<BoundStatus>) -> ElementContext {
        let magnitude = magnitude.abs();
        ElementContext {
            magnitude,
            official: self.tolerance.admits(absolute, magnitude),
            tolerant: false,
            standing: standing.unwrap_or(if self.unknown {
                BoundStatus::Unknown
            } else {
                BoundStatus::EXACT
            }),
        }
    }
}
