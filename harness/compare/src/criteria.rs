//! What outputs are held against, beside the expected values.

use std::fmt;

use onnx_tensor::DType;

use super::Envelopes;

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

    /// Whether a difference is within; an infinite one never is.
    pub(super) fn admits(self, difference: f64, expected: f64) -> bool {
        difference.is_finite() && difference <= self.absolute + self.relative * expected.abs()
    }

    /// The least relative tolerance, to about an ULP, that admits `difference` beside this absolute one; infinite if none
    /// does.
    pub(super) fn needed_relative(self, difference: f64, expected: f64) -> f64 {
        if !difference.is_finite() {
            return f64::INFINITY;
        }
        let with = |relative| Tolerance { relative, ..self };
        if with(0.0).admits(difference, expected) {
            return 0.0;
        }
        let (mut relative, mut step) = ((difference - self.absolute) / expected.abs(), f64::EPSILON);
        // The quotient is rounded, perhaps down.
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

/// What a policy allows an output.
#[derive(Clone, PartialEq, Debug)]
pub enum Allowance {
    /// The case's own tolerance for floats; nothing for integers, booleans and strings.
    Official,
    /// No difference at all.
    Exact,
    /// This tolerance.
    Tolerance(Tolerance),
    /// This many units in the last place.
    Ulp(f64),
    /// What rounding can do.
    Bound {
        /// What is allowed where no bound is known.
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
            Allowance::Bound { unbounded } => write!(f, "the bound, else {unbounded}"),
        }
    }
}

/// What outputs are held against, beside the expected values.
#[derive(Clone, Copy)]
pub struct Criteria<'a> {
    /// The case's own tolerance, by the official rule.
    pub official: Tolerance,
    /// What the policy allows the output of this name and element type.
    pub allowance: &'a dyn Fn(&str, DType) -> Allowance,
    /// How far rounding can lead.
    pub envelopes: &'a Envelopes,
    /// Whether 0 for −0 is a difference: the operators copy elements, so that no rounding explains it.
    pub signed_zeros: bool,
}

/// The official rule alone, with no bound known.
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
    fn the_needed_tolerance_is_enough_and_hardly_more() {
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
