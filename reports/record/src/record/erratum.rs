//! The kinds of faulty tests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a case cannot be used to judge a backend, according to the errata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Erratum {
    /// The specification defines other outputs than the stored ones, or none.
    WrongData,
    /// The specification was changed after the release without a new version; the case follows the older
    /// text.
    AmendedSpecification,
    /// The specification is ambiguous, or does not define the result.
    AmbiguousSpecification,
    /// Two runs need not have the same result.
    Nondeterministic,
    /// The stored outputs contain the rounding errors, or the choices, of the library that computed
    /// them.
    LibraryDependent,
    /// The model imports an opset in which its nodes have another meaning than the stored outputs, or
    /// none.
    WrongOpsetImport,
    /// The model has an operator that its release published as experimental: outside the versioned
    /// operator sets, and subject to removal in the next release.
    ExperimentalOperator,
    /// The corpus does not contain the complete model and data, so that nothing can be run.
    IncompleteData,
}

impl Erratum {
    /// All kinds, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::WrongData,
        Self::AmendedSpecification,
        Self::AmbiguousSpecification,
        Self::Nondeterministic,
        Self::LibraryDependent,
        Self::WrongOpsetImport,
        Self::ExperimentalOperator,
        Self::IncompleteData,
    ];

    /// Whether the kind implies that the right outputs differ from the stored ones.
    pub const fn has_right_answer(self) -> bool {
        matches!(
            self,
            Self::WrongData | Self::AmendedSpecification | Self::WrongOpsetImport
        )
    }

    /// The stable key in the ledger and other files.
    pub const fn key(self) -> &'static str {
        match self {
            Self::WrongData => "wrong-data",
            Self::AmendedSpecification => "amended-specification",
            Self::AmbiguousSpecification => "ambiguous-specification",
            Self::Nondeterministic => "nondeterministic",
            Self::LibraryDependent => "library-dependent",
            Self::WrongOpsetImport => "wrong-opset-import",
            Self::ExperimentalOperator => "experimental-operator",
            Self::IncompleteData => "incomplete-data",
        }
    }

    /// The name in reports.
    pub const fn label(self) -> &'static str {
        match self {
            Self::WrongData => "wrong data",
            Self::AmendedSpecification => "amended specification",
            Self::AmbiguousSpecification => "ambiguous specification",
            Self::WrongOpsetImport => "wrong opset import",
            Self::ExperimentalOperator => "experimental operator",
            Self::IncompleteData => "incomplete data",
            other => other.key(),
        }
    }
}
