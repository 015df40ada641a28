//! Coverage combined with the verdicts of a run: operator versions × types × attributes × backends, over
//! all corpora and for each.

use std::collections::{BTreeMap, BTreeSet};

use super::Coverage;
use crate::VerdictKind;
use crate::report::rank;
use crate::{Report, Tally};

/// The verdicts of a run by what the cases exercise.
#[derive(Debug)]
pub struct Matrix<'a> {
    /// What is exercised, and by which cases.
    pub coverage: Coverage<'a>,
    /// The backends, in the order of the report.
    pub backends: Vec<&'a str>,
    /// The corpora with a case; releases of ONNX are sorted by age.
    pub corpora: Vec<&'a str>,
    /// The corpora of each case.
    places: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// The operator of each case; `None` for a model with several.
    about: BTreeMap<&'a str, &'a str>,
    /// The verdict of each case on each backend; `NotRun` if there is none.
    verdicts: BTreeMap<&'a str, Vec<VerdictKind>>,
}

impl<'a> Matrix<'a> {
    /// The matrix of `report`; without a catalogue there are no versions.
    pub fn of(report: &'a Report) -> Self {
        let backends: Vec<&str> = report
            .backends
            .iter()
            .map(|backend| backend.info.name.as_str())
            .collect();
        let mut verdicts: BTreeMap<&str, Vec<VerdictKind>> = BTreeMap::new();
        for record in &report.cases {
            let row = verdicts
                .entry(&record.case)
                .or_insert_with(|| vec![VerdictKind::NotRun; backends.len()]);
            let place = backends.iter().position(|name| *name == record.backend);
            if let Some(verdict) = place.and_then(|place| row.get_mut(place)) {
                *verdict = record.verdict.kind();
            }
        }
        let about = report
            .cases
            .iter()
            .filter_map(|record| Some((record.case.as_str(), record.accountable_operator()?)));
        let places = report
            .cases
            .iter()
            .map(|record| (record.case.as_str(), record.corpora().collect()));
        let places: BTreeMap<&str, BTreeSet<&str>> = places.collect();
        let corpora: BTreeSet<&str> = places.values().flatten().copied().collect();
        let mut corpora: Vec<&str> = corpora.into_iter().collect();
        corpora.sort_by_key(|corpus| rank(corpus));
        Self {
            coverage: Coverage::of(&report.catalogue, &report.exercises),
            backends,
            corpora,
            places,
            about: about.collect(),
            verdicts,
        }
    }

    /// `cases` as `all`, then those of each corpus that has one.
    pub fn by_corpus<'c>(&self, cases: &BTreeSet<&'c str>) -> Vec<(&'a str, Vec<&'c str>)> {
        let mut parts = vec![("all", cases.iter().copied().collect())];
        for corpus in &self.corpora {
            let own = cases.iter().copied().filter(|case| self.is_in(case, corpus));
            let own: Vec<_> = own.collect();
            if !own.is_empty() {
                parts.push((corpus, own));
            }
        }
        parts
    }

    /// Whether a case belongs to a corpus.
    pub fn is_in(&self, case: &str, corpus: &str) -> bool {
        self.places
            .get(case)
            .is_some_and(|corpora| corpora.contains(corpus))
    }

    /// The operator version of a case, `Softmax-13`; `None` for a model with several, any of which may
    /// cause its failure.
    pub fn about(&self, case: &str) -> Option<&'a str> {
        self.about.get(case).copied()
    }

    /// The verdicts of these cases on the backend with this index.
    pub fn tally<'c>(&self, cases: impl IntoIterator<Item = &'c str>, backend: usize) -> Tally {
        let mut tally = Tally::default();
        for case in cases {
            tally.add(self.verdict(case, backend));
        }
        tally
    }

    /// The verdict of a case on the backend with this index.
    pub fn verdict(&self, case: &str, backend: usize) -> VerdictKind {
        let row = self.verdicts.get(case);
        row.and_then(|row| row.get(backend))
            .copied()
            .unwrap_or(VerdictKind::NotRun)
    }
}
