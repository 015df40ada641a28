//! `coverage.html`: operator versions × types × attributes × backends, a page of its own beside the report.
//!
//! Each operator version is a row, below which its combinations are unfolded. Without its script the page shows all of it;
//! the script finds, narrows, and counts anew for one corpus, for which the page carries the verdicts of each case in short.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use serde::Serialize;

use super::operators::State;
use super::{COMMON_SCRIPT, STYLE};
use crate::coverage::{Matrix, VersionCoverage};
use crate::record::{Outcome, VerdictKind};
use crate::render::RenderError;
use crate::render::coverage::{Missing, assignments};
use crate::text::{percent, thousands};
use crate::{Report, Tally};

#[derive(Template)]
#[template(path = "coverage.html", whitespace = "minimize")]
struct Page<'a> {
    title: String,
    lead: String,
    styles: [&'static str; 2],
    scripts: [&'static str; 2],
    backends: &'a [&'a str],
    columns: usize,
    corpora: Vec<Corpus<'a>>,
    versions: Vec<Version>,
    data: String,
}

/// What one corpus, or all together, exercise.
struct Corpus<'a> {
    name: &'a str,
    cases: String,
    versions: String,
    combinations: String,
    /// Passes of each backend.
    passes: Vec<String>,
}

struct Version {
    name: String,
    /// How much of what is allowed is exercised.
    about: String,
    cases: String,
    cells: Vec<Cell>,
    uses: Vec<Use>,
    /// What no case has, with its kind.
    missing: Vec<(String, String)>,
}

/// A combination of types and attributes.
struct Use {
    types: String,
    attributes: String,
    cases: String,
    cells: Vec<Cell>,
}

/// The letter of a state, which the style sheet turns into a sign, and passes of cases where those differ.
type Cell = (&'static str, String);

/// The page as one HTML document.
pub fn coverage_html(report: &Report) -> Result<String, RenderError> {
    let matrix = Matrix::of(report);
    let page = Page {
        title: format!("{}: coverage", report.title()),
        lead: lead(&matrix),
        styles: [STYLE, include_str!("../../../templates/coverage.css")],
        scripts: [COMMON_SCRIPT, include_str!("../../../templates/coverage.js")],
        columns: matrix.backends.len() + 2,
        corpora: corpora(&matrix),
        versions: matrix
            .coverage
            .versions
            .iter()
            .map(|covered| version(&matrix, covered))
            .collect(),
        data: data(&matrix)?,
        backends: &matrix.backends,
    };
    Ok(page.render()?)
}

fn lead(matrix: &Matrix) -> String {
    let coverage = &matrix.coverage;
    let (all, exercised) = (coverage.versions.len() as u64, coverage.exercised() as u64);
    let combinations: usize = coverage.versions.iter().map(|covered| covered.uses.len()).sum();
    format!(
        "{} of {} operator versions exercised ({}) · {} combinations of types and attributes",
        thousands(exercised),
        thousands(all),
        percent(exercised, all),
        thousands(combinations as u64)
    )
}

/// All corpora together if there are several, then each.
fn corpora<'a>(matrix: &Matrix<'a>) -> Vec<Corpus<'a>> {
    #[derive(Default)]
    struct Sum<'c> {
        cases: BTreeSet<&'c str>,
        versions: usize,
        combinations: usize,
    }
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for covered in &matrix.coverage.versions {
        for (corpus, cases) in matrix.by_corpus(&covered.cases()) {
            let sum = sums.entry(corpus).or_default();
            sum.versions += usize::from(!cases.is_empty());
            sum.cases.extend(cases);
        }
        for cases in covered.uses.values() {
            for (corpus, _) in matrix.by_corpus(cases) {
                sums.entry(corpus).or_default().combinations += 1;
            }
        }
    }
    let all = (matrix.corpora.len() > 1).then_some("all");
    let names = all.into_iter().chain(matrix.corpora.iter().copied());
    let rows = names.map(|name| {
        let sum = sums.remove(name).unwrap_or_default();
        let passes =
            (0..matrix.backends.len()).map(|rank| matrix.tally(sum.cases.iter().copied(), rank).passed());
        Corpus {
            name,
            cases: thousands(sum.cases.len() as u64),
            versions: thousands(sum.versions as u64),
            combinations: thousands(sum.combinations as u64),
            passes: passes.map(thousands).collect(),
        }
    });
    rows.collect()
}

fn version(matrix: &Matrix, covered: &VersionCoverage) -> Version {
    let cases = covered.cases();
    let uses = covered.uses.iter().map(|(exercise, cases)| Use {
        types: assignments(&exercise.types),
        attributes: assignments(&exercise.attributes),
        cases: thousands(cases.len() as u64),
        cells: cells(matrix, &covered.version.id(), cases),
    });
    Version {
        name: covered.version.id(),
        about: about(covered),
        cases: thousands(cases.len() as u64),
        cells: cells(matrix, &covered.version.id(), &cases),
        uses: uses.collect(),
        missing: missing(&Missing::of(covered)),
    }
}

