//! `operators.html`: all results by operator, on one page beside the report: versions × types ×
//! attribute values × backends, accuracy by type, errata, and gaps.
//!
//! The page lists all operators, and shows the one in its address (`operators.html#operator=Softmax`). A
//! block of the page's data contains some operators, compressed; only the block of the shown operator is
//! read.

mod detail;

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::operators::State;
use super::{COMMON_SCRIPT, STYLE, TABLES_SCRIPT};
use crate::render::RenderError;
use crate::render::coverage::Missing;
use run_record::common::unversioned;
use run_record::coverage::{Matrix, VersionCoverage};
use run_record::text::{percent, thousands};
use run_record::{Outcome, VerdictKind};
use run_record::{Report, Tally};

#[derive(Template)]
#[template(path = "operator_page.html", whitespace = "minimize")]
struct Page<'a> {
    title: String,
    lead: String,
    styles: [&'static str; 2],
    scripts: [&'static str; 4],
    backends: &'a [&'a str],
    corpora: Vec<Corpus<'a>>,
    operators: Vec<Row>,
    index: String,
    blocks: Vec<String>,
}

/// The coverage of one corpus, or of all.
struct Corpus<'a> {
    name: &'a str,
    cases: String,
    versions: String,
    combinations: String,
    /// Passes of each backend.
    passes: Vec<String>,
}

/// An operator in the list.
struct Row {
    /// With its domain, if that is not the main one.
    name: String,
    link: String,
    versions: String,
    cases: String,
    /// The number of types, attributes and values without a case.
    gaps: usize,
    cells: Vec<Cell>,
}

/// The letter of a state, which the style sheet replaces by a sign, and the passes of cases if they
/// differ.
type Cell = (&'static str, String);

/// The versions of one operator, oldest first.
struct Group<'m, 'a> {
    name: String,
    versions: Vec<&'m VersionCoverage<'a>>,
}

impl<'a> Group<'_, 'a> {
    /// The cases of all versions.
    fn cases(&self) -> BTreeSet<&'a str> {
        self.versions.iter().flat_map(|covered| covered.cases()).collect()
    }

    /// Whether a case tests this operator.
    fn is_subject(&self, matrix: &Matrix, case: &str) -> bool {
        let about = matrix.about(case);
        self.versions
            .iter()
            .any(|covered| about == Some(&*covered.version.id()))
    }
}

/// The page as one HTML document.
pub fn operators_html(report: &Report) -> Result<String, RenderError> {
    let matrix = Matrix::of(report);
    let groups = groups(&matrix);
    let page = Page {
        title: format!("Operators of {}", report.title()),
        lead: lead(&matrix),
        styles: [STYLE, include_str!("../../../../templates/operator_page.css")],
        scripts: [
            COMMON_SCRIPT,
            TABLES_SCRIPT,
            include_str!("../../../../templates/parts.js"),
            include_str!("../../../../templates/operator_page.js"),
        ],
        corpora: corpora(&matrix),
        operators: groups
            .iter()
            .map(|group| row(&matrix, group))
            .collect::<Result<_, _>>()?,
        index: detail::index(&matrix, &groups)?,
        blocks: detail::blocks(report, &matrix, &groups)?,
        backends: &matrix.backends,
    };
    Ok(page.render()?)
}

fn groups<'m, 'a>(matrix: &'m Matrix<'a>) -> Vec<Group<'m, 'a>> {
    let mut groups: Vec<Group> = Vec::new();
    // The versions of an operator are adjacent.
    for covered in &matrix.coverage.versions {
        let id = covered.version.id();
        let name = unversioned(&id);
        match groups.last_mut().filter(|group| group.name == name) {
            Some(group) => group.versions.push(covered),
            None => groups.push(Group {
                name: name.to_owned(),
                versions: vec![covered],
            }),
        }
    }
    groups
}

fn row(matrix: &Matrix, group: &Group) -> Result<Row, askama::Error> {
    let cases = group.cases();
    let versions = group
        .versions
        .iter()
        .map(|covered| covered.version.since.to_string());
    let shown = run_record::shown::lines(&group.name);
    Ok(Row {
        name: group.name.clone(),
        link: format!("#operator={}", askama::filters::urlencode_strict(shown.as_ref())?),
        versions: versions.collect::<Vec<_>>().join(", "),
        cases: thousands(cases.len() as u64),
        gaps: group.versions.iter().map(|covered| covered.gaps().len()).sum(),
        cells: cells(matrix, group, &cases),
    })
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

/// `T 1/4 · U 2/2 · 3 of 4 attributes`; parameters of one type are omitted.
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

/// The cells of an operator's row. A failure is attributed to the operator only if the failing case
/// tests it.
fn cells(matrix: &Matrix, group: &Group, cases: &BTreeSet<&str>) -> Vec<Cell> {
    let own_failure = |rank: usize| {
        let mut failing = cases
            .iter()
            .filter(|case| letter(matrix.verdict(case, rank)) == 'b');
        failing.any(|case| group.is_subject(matrix, case))
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

/// Types, attributes and values without a case. Combinations are too many to list here: `cargo xtask
/// coverage --gaps` lists them.
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

fn letter(verdict: VerdictKind) -> char {
    match verdict.outcome() {
        _ if verdict == VerdictKind::Pass => 'p',
        Outcome::Wrong | Outcome::Broken => 'b',
        _ => 'u',
    }
}
