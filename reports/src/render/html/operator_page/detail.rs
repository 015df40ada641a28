//! The details of one operator on the page.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Group, about, letter, missing};
use crate::render::RenderError;
use crate::render::coverage::{Missing, assignments};
use crate::render::html::blocks::{block, plain};
use crate::render::html::heat::is_shown;
use run_record::Report;
use run_record::coverage::{Matrix, VersionCoverage};
use run_record::text::ulp;
use run_record::{CaseRecord, Exercise, Verdict};

/// The number of operators of one block.
const OPERATORS: usize = 12;

#[derive(Serialize)]
struct Index<'a> {
    backends: &'a [&'a str],
    corpora: &'a [&'a str],
    /// The number of operators of one block.
    block: usize,
    operators: Vec<&'a str>,
}

#[derive(Serialize)]
struct Operator<'a> {
    name: &'a str,
    versions: Vec<Version>,
    cases: Vec<Case<'a>>,
    accuracy: Vec<Accuracy>,
    errata: Vec<Erratum<'a>>,
}

#[derive(Serialize)]
struct Version {
    id: String,
    /// How much of the specification is exercised.
    about: String,
    /// Types, attributes, and the indices of the cases that have them.
    uses: Vec<(String, String, Vec<usize>)>,
    /// The gaps, with their kinds.
    missing: Vec<(String, String)>,
}

/// Id; its corpora, a bit each; a letter for each backend (passed, unsupported, bad); the index of the
/// version that it tests (−1 if none); whether it has a page of its own.
type Case<'a> = (&'a str, u64, String, i64, bool);

/// The errors of right answers of one element type.
#[derive(Serialize)]
struct Accuracy {
    dtype: String,
    /// For each backend: answers, elements by their error in bins of ULP, and the largest error.
    backends: Vec<(u64, Vec<u64>, String)>,
}

#[derive(Serialize)]
struct Erratum<'a> {
    case: &'a str,
    kind: &'static str,
    text: &'a str,
}

pub(super) fn index(matrix: &Matrix, groups: &[Group]) -> Result<String, RenderError> {
    plain(&Index {
        backends: &matrix.backends,
        corpora: &matrix.corpora,
        block: OPERATORS,
        operators: groups.iter().map(|group| group.name.as_str()).collect(),
    })
}

pub(super) fn blocks(report: &Report, matrix: &Matrix, groups: &[Group]) -> Result<Vec<String>, RenderError> {
    let mut records: BTreeMap<&str, Vec<&CaseRecord>> = BTreeMap::new();
    for record in &report.cases {
        records.entry(&record.case).or_default().push(record);
    }
    let of = |groups: &[Group]| {
        let operators = groups.iter().map(|group| operator(matrix, group, &records));
        block(&operators.collect::<Vec<_>>())
    };
    groups.chunks(OPERATORS).map(of).collect()
}

fn operator<'g>(
    matrix: &Matrix<'g>,
    group: &'g Group<'_, 'g>,
    records: &BTreeMap<&'g str, Vec<&'g CaseRecord>>,
) -> Operator<'g> {
    let cases: Vec<&str> = group.cases().into_iter().collect();
    let places: BTreeMap<&str, usize> = cases
        .iter()
        .zip(0..)
        .map(|(&case, place)| (case, place))
        .collect();
    let of = |case: &str| -> Vec<&'g CaseRecord> { records.get(case).cloned().unwrap_or_default() };
    let own: Vec<&CaseRecord> = cases
        .iter()
        .filter(|case| group.is_subject(matrix, case))
        .flat_map(|case| of(case))
        .collect();
    let disputed = cases
        .iter()
        .filter_map(|case| of(case).first().copied())
        .filter_map(erratum);
    Operator {
        name: &group.name,
        versions: group
            .versions
            .iter()
            .map(|covered| version(covered, &places))
            .collect(),
        accuracy: accuracy(matrix, &own),
        errata: disputed.collect(),
        cases: cases.iter().map(|&case| shown(matrix, group, case)).collect(),
    }
}

