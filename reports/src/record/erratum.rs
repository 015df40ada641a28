//! In what way a test itself is wrong.

use serde::{Deserialize, Serialize};

/// In what way a case is no ground to judge a backend by, as the errata ledger says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Erratum {
    /// The specification says what the outputs are, or that there can be none, and the stored ones are others.
    WrongData,
    /// The specification was changed in place, under the same version, after the release; the case follows the older one.
    AmendedSpecification,
    /// The specification can be read in more than one way, or says nothing.
    AmbiguousSpecification,
    /// No two runs need give the same.
    Nondeterministic,
    /// The stored outputs hold the rounding errors, or the choices, of the library that made them.
    LibraryDependent,
    /// The model imports an opset in which its nodes mean something else than the stored outputs, or nothing.
    WrongOpsetImport,
    /// The model has an operator that its release published as experimental: outside the versioned operator sets, and
    /// free to go in the next release.
    ExperimentalOperator,
    /// The model or its data is not in the corpus, so that there is nothing to run.
    IncompleteData,
}

impl Erratum {
    /// All of them, in the order in which reports list them.
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

    /// Whether the kind itself says that something else is right than what is stored.
    pub const fn has_right_answer(self) -> bool {
        matches!(
            self,
            Self::WrongData | Self::AmendedSpecification | Self::WrongOpsetImport
        )
    }

    /// The stable key, as the ledger and other files spell it.
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

    /// The name as people read it.
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
