//! The tables for spreadsheets. Lists in a field are separated by `;`, an empty field means that there
//! is no value.

use std::collections::BTreeSet;

use serde::Serialize;

use super::assignments;
use crate::render::RenderError;
use crate::render::csv::{Buffer, table};
use run_record::OperatorVersion;
use run_record::coverage::{Coverage, Gap, Matrix, Seen, VersionCoverage};
use run_record::{Report, Tally};

const COVERAGE_COLUMNS: [&str; 13] = [
    "domain",
    "operator",
    "since",
    "deprecated",
    "implemented",
    "official_cases",
    "own_cases",
    "types_seen",
    "types_allowed",
    "attributes_given",
    "attributes_declared",
    "types",
    "attributes",
];

/// One row for each operator version of the catalogue. `types` and `attributes` list the values in cases
/// with the number of cases: `T=float:12;T1=int64:12`.
pub fn coverage_csv(coverage: &Coverage, implemented: &BTreeSet<String>) -> Result<String, RenderError> {
    table(&COVERAGE_COLUMNS, &coverage.versions, |covered, writer| {
        let OperatorVersion {
            domain,
            name,
            since,
            deprecated,
            parameters,
            attributes,
        } = covered.version;
        let (official, own) = covered.official_and_own();
        let types: Vec<_> = parameters
            .iter()
            .map(|parameter| (&parameter.name, covered.types(parameter)))
            .collect();
        let values = attributes
            .iter()
            .map(|attribute| (&attribute.name, covered.values(attribute)));
        let given = attributes
            .iter()
            .filter(|attribute| covered.given(attribute) > 0)
            .count();
        writer.serialize((
            (
                domain,
                name,
                since,
                deprecated,
                implemented.contains(&covered.version.id()),
            ),
            (official, own),
            types.iter().map(|(_, seen)| seen.len()).sum::<usize>(),
            parameters
                .iter()
                .map(|parameter| parameter.types.len())
                .sum::<usize>(),
            (given, attributes.len()),
            counted(types),
            counted(values),
        ))
    })
}

/// `T=float:12;T=double:1`.
fn counted<'a>(seen: impl IntoIterator<Item = (&'a String, Seen<'a>)>) -> String {
    let words = seen.into_iter().flat_map(|(name, seen)| {
        let words = seen
            .into_iter()
            .map(move |(text, cases)| format!("{name}={text}:{cases}"));
        words.collect::<Vec<_>>()
    });
    words.collect::<Vec<_>>().join(";")
}

const GAP_COLUMNS: [&str; 8] = [
    "domain",
    "operator",
    "since",
    "gap",
    "parameter",
    "type",
    "attribute",
    "value",
];

/// One row for each gap.
pub fn gaps_csv(coverage: &Coverage) -> Result<String, RenderError> {
    table(&GAP_COLUMNS, &coverage.versions, |covered, writer| {
        for gap in covered.gaps() {
            let OperatorVersion {
                domain, name, since, ..
            } = covered.version;
            let (parameter, of, attribute, value) = match gap {
                Gap::Version => ("", "", "", ""),
                Gap::Type { parameter, of } => (parameter, of, "", ""),
                Gap::Attribute { name } => ("", "", name, ""),
                Gap::Value { attribute, value } => ("", "", attribute, value),
                Gap::Combination {
                    parameter,
                    of,
                    attribute,
                    value,
                } => (parameter, of, attribute, value),
            };
            writer.serialize((domain, name, since, gap.kind(), parameter, of, attribute, value))?;
        }
        Ok(())
    })
}

#[derive(Serialize)]
struct MatrixRow<'a> {
    corpus: &'a str,
    domain: &'a str,
    operator: &'a str,
    since: u32,
    types: &'a str,
    attributes: &'a str,
    backend: &'a str,
    cases: u64,
    passes: u64,
}

const MATRIX_COLUMNS: [&str; 9] = [
    "corpus",
    "domain",
    "operator",
    "since",
    "types",
    "attributes",
    "backend",
    "cases",
    "passes",
];

/// One row for each operator version, combination of types and attributes, backend and corpus; `all` is
/// the sum of all corpora. Each gap (a type, an attribute, a value, or a complete version) has a row
/// with 0 cases.
pub fn matrix_csv(report: &Report) -> Result<String, RenderError> {
    let matrix = &Matrix::of(report);
    table(&MATRIX_COLUMNS, &matrix.coverage.versions, |covered, writer| {
        combination_rows(matrix, covered, writer)?;
        untouched_rows(covered, writer)
    })
}

fn combination_rows(
    matrix: &Matrix,
    covered: &VersionCoverage,
    writer: &mut Buffer,
) -> Result<(), csv::Error> {
    for (exercise, cases) in &covered.uses {
        let (types, attributes) = (assignments(&exercise.types), assignments(&exercise.attributes));
        for (corpus, cases) in matrix.by_corpus(cases) {
            for (rank, backend) in matrix.backends.iter().enumerate() {
                let tally = matrix.tally(cases.iter().copied(), rank);
                row(covered, corpus, (&types, &attributes), (backend, &tally), writer)?;
            }
        }
    }
    Ok(())
}

fn untouched_rows(covered: &VersionCoverage, writer: &mut Buffer) -> Result<(), csv::Error> {
    let nothing = Tally::default();
    for gap in covered.gaps() {
        let (types, attributes) = match gap {
            Gap::Version => (String::new(), String::new()),
            Gap::Type { parameter, of } => (format!("{parameter}={of}"), String::new()),
            Gap::Attribute { name } => (String::new(), name.to_owned()),
            Gap::Value { attribute, value } => (String::new(), format!("{attribute}={value}")),
            Gap::Combination { .. } => continue,
        };
        row(covered, "all", (&types, &attributes), ("", &nothing), writer)?;
    }
    Ok(())
}

fn row(
    covered: &VersionCoverage,
    corpus: &str,
    (types, attributes): (&str, &str),
    (backend, tally): (&str, &Tally),
    writer: &mut Buffer,
) -> Result<(), csv::Error> {
    writer.serialize(MatrixRow {
        corpus,
        domain: &covered.version.domain,
        operator: &covered.version.name,
        since: covered.version.since,
        types,
        attributes,
        backend,
        cases: tally.total(),
        passes: tally.passed(),
    })
}
