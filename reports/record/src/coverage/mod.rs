//! Combines the catalogue of the specification with what cases exercise.
//!
//! A case counts once for an operator version, a type or a value, however many of its nodes use it. An
//! attribute that a node omits counts with its default among the values, but not among the given
//! attributes.

mod gaps;
mod matrix;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use gaps::Gap;
pub use matrix::Matrix;

use crate::{AttributeDomain, CaseExercises, CaseId, Exercise, OperatorVersion, TypeParameter};

/// Every version of a catalogue with its uses.
#[derive(Debug, Clone, Default)]
pub struct Coverage<'a> {
    /// In the order of the catalogue.
    pub versions: Vec<VersionCoverage<'a>>,
}

/// One operator version with its uses.
#[derive(Debug, Clone)]
pub struct VersionCoverage<'a> {
    /// What it allows.
    pub version: &'a OperatorVersion,
    /// Each distinct use with its cases, in order.
    pub uses: BTreeMap<&'a Exercise, BTreeSet<&'a str>>,
}

impl<'a> Coverage<'a> {
    /// Combines a catalogue with exercises. Exercises of versions that are not in the catalogue are
    /// ignored.
    pub fn of(catalogue: &'a [OperatorVersion], cases: impl IntoIterator<Item = &'a CaseExercises>) -> Self {
        let versions = catalogue.iter().map(|version| VersionCoverage {
            version,
            uses: BTreeMap::new(),
        });
        let mut versions: Vec<_> = versions.collect();
        let ids = catalogue
            .iter()
            .enumerate()
            .map(|(at, version)| (version.id(), at));
        let places: HashMap<String, usize> = ids.collect();
        for case in cases {
            for exercise in &case.exercises {
                let place = places
                    .get(&exercise.operator)
                    .and_then(|&at| versions.get_mut(at));
                if let Some(version) = place {
                    version.uses.entry(exercise).or_default().insert(&case.case);
                }
            }
        }
        Self { versions }
    }

    /// Versions that at least one case exercises.
    pub fn exercised(&self) -> usize {
        self.versions
            .iter()
            .filter(|version| !version.uses.is_empty())
            .count()
    }
}

/// Texts with the number of their cases.
pub type Seen<'a> = BTreeMap<&'a str, usize>;

impl<'a> VersionCoverage<'a> {
    /// The cases, each once.
    pub fn cases(&self) -> BTreeSet<&'a str> {
        self.uses.values().flatten().copied().collect()
    }

    /// The numbers of cases in ONNX's own corpora and in others.
    pub fn official_and_own(&self) -> (usize, usize) {
        let cases = self.cases();
        let official = cases
            .iter()
            .filter(|case| CaseId::parse(case).is_official())
            .count();
        (official, cases.len() - official)
    }

    /// The types that a parameter has in cases.
    pub fn types(&self, parameter: &TypeParameter) -> Seen<'a> {
        self.seen(|exercise| exercise.types.get(&parameter.name).map_or(&[], Vec::as_slice))
    }

    /// The number of cases in which a node gives the attribute.
    pub fn given(&self, attribute: &AttributeDomain) -> usize {
        let with = self
            .uses
            .iter()
            .filter(|(exercise, _)| exercise.attributes.contains_key(&attribute.name));
        with.flat_map(|(_, cases)| cases).collect::<BTreeSet<_>>().len()
    }

    /// The values that an attribute has in cases, given or by default.
    pub fn values(&self, attribute: &'a AttributeDomain) -> Seen<'a> {
        self.seen(|exercise| in_effect(exercise, attribute))
    }

    fn seen(&self, texts: impl Fn(&'a Exercise) -> &'a [String]) -> Seen<'a> {
        let mut seen: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (exercise, cases) in &self.uses {
            for text in texts(exercise) {
                seen.entry(text).or_default().extend(cases);
            }
        }
        seen.into_iter()
            .map(|(text, cases)| (text, cases.len()))
            .collect()
    }
}

/// The values of an attribute in one use: the given ones, or else the default.
fn in_effect<'a>(exercise: &'a Exercise, attribute: &'a AttributeDomain) -> &'a [String] {
    let given = exercise.attributes.get(&attribute.name);
    given.or(attribute.default.as_ref()).map_or(&[], Vec::as_slice)
}
