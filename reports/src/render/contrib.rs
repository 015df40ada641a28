//! Which operators that ONNX Runtime adds each backend supports: the words of the page and the table for
//! spreadsheets.

use super::RenderError;
use super::table::{Field, Table};
use run_record::Report;
use run_record::support::{Fault, FaultKind, Support, Supported, supported};

/// A row of `contrib.csv`.
struct Row<'a> {
    operator: &'a Supported<'a>,
    support: &'a Support<'a>,
}

/// One row for each operator and backend. Lists in a field are separated by `;`: what refused, failing and
/// wrong cases share, with the number of cases, and their ids.
pub fn contrib_csv(report: &Report) -> Result<String, RenderError> {
    let operators = supported(report);
    let rows = operators.iter().flat_map(|operator| {
        let backends = operator.backends.iter();
        backends.map(move |support| Row { operator, support })
    });
    Table::of(&fields(), rows).csv()
}

fn fields<'a>() -> Vec<Field<Row<'a>>> {
    vec![
        ("domain", |row| row.operator.version.domain.as_str().into()),
        ("operator", |row| row.operator.version.name.as_str().into()),
        ("since", |row| row.operator.version.since.into()),
        ("backend", |row| row.support.backend.into()),
        ("standing", |row| row.support.standing.key().into()),
        ("cases", |row| row.support.tally.total().into()),
        ("passes", |row| row.support.tally.passed().into()),
        ("refused", |row| count(row, FaultKind::Refused).into()),
        ("errors", |row| count(row, FaultKind::Error).into()),
        ("crashes", |row| count(row, FaultKind::Crash).into()),
        ("wrong", |row| count(row, FaultKind::Wrong).into()),
        ("restrictions", |row| {
            let faults = row.support.faults.iter();
            let words = faults.map(|fault| format!("{}: {}", fault.kind.word(), limited(fault)));
            words.collect::<Vec<_>>().join(";").into()
        }),
        ("reasons", |row| {
            let faults = row.support.faults.iter();
            let reasons = faults.map(|fault| fault.reason.as_str());
            reasons
                .filter(|reason| !reason.is_empty())
                .collect::<Vec<_>>()
                .join(";")
                .into()
        }),
        ("failing_cases", |row| {
            let faults = row.support.faults.iter();
            let cases: Vec<&str> = faults.flat_map(|fault| fault.cases.iter().copied()).collect();
            cases.join(";").into()
        }),
    ]
}

fn count(row: &Row, kind: FaultKind) -> usize {
    let faults = row.support.faults.iter();
    faults
        .filter(|fault| fault.kind == kind)
        .map(|fault| fault.cases.len())
        .sum()
}

/// `T is double (9), with bias (3), 2 others`; `every case` if none passes.
pub(super) fn limited(fault: &Fault) -> String {
    let limits = fault.limits.iter();
    let mut words: Vec<String> = limits
        .map(|limit| format!("{} ({})", limit.property, limit.cases))
        .collect();
    match (words.is_empty(), fault.rest) {
        (_, 0) => {}
        (true, rest) => words.push(rest.to_string()),
        (false, 1) => words.push("1 other".to_owned()),
        (false, rest) => words.push(format!("{rest} others")),
    }
    words.join(", ")
}
