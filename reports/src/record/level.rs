//! How accurate an answer is.

use serde::{Deserialize, Serialize};

/// How far an output, or a case, is from what is expected, and whether rounding explains it. From good to bad; a case has the
/// level of its worst output. It stands beside the verdict, which a policy decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Every element is equal to the expected one.
    #[default]
    Exact,
    /// Every element lies within the bound of what correct rounding can do.
    WithinRounding,
    /// Within the official tolerance; no bound is known, so that nobody can say whether it is rounding.
    ToleratedNoBound,
    /// Within the official tolerance, and beyond what rounding can do: a finding.
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

    /// The name as people read it.
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
