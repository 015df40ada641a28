//! Comparing one element.

use super::ulp::{Ordinal, ulp_distance};

/// How far a float may be off: `|observed − expected| ≤ absolute + relative · |expected|`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Part of the expected value.
    pub relative: f64,
    /// In the unit of the output.
    pub absolute: f64,
}

impl Tolerance {
    /// No tolerance.
    pub const EXACT: Tolerance = Tolerance {
        relative: 0.0,
        absolute: 0.0,
    };

    /// Whether a finite difference is within.
    fn admits(self, difference: f64, expected: f64) -> bool {
        difference <= self.absolute + self.relative * expected.abs()
    }
}

/// How one element differs. An infinity or NaN against anything but itself has infinite errors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    pub absolute: f64,
    pub relative: f64,
    pub ulp: f64,
    pub within: bool,
}

impl Difference {
    const NONE: Difference = Difference {
        absolute: 0.0,
        relative: 0.0,
        ulp: 0.0,
        within: true,
    };
    const INFINITE: Difference = Difference {
        absolute: f64::INFINITY,
        relative: f64::INFINITY,
        ulp: f64::INFINITY,
        within: false,
    };

    /// Of two exact values (booleans, strings): equal or not, without a size.
    pub fn of_equality(equal: bool) -> Difference {
        Difference {
            absolute: f64::NAN,
            relative: f64::NAN,
            ulp: f64::NAN,
            within: equal,
        }
    }

    /// Of two integers, which must be equal.
    pub fn of_integers(expected: i128, observed: i128) -> Difference {
        let absolute = expected.abs_diff(observed) as f64;
        Difference {
            absolute,
            relative: relative(absolute, expected as f64),
            ulp: absolute,
            within: absolute == 0.0,
        }
    }

    /// Of two floats.
    pub fn of_floats<T: Ordinal>(expected: (T, f64), observed: (T, f64), tolerance: Tolerance) -> Difference {
        let ((expected_bits, expected), (observed_bits, observed)) = (expected, observed);
        if expected == observed || expected.is_nan() && observed.is_nan() {
            return Difference::NONE;
        }
        if !expected.is_finite() || !observed.is_finite() {
            return Difference::INFINITE;
        }
        let absolute = (expected - observed).abs();
        Difference {
            absolute,
            relative: relative(absolute, expected),
            ulp: ulp_distance(expected_bits, observed_bits),
            within: tolerance.admits(absolute, expected),
        }
    }

    /// Of two complex numbers: the greater errors of both parts, the tolerance on the modulus as NumPy has it.
    pub fn of_complex(parts: [Difference; 2], modulus: f64, tolerance: Tolerance) -> Difference {
        let [re, im] = parts;
        let absolute = re.absolute.hypot(im.absolute);
        Difference {
            absolute,
            relative: relative(absolute, modulus),
            ulp: re.ulp.max(im.ulp),
            within: absolute == 0.0 || absolute.is_finite() && tolerance.admits(absolute, modulus),
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

/// What the official runner says of two integers or booleans: it applies the tolerance to them as well.
pub fn official_integers(expected: f64, observed: f64, tolerance: Tolerance) -> bool {
    tolerance.admits((expected - observed).abs(), expected)
}
