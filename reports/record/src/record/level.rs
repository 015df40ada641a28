//! The accuracy of an answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The distance of an output, or of a case, from the expected one, and whether rounding explains it.
/// Sorted from good to bad; a case has the level of its worst output. The verdict is separate: a policy
/// decides it.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Every element equals the expected one.
    #[default]
    Exact,
    /// Every element is within the bound of the rounding error.
    WithinRounding,
    /// Within the official tolerance; no bound is known, so that it is unknown whether rounding explains
    /// the difference.
    ToleratedNoBound,
    /// Within the official tolerance, but beyond the bound of the rounding error: a finding.
    Tolerated,
    /// Neither explained nor within the official tolerance; also another shape, type or count.
    Outside,
}

impl Level {
    /// All levels, from good to bad.
    pub const ALL: [Self; 5] = [
        Self::Exact,
        Self::WithinRounding,
        Self::ToleratedNoBound,
        Self::Tolerated,
        Self::Outside,
    ];

    /// The stable key: lower case, words joined by underscores.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::WithinRounding => "within_rounding",
            Self::ToleratedNoBound => "tolerated_no_bound",
            Self::Tolerated => "tolerated",
            Self::Outside => "outside",
        }
    }

    /// The name in reports.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::WithinRounding => "within rounding",
            Self::ToleratedNoBound => "tolerated, no bound known",
            Self::Tolerated => "tolerated, beyond rounding",
            Self::Outside => "out of tolerance",
        }
    }
}
