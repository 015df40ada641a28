//! What cases exercise of what the specification allows: catalogue and exercises, brought together.
//!
//! A case counts once for an operator version, a type or a value, however many of its nodes use it. An attribute that a node
//! leaves out counts with its default among the values, and not among the attributes that are given.

mod gaps;
mod matrix;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use gaps::Gap;
pub use matrix::Matrix;

use crate::record::{AttributeDomain, CaseExercises, CaseId, Exercise, OperatorVersion, TypeParameter};

/// Every version of a catalogue with what exercises it.
#[derive(Debug, Clone, Default)]
pub struct Coverage<'a> {
    /// In the order of the catalogue.
    pub versions: Vec<VersionCoverage<'a>>,
}

/// One operator version with what exercises it.
#[derive(Debug, Clone)]
pub struct VersionCoverage<'a> {
    /// What it allows.
    pub version: &'a OperatorVersion,
    /// Each distinct use, with the cases that have it, in order.
    pub uses: BTreeMap<&'a Exercise, BTreeSet<&'a str>>,
}

impl<'a> Coverage<'a> {
    /// Brings both together. An exercise of a version that is not in the catalogue is passed over.
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

/// Texts with the number of cases that have them.
pub type Seen<'a> = BTreeMap<&'a str, usize>;

impl<'a> VersionCoverage<'a> {
    /// The cases, each once.
    pub fn cases(&self) -> BTreeSet<&'a str> {
        self.uses.values().flatten().copied().collect()
    }

    /// How many cases are of ONNX's own corpora, and how many of others.
    pub fn official_and_own(&self) -> (usize, usize) {
        let cases = self.cases();
        let official = cases
            .iter()
            .filter(|case| CaseId::parse(case).is_official())
            .count();
        (official, cases.len() - official)
    }

    /// The types that a parameter has in cases, those without a case left out.
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

/// The values of an attribute in one use: those that the node gives, else the default.
fn in_effect<'a>(exercise: &'a Exercise, attribute: &'a AttributeDomain) -> &'a [String] {
    let given = exercise.attributes.get(&attribute.name);
    given.or(attribute.default.as_ref()).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests;
