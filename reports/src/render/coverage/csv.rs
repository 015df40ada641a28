//! The tables for spreadsheets. Lists in a field are separated by `;`, an empty field means that there
//! is no value.

use std::collections::BTreeSet;

use super::assignments;
use crate::render::RenderError;
use crate::render::table::{Cell, Field, Table};
use run_record::coverage::{Coverage, Gap, Matrix, Seen, VersionCoverage};
use run_record::{Report, Tally};

/// A row of `coverage.csv`.
struct Row<'a> {
    covered: &'a VersionCoverage<'a>,
    is_implemented: bool,
}

/// One row for each operator version of the catalogue. `types` and `attributes` list the values in cases
/// with the number of cases: `T=float:12;T1=int64:12`.
pub fn coverage_csv(coverage: &Coverage, implemented: &BTreeSet<String>) -> Result<String, RenderError> {
    let rows = coverage.versions.iter().map(|covered| Row {
        covered,
        is_implemented: implemented.contains(&covered.version.id()),
    });
    Table::of(&fields(), rows).csv()
}

fn fields<'a>() -> Vec<Field<Row<'a>>> {
    vec![
        ("domain", |row| row.covered.version.domain.as_str().into()),
        ("operator", |row| row.covered.version.name.as_str().into()),
        ("since", |row| row.covered.version.since.into()),
        ("deprecated", |row| row.covered.version.deprecated.into()),
        ("implemented", |row| row.is_implemented.into()),
        ("official_cases", |row| row.covered.official_and_own().0.into()),
        ("own_cases", |row| row.covered.official_and_own().1.into()),
        ("types_seen", |row| {
            types(row.covered)
                .map(|(_, seen)| seen.len())
                .sum::<usize>()
                .into()
        }),
        ("types_allowed", |row| {
            let parameters = row.covered.version.parameters.iter();
            parameters
                .map(|parameter| parameter.types.len())
                .sum::<usize>()
                .into()
        }),
        ("attributes_given", |row| given(row.covered).into()),
        ("attributes_declared", |row| {
            row.covered.version.attributes.len().into()
        }),
        ("types", |row| counted(types(row.covered)).into()),
        ("attributes", |row| counted(values(row.covered)).into()),
    ]
}

fn types<'a>(covered: &'a VersionCoverage<'a>) -> impl Iterator<Item = (&'a String, Seen<'a>)> {
    let parameters = covered.version.parameters.iter();
    parameters.map(|parameter| (&parameter.name, covered.types(parameter)))
}

fn values<'a>(covered: &'a VersionCoverage<'a>) -> impl Iterator<Item = (&'a String, Seen<'a>)> {
    let attributes = covered.version.attributes.iter();
    attributes.map(|attribute| (&attribute.name, covered.values(attribute)))
}

/// The number of attributes that some case gives.
fn given(covered: &VersionCoverage<'_>) -> usize {
    let attributes = covered.version.attributes.iter();
    attributes
        .filter(|attribute| covered.given(attribute) > 0)
        .count()
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

/// One row for each gap.
pub fn gaps_csv(coverage: &Coverage) -> Result<String, RenderError> {
    let names = [
        "domain",
        "operator",
        "since",
        "gap",
        "parameter",
        "type",
        "attribute",
        "value",
    ];
    let mut table = Table::new(names);
    for covered in &coverage.versions {
        for gap in covered.gaps() {
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
            let texts = [gap.kind(), parameter, of, attribute, value].map(Cell::from);
            table.push(operator(covered).into_iter().chain(texts));
        }
    }
    table.csv()
}

/// Domain, name and since-version.
fn operator(covered: &VersionCoverage<'_>) -> [Cell; 3] {
    let version = covered.version;
    [
        version.domain.as_str().into(),
        version.name.as_str().into(),
        version.since.into(),
    ]
}

/// One row for each operator version, combination of types and attributes, backend and corpus; `all` is
/// the sum of all corpora. Each gap (a type, an attribute, a value, or a complete version) has a row
/// with 0 cases.
pub fn matrix_csv(report: &Report) -> Result<String, RenderError> {
    let matrix = &Matrix::of(report);
    let mut table = Table::new([
        "corpus",
        "domain",
        "operator",
        "since",
        "types",
        "attributes",
        "optional",
        "backend",
        "cases",
        "passes",
    ]);
    for covered in &matrix.coverage.versions {
        combination_rows(matrix, covered, &mut table);
        untouched_rows(covered, &mut table);
    }
    table.csv()
}

fn combination_rows(matrix: &Matrix, covered: &VersionCoverage, table: &mut Table) {
    for (exercise, cases) in &covered.uses {
        let (types, attributes) = (assignments(&exercise.types), assignments(&exercise.attributes));
        let optional = exercise.optional.join(" ");
        for (corpus, cases) in matrix.by_corpus(cases) {
            for (rank, backend) in matrix.backends.iter().enumerate() {
                let tally = matrix.tally(cases.iter().copied(), rank);
                table.push(row(
                    covered,
                    corpus,
                    [&types, &attributes, &optional],
                    (backend, &tally),
                ));
            }
        }
    }
}

fn untouched_rows(covered: &VersionCoverage, table: &mut Table) {
    let nothing = Tally::default();
    for gap in covered.gaps() {
        let (types, attributes) = match gap {
            Gap::Version => (String::new(), String::new()),
            Gap::Type { parameter, of } => (format!("{parameter}={of}"), String::new()),
            Gap::Attribute { name } => (String::new(), name.to_owned()),
            Gap::Value { attribute, value } => (String::new(), format!("{attribute}={value}")),
            Gap::Combination { .. } => continue,
        };
        table.push(row(covered, "all", [&types, &attributes, ""], ("", &nothing)));
    }
}

fn row(
    covered: &VersionCoverage,
    corpus: &str,
    [types, attributes, optional]: [&str; 3],
    (backend, tally): (&str, &Tally),
) -> impl Iterator<Item = Cell> {
    let last = [Cell::from(tally.total()), tally.passed().into()];
    [Cell::from(corpus)]
        .into_iter()
        .chain(operator(covered))
        .chain([types, attributes, optional, backend].map(Cell::from))
        .chain(last)
}