fn version(covered: &VersionCoverage, places: &BTreeMap<&str, usize>) -> Version {
    let uses = covered.uses.iter().map(|(exercise, cases)| {
        let places = cases.iter().filter_map(|case| places.get(case).copied());
        (
            assignments(&exercise.types),
            with_optional(exercise),
            places.collect(),
        )
    });
    Version {
        id: covered.version.id(),
        about: about(covered),
        uses: uses.collect(),
        missing: missing(&Missing::of(covered)),
    }
}

/// The attributes of a use, then its optional inputs and outputs.
fn with_optional(exercise: &Exercise) -> String {
    let attributes = assignments(&exercise.attributes);
    match exercise.optional.as_slice() {
        [] => attributes,
        names => format!("{attributes} with {}", names.join(" "))
            .trim_start()
            .to_owned(),
    }
}

fn shown<'c>(matrix: &Matrix, group: &Group, case: &'c str) -> Case<'c> {
    let corpora = matrix.corpora.iter().zip(0_u32..);
    let bits = corpora
        .filter(|(corpus, _)| matrix.is_in(case, corpus))
        .filter_map(|(_, place)| 1_u64.checked_shl(place));
    let verdicts: Vec<_> = (0..matrix.backends.len())
        .map(|rank| matrix.verdict(case, rank))
        .collect();
    let about = matrix.about(case);
    let place = group
        .versions
        .iter()
        .position(|covered| about == Some(&*covered.version.id()));
    let kinds: Vec<_> = verdicts.iter().copied().map(Some).collect();
    (
        case,
        bits.sum(),
        verdicts.into_iter().map(letter).collect(),
        place.and_then(|place| i64::try_from(place).ok()).unwrap_or(-1),
        is_shown(&kinds),
    )
}

/// The right answers of a backend: their number, the number of elements by error in ULP, and the largest
/// error.
type Errors = (u64, Vec<u64>, f64);

/// The errors of the right answers of each backend, by element type.
fn accuracy(matrix: &Matrix, records: &[&CaseRecord]) -> Vec<Accuracy> {
    let mut types: BTreeMap<&str, Vec<Errors>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.verdict == Verdict::Pass) {
        let Some(rank) = matrix.backends.iter().position(|name| *name == record.backend) else {
            continue;
        };
        for output in record.outputs.iter().filter(|output| !output.ulps.is_empty()) {
            let backends = types
                .entry(&output.dtype)
                .or_insert_with(|| vec![(0, Vec::new(), 0.0); matrix.backends.len()]);
            let Some((answers, ulps, worst)) = backends.get_mut(rank) else {
                continue;
            };
            *answers += 1;
            *worst = worst.max(output.max_ulp);
            if ulps.len() < output.ulps.len() {
                ulps.resize(output.ulps.len(), 0);
            }
            for (sum, count) in ulps.iter_mut().zip(&output.ulps) {
                *sum += count;
            }
        }
    }
    let shown = |(dtype, backends): (&str, Vec<Errors>)| Accuracy {
        dtype: dtype.to_owned(),
        backends: backends
            .into_iter()
            .map(|(answers, ulps, worst)| {
                (
                    answers,
                    ulps,
                    if answers > 0 { ulp(worst) } else { String::new() },
                )
            })
            .collect(),
    };
    types.into_iter().map(shown).collect()
}

/// The erratum of a case; `None` if it has none.
fn erratum(record: &CaseRecord) -> Option<Erratum<'_>> {
    let Verdict::Disputed(kind) = record.verdict else {
        return None;
    };
    // The text after the bracket is specific to this backend.
    let text = record.reason.split(" [").next().unwrap_or_default();
    Some(Erratum {
        case: &record.case,
        kind: kind.label(),
        text,
    })
}
