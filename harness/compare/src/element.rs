//! The difference of one element from the expected one.

use super::scalar::Scalar;

/// The difference of one element. The errors are infinite if exactly one is NaN, or an infinity differs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// |observed − expected|.
    pub absolute: f64,
    /// observed − expected; NaN unless both are finite.
    pub signed: f64,
    /// |observed − expected| / |expected|.
    pub relative: f64,
    pub ulp: f64,
    /// Whether both are the same value: NaN equals NaN, and −0 equals 0.
    pub equal: bool,
    /// The special values involved, if any.
    pub special: Option<Special>,
}

/// Disagreements that involve special values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// One is NaN.
    Nan,
    Infinity,
    /// Both are zero, with different signs.
    ZeroSign,
    /// One is subnormal, the other zero.
    Flushed,
}

impl Difference {
    const NONE: Difference = Difference {
        absolute: 0.0,
        signed: 0.0,
        relative: 0.0,
        ulp: 0.0,
        equal: true,
        special: None,
    };

    fn infinite(special: Special) -> Difference {
        Difference {
            absolute: f64::INFINITY,
            signed: f64::NAN,
            relative: f64::INFINITY,
            ulp: f64::INFINITY,
            equal: false,
            special: Some(special),
        }
    }

    /// The difference of two values without a magnitude: booleans, strings.
    pub fn of_equality(equal: bool) -> Difference {
        Difference {
            absolute: f64::NAN,
            signed: f64::NAN,
            relative: f64::NAN,
            ulp: f64::NAN,
            equal,
            special: None,
        }
    }

    /// The difference of two integers.
    pub fn of_integers(expected: i128, observed: i128) -> Difference {
        let absolute = expected.abs_diff(observed) as f64;
        Difference {
            absolute,
            signed: if observed < expected { -absolute } else { absolute },
            relative: relative(absolute, expected as f64),
            ulp: absolute,
            equal: absolute == 0.0,
            special: None,
        }
    }

    /// The difference of two floats.
    pub fn of_floats<T: Scalar>(expected: T, observed: T) -> Difference {
        let (a, b) = (expected.value(), observed.value());
        if a.is_nan() || b.is_nan() {
            let same = a.is_nan() && b.is_nan();
            return if same {
                Difference::NONE
            } else {
                Difference::infinite(Special::Nan)
            };
        }
        if a == b {
            let signs_differ = a == 0.0 && a.is_sign_negative() != b.is_sign_negative();
            return Difference {
                special: signs_differ.then_some(Special::ZeroSign),
                ..Difference::NONE
            };
        }
        if a.is_infinite() || b.is_infinite() {
            return Difference::infinite(Special::Infinity);
        }
        let flushed = expected.is_subnormal() && b == 0.0 || observed.is_subnormal() && a == 0.0;
        Difference {
            absolute: (b - a).abs(),
            signed: b - a,
            relative: relative((b - a).abs(), a),
            ulp: expected.ulp_distance(observed),
            equal: false,
            special: flushed.then_some(Special::Flushed),
        }
    }

    /// The difference of two complex numbers from those of their parts. Magnitudes are moduli, as in NumPy;
    /// ULP is the greater of both.
    pub fn of_complex([re, im]: [Difference; 2], modulus: f64) -> Difference {
        let absolute = re.absolute.hypot(im.absolute);
        Difference {
            absolute,
            signed: re.signed + im.signed,
            relative: relative(absolute, modulus),
            ulp: re.ulp.max(im.ulp),
            equal: re.equal && im.equal,
            special: re.special.or(im.special),
        }
    }
}

fn relative(absolute: f64, expected: f64) -> f64 {
    if absolute == 0.0 {
        0.0
    } else {
        absolute / expected.abs()
    }
}
