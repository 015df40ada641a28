//! `contrib.html`: the operators that ONNX Runtime adds, and which of them each backend supports, with which
//! restrictions.
//!
//! The table has one row for each operator and one column for each backend; below it stands, for each
//! operator that some backend does not answer right everywhere, what the cases share that it refuses or
//! answers wrong.

use askama::Template;

use super::{COMMON_SCRIPT, STYLE, TABLES_SCRIPT, case_link};
use crate::render::RenderError;
use crate::render::contrib::limited;
use run_record::Report;
use run_record::support::{Fault, FaultKind, Standing, Support, Supported, supported};
use run_record::text::{counted, thousands};

/// The most cases of one kind that are linked.
const LINKED: usize = 4;

#[derive(Template)]
#[template(path = "contrib.html", whitespace = "minimize")]
struct Page<'a> {
    title: String,
    lead: String,
    styles: [&'static str; 2],
    scripts: [&'static str; 2],
    totals: Vec<Total<'a>>,
    operators: Vec<Row<'a>>,
    restricted: Vec<Restricted<'a>>,
    untested: Vec<&'a str>,
}

/// The operators of a backend by their standing.
struct Total<'a> {
    backend: &'a str,
    full: usize,
    restricted: usize,
    unsupported: usize,
    wrong: usize,
    /// Cases that pass, of all.
    passes: String,
}

/// An operator with a case.
struct Row<'a> {
    name: &'a str,
    cases: String,
    /// Whether a part below names its restrictions.
    restricted: bool,
    cells: Vec<Cell>,
}

/// The letter of a standing, which the style sheet replaces by a sign, and the counts if they differ.
struct Cell {
    state: &'static str,
    text: String,
    /// The share of passes, by which the table is sorted.
    share: String,
}

/// What backends do not answer right of an operator.
struct Restricted<'a> {
    name: &'a str,
    /// The page of the operator, with all of its cases.
    link: String,
    backends: Vec<Limited<'a>>,
}

struct Limited<'a> {
    backend: &'a str,
    passes: String,
    faults: Vec<Line<'a>>,
}

/// Cases that fail in one way.
struct Line<'a> {
    /// `9 refused`.
    what: String,
    is_bad: bool,
    /// What they share.
    limits: String,
    reason: &'a str,
    cases: Vec<(String, &'a str)>,
    more: usize,
}

/// The page as one HTML document.
pub fn contrib_html(report: &Report) -> Result<String, RenderError> {
    let operators = supported(report);
    let tested: Vec<&Supported> = operators.iter().filter(|row| row.cases > 0).collect();
    let untested = operators.iter().filter(|row| row.cases == 0);
    let restricted = tested.iter().filter(|row| is_restricted(row));
    let page = Page {
        title: format!("Operators of ONNX Runtime in {}", report.title()),
        lead: format!(
            "{} of {} operators have cases · {} · {}",
            tested.len(),
            operators.len(),
            counted(tested.iter().map(|row| row.cases).sum::<u64>(), "case"),
            counted(report.backends.len(), "backend")
        ),
        styles: [STYLE, include_str!("../../../templates/contrib.css")],
        scripts: [COMMON_SCRIPT, TABLES_SCRIPT],
        totals: totals(report, &tested),
        operators: tested.iter().map(|row| self::row(row)).collect(),
        restricted: restricted
            .map(|row| self::restricted(row))
            .collect::<Result<_, _>>()?,
        untested: untested.map(|row| row.version.name.as_str()).collect(),
    };
    Ok(page.render()?)
}

fn is_restricted(row: &Supported) -> bool {
    row.backends.iter().any(is_explained)
}

/// Whether a part of the page says what a backend does not answer right: not of what it does not know at all.
fn is_explained(support: &Support) -> bool {
    matches!(support.standing, Standing::Restricted | Standing::Wrong)
}

fn totals<'a>(report: &'a Report, tested: &[&Supported]) -> Vec<Total<'a>> {
    let total = |(rank, backend): (usize, &'a run_record::BackendReport)| {
        let own: Vec<&Support> = tested.iter().filter_map(|row| row.backends.get(rank)).collect();
        let count = |standing| own.iter().filter(|of| of.standing == standing).count();
        Total {
            backend: &backend.info.name,
            full: count(Standing::Full),
            restricted: count(Standing::Restricted),
            unsupported: count(Standing::Unsupported),
            wrong: count(Standing::Wrong),
            passes: format!(
                "{} of {}",
                thousands(own.iter().map(|of| of.tally.passed()).sum()),
                thousands(own.iter().map(|of| of.tally.total()).sum())
            ),
        }
    };
    report.backends.iter().enumerate().map(total).collect()
}

fn row<'a>(row: &'a Supported) -> Row<'a> {
    Row {
        name: &row.version.name,
        cases: thousands(row.cases),
        restricted: is_restricted(row),
        cells: row.backends.iter().map(cell).collect(),
    }
}

fn cell(support: &Support) -> Cell {
    let passes = || {
        format!(
            "{}/{}",
            thousands(support.tally.passed()),
            thousands(support.tally.total())
        )
    };
    let (state, text) = match support.standing {
        Standing::Untested => ("e", String::new()),
        Standing::Full => ("f", String::new()),
        Standing::Restricted => ("p", passes()),
        Standing::Unsupported => ("l", String::new()),
        Standing::Wrong => ("b", passes()),
    };
    let share = match support.tally.total() {
        0 => String::new(),
        total => format!("{:.4}", support.tally.passed() as f64 / total as f64),
    };
    Cell { state, text, share }
}

fn restricted<'a>(row: &'a Supported) -> Result<Restricted<'a>, askama::Error> {
    let id = row.version.id();
    let operator = run_record::common::unversioned(&id);
    let shown = run_record::shown::lines(operator);
    let backends = row.backends.iter().filter(|support| is_explained(support));
    Ok(Restricted {
        name: &row.version.name,
        link: format!(
            "operators.html#operator={}",
            askama::filters::urlencode_strict(shown.as_ref())?
        ),
        backends: backends.map(limits).collect::<Result<_, _>>()?,
    })
}

fn limits<'f>(support: &'f Support) -> Result<Limited<'f>, askama::Error> {
    Ok(Limited {
        backend: support.backend,
        passes: format!(
            "{} of {} right",
            thousands(support.tally.passed()),
            thousands(support.tally.total())
        ),
        faults: support.faults.iter().map(line).collect::<Result<_, _>>()?,
    })
}

fn line<'f, 'a>(fault: &'f Fault<'a>) -> Result<Line<'f>, askama::Error> {
    let linked = fault.cases.iter().take(LINKED);
    let linked = linked.map(|&case| Ok((case_link(case)?, case)));
    Ok(Line {
        what: format!("{} {}", thousands(fault.cases.len() as u64), fault.kind.word()),
        is_bad: fault.kind >= FaultKind::Crash,
        limits: match fault.limits.as_slice() {
            [] => "nothing in common that passing cases lack".to_owned(),
            _ => limited(fault),
        },
        reason: &fault.reason,
        cases: linked.collect::<Result<_, askama::Error>>()?,
        more: fault.cases.len().saturating_sub(LINKED),
    })
}
