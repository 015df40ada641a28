//! The criteria for outputs, in addition to the expected values.

use std::fmt;

use harness_corpus::OfficialTolerance;
use onnx_tensor::DType;

use super::Envelopes;

/// The allowed error of a float: `|observed − expected| ≤ absolute + relative · |expected|`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Relative to the magnitude of the expected value.
    pub relative: f64,
    /// Absolute, in the unit of the output.
    pub absolute: f64,
}

impl From<OfficialTolerance> for Tolerance {
    fn from(OfficialTolerance { rtol, atol }: OfficialTolerance) -> Tolerance {
        Tolerance {
            relative: rtol,
            absolute: atol,
        }
    }
}

impl Tolerance {
    /// No tolerance.
    pub const EXACT: Tolerance = Tolerance {
        relative: 0.0,
        absolute: 0.0,
    };

    /// Whether a difference is allowed. An infinite one never is.
    pub(super) fn admits(self, difference: f64, expected: f64) -> bool {
        difference.is_finite() && difference <= self.absolute + self.relative * expected.abs()
    }

    /// The least relative tolerance, to about one ULP, that allows `difference` together with this absolute
    /// one; infinite if there is none.
    pub(super) fn needed_relative(self, difference: f64, expected: f64) -> f64 {
        if !difference.is_finite() {
            return f64::INFINITY;
        }
        let with = |relative| Tolerance { relative, ..self };
        if with(0.0).admits(difference, expected) {
            return 0.0;
        }
        let (mut relative, mut step) = ((difference - self.absolute) / expected.abs(), f64::EPSILON);
        // The quotient may be rounded down.
        while relative.is_finite() && !with(relative).admits(difference, expected) {
            relative *= 1.0 + step;
            step *= 2.0;
        }
        relative
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rtol {:e}, atol {:e}", self.relative, self.absolute)
    }
}

/// The differences that a policy allows for an output.
#[derive(Clone, PartialEq, Debug)]
pub enum Allowance {
    /// The case's own tolerance for floats; no difference for integers, booleans and strings.
    Official,
    /// No difference at all.
    Exact,
    Tolerance(Tolerance),
    /// This number of ULP.
    Ulp(f64),
    /// The bound of rounding errors.
    Bound {
        /// The allowance without a known bound.
        unbounded: Box<Allowance>,
    },
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Allowance::Official => f.write_str("the official tolerance"),
            Allowance::Exact => f.write_str("nothing"),
            Allowance::Tolerance(tolerance) => tolerance.fmt(f),
            Allowance::Ulp(ulp) => write!(f, "{ulp} ULP"),
            Allowance::Bound { unbounded } => write!(f, "the bound, otherwise {unbounded}"),
        }
    }
}

/// The criteria for outputs, in addition to the expected values.
#[derive(Clone, Copy)]
pub struct Criteria<'a> {
    /// The case's own tolerance, for the official rule.
    pub official: Tolerance,
    /// The policy's allowance for the output of this name and element type.
    pub allowance: &'a dyn Fn(&str, DType) -> Allowance,
    /// The bounds of rounding errors.
    pub envelopes: &'a Envelopes,
    /// Whether 0 instead of −0 is a difference: the operators copy elements, so that rounding does not
    /// explain it.
    pub signed_zeros: bool,
}

/// Only the official rule, without known bounds.
impl From<Tolerance> for Criteria<'_> {
    fn from(official: Tolerance) -> Self {
        Criteria {
            official,
            allowance: &|_, _| Allowance::Official,
            envelopes: Envelopes::NONE,
            signed_zeros: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_needed_tolerance_is_minimal() {
        let official = Tolerance {
            relative: 1e-3,
            absolute: 1e-7,
        };
        for (difference, expected) in [(1.0, 3.0), (0.1, -7.0), (1e-3, 1e-3), (1e300, 1e-7)] {
            let relative = official.needed_relative(difference, expected);
            let enough = |relative| Tolerance { relative, ..official }.admits(difference, expected);
            assert!(
                relative.is_infinite() || enough(relative),
                "{difference} of {expected}"
            );
            assert!(
                !enough(relative * (1.0 - 1e-12)),
                "{difference} of {expected}: {relative}"
            );
        }
        assert_eq!(official.needed_relative(1e-7, 0.0), 0.0);
        assert_eq!(official.needed_relative(2e-7, 0.0), f64::INFINITY);
        assert_eq!(
            official.needed_relative(f64::INFINITY, f64::INFINITY),
            f64::INFINITY
        );
    }
}