/// `T 1/4 · U 2/2 · 3 of 4 attributes`; parameters of one type are left out.
fn about(covered: &VersionCoverage) -> String {
    let version = covered.version;
    let several = version
        .parameters
        .iter()
        .filter(|parameter| parameter.types.len() > 1);
    let mut words: Vec<String> = several
        .map(|parameter| {
            let (seen, allowed) = (covered.types(parameter).len(), parameter.types.len());
            format!("{} {seen}/{allowed}", parameter.name)
        })
        .collect();
    let given = version
        .attributes
        .iter()
        .filter(|attribute| covered.given(attribute) > 0)
        .count();
    match version.attributes.len() {
        0 => {}
        1 => words.push(format!("{given} of 1 attribute")),
        all => words.push(format!("{given} of {all} attributes")),
    }
    if version.deprecated {
        words.push("withdrawn".to_owned());
    }
    words.join(" · ")
}

/// The cells of a row of the operator version `version`. A failure is put down to it only where the failing case is about it.
fn cells(matrix: &Matrix, version: &str, cases: &BTreeSet<&str>) -> Vec<Cell> {
    let own_failure = |rank: usize| {
        let mut about = cases.iter().filter(|case| matrix.about(case) == Some(version));
        about.any(|case| letter(matrix.verdict(case, rank)) == 'b')
    };
    let cell = |rank| {
        let tally: Tally = matrix.tally(cases.iter().copied(), rank);
        let parts = || format!("{}/{}", thousands(tally.passed()), thousands(tally.total()));
        match State::of(&tally) {
            State::Empty => ("e", String::new()),
            State::Full => ("f", String::new()),
            State::Part => ("p", parts()),
            State::Lacking => ("l", parts()),
            State::Bad if own_failure(rank) => ("b", parts()),
            State::Bad => ("s", parts()),
        }
    };
    (0..matrix.backends.len()).map(cell).collect()
}

/// Types, attributes and values without a case. The combinations would be too many here: `cargo xtask coverage --gaps` has them.
fn missing(missing: &Missing) -> Vec<(String, String)> {
    let types = missing
        .types
        .iter()
        .map(|(parameter, types)| (format!("no case with {parameter}"), types.join(", ")));
    let values = missing
        .values
        .iter()
        .map(|(attribute, values)| (format!("no case with {attribute}"), values.join(", ")));
    let given =
        (!missing.attributes.is_empty()).then(|| ("never given".to_owned(), missing.attributes.join(", ")));
    types.chain(values).chain(given).collect()
}

/// What the script counts from. It holds numbers and the letters `p`, `u` and `b` only: nothing that could end a script.
#[derive(Serialize)]
struct Data {
    /// For each case its corpora, a bit each, its verdict on each backend: passed, not judged, bad; and the place of the version that
    /// it is about, −1 of a model with several.
    cases: Vec<(u64, String, i64)>,
    /// The cases of each row, in the order of the page.
    rows: Vec<Vec<usize>>,
}

fn data(matrix: &Matrix) -> Result<String, RenderError> {
    let versions = || matrix.coverage.versions.iter();
    let cases: BTreeSet<&str> = versions().flat_map(VersionCoverage::cases).collect();
    let places: BTreeMap<&str, usize> = cases
        .iter()
        .enumerate()
        .map(|(place, case)| (*case, place))
        .collect();
    let ids = versions()
        .enumerate()
        .map(|(place, covered)| (covered.version.id(), place));
    let ids: BTreeMap<String, usize> = ids.collect();
    let about = |case: &str| {
        let place = matrix.about(case).and_then(|version| ids.get(version));
        place.and_then(|&place| i64::try_from(place).ok()).unwrap_or(-1)
    };
    let short = |case: &&str| {
        let bit = |(place, _): (usize, &&str)| {
            u32::try_from(place)
                .ok()
                .and_then(|place| 1_u64.checked_shl(place))
        };
        let corpora = matrix
            .corpora
            .iter()
            .enumerate()
            .filter(|(_, corpus)| matrix.is_in(case, corpus));
        let verdicts = (0..matrix.backends.len()).map(|rank| letter(matrix.verdict(case, rank)));
        (corpora.filter_map(bit).sum(), verdicts.collect(), about(case))
    };
    let row = |cases: &BTreeSet<&str>| {
        cases
            .iter()
            .filter_map(|case| places.get(case).copied())
            .collect()
    };
    let data = Data {
        cases: cases.iter().map(short).collect(),
        rows: versions()
            .flat_map(|covered| covered.uses.values())
            .map(row)
            .collect(),
    };
    Ok(serde_json::to_string(&data)?)
}

fn letter(verdict: VerdictKind) -> char {
    match verdict.outcome() {
        _ if verdict == VerdictKind::Pass => 'p',
        Outcome::Wrong | Outcome::Broken => 'b',
        _ => 'u',
    }
}
