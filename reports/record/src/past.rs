//! The verdicts of cases in earlier runs, beside the results of this one.

use std::collections::BTreeMap;

use crate::VerdictKind;
use crate::trends::TrendRun;

/// Verdicts of earlier runs. Whoever keeps a history fills it in; the page of cases shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// The backends that took part, each with its runs.
    pub backends: Vec<PastBackend>,
    /// The verdicts by case; of each backend, as in `backends`, one for each of its runs.
    pub cases: BTreeMap<String, Vec<Vec<Option<VerdictKind>>>>,
}

/// A backend in earlier runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastBackend {
    /// Its name in reports.
    pub name: String,
    /// Its runs, oldest first.
    pub runs: Vec<TrendRun>,
}
