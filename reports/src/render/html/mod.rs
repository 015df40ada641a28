//! `report.html`: one page for people, without network access, external fonts or scripts.
//!
//! The page shows, in this order: whether the backend may be released, a summary of its results, the
//! worst findings; the failures by backend and reason, with commands that repeat them; the affected
//! domains, opsets, types and operators; the accuracy of the answers; latencies; the conditions of the
//! run. Passes are only counted. Without its script the page shows all of this except single cases; the
//! script adds those from the page's data ([`explorer`]), filters, sorting, copying and the choice of
//! theme.
//!
//! Each section is a file here, which converts the report to the data of the section's template, and a
//! template of the same name in `templates/`. The templates contain no logic, and askama escapes every
//! value.

mod answers;
mod blocks;
mod brief;
mod cards;
mod cases;
pub(super) mod chart;
mod contrib;
mod errors;
pub(crate) mod escape;
mod explorer;
mod facts;
mod failures;
mod findings;
mod glossary;
mod heat;
mod history;
mod levels;
mod models;
mod operator_page;
mod operators;
mod readings;
mod rows;
mod scoreboard;
mod sums;
mod totals;
mod under;
mod variants;
mod worst;

use askama::Template;

pub use cases::cases_html;
pub use contrib::contrib_html;
pub use history::history_html;
pub use operator_page::operators_html;

pub(super) use blocks::plain;
pub(super) use rows::needed_opset;

use super::{RenderError, latencies, news};
use crate::View;
use run_record::GateReport;
use run_record::text::{counted, seconds, thousands};

pub(super) const STYLE: &str = include_str!("../../../templates/page.css");
pub(super) const COMMON_SCRIPT: &str = include_str!("../../../templates/common.js");
pub(super) const FRONT_STYLE: &str = include_str!("../../../templates/front.css");
pub(super) const TABLES_SCRIPT: &str = include_str!("../../../templates/tables.js");
/// In the order of their dependencies.
const SCRIPTS: [&str; 5] = [
    COMMON_SCRIPT,
    TABLES_SCRIPT,
    include_str!("../../../templates/parts.js"),
    include_str!("../../../templates/results.js"),
    include_str!("../../../templates/filter.js"),
];

#[derive(Template)]
#[template(path = "page.html", whitespace = "minimize")]
struct Page<'a> {
    title: String,
    lead: String,
    incomplete: bool,
    /// Facts that a reader of the figures must know.
    caveats: Vec<String>,
    /// Whether there are cases; a bench has none.
    judged: bool,
    styles: [&'static str; 2],
    scripts: [&'static str; 5],
    /// Whether there is a page of coverage beside this one.
    covered: bool,
    /// Whether there is a page of the operators that ONNX Runtime adds.
    contrib: bool,
    backends: Vec<&'a str>,
    /// Whether any answer was compared with an expected one.
    levelled: bool,
    gates: &'a [GateReport],
    news: Vec<news::Section>,
    cards: Vec<cards::Card>,
    worst: Vec<worst::Finding>,
    heat: heat::Heat,
    data: String,
    terms: Vec<glossary::Term>,
    totals: totals::Totals,
    findings: findings::Findings,
    readings: readings::Readings,
    variants: variants::Variants,
    levels: levels::Levels,
    models: models::Models,
    sums: sums::Sums,
    answers: answers::Answers,
    failures: failures::Failures<'a>,
    operators: operators::Operators,
    boards: Vec<scoreboard::Board>,
    errors: errors::Errors,
    latencies: latencies::Latencies,
    under: under::Under<'a>,
}

/// The page as one HTML document.
pub fn html(report: &View) -> Result<String, RenderError> {
    let rows = rows::rows(report);
    let failures = failures::failures(report, &rows)?;
    let (heat, numbers) = heat::heat(report, &rows);
    let page = Page {
        title: report.title(),
        lead: lead(report),
        gates: &report.gates,
        news: news::sections(report)?,
        cards: cards::cards(report),
        worst: worst::worst(report, &rows)?,
        data: explorer::data(report, &rows, &failures, &numbers)?,
        heat,
        terms: glossary::terms(),
        incomplete: !report.complete,
        caveats: super::caveats(report),
        judged: report.judged(),
        styles: [STYLE, FRONT_STYLE],
        scripts: SCRIPTS,
        covered: !report.catalogue.is_empty(),
        contrib: !run_record::support::supported(report).is_empty(),
        backends: report
            .backends
            .iter()
            .map(|backend| backend.info.name.as_str())
            .collect(),
        levelled: report.levelled(),
        totals: totals::totals(report),
        findings: findings::findings(report),
        readings: readings::readings(report),
        variants: variants::variants(report),
        levels: levels::levels(report),
        models: models::models(report),
        sums: sums::sums(report),
        answers: answers::answers(report)?,
        failures,
        operators: operators::operators(report),
        boards: scoreboard::boards(report, &rows),
        errors: errors::errors(report),
        latencies: latencies::latencies(report)?,
        under: under::under(report),
    };
    Ok(page.render()?)
}

/// The address of the page with the details of a case.
pub(super) fn case_link(case: &str) -> Result<String, askama::Error> {
    let shown = run_record::shown::lines(case);
    Ok(format!(
        "cases.html#case={}",
        askama::filters::urlencode_strict(shown.as_ref())?
    ))
}

/// The subject, date and duration of the run, in one line.
fn lead(report: &View) -> String {
    let mut parts = vec![
        if report.judged() {
            counted(report.selected(), "case")
        } else {
            format!("{} series of runs", thousands(report.latencies.len() as u64))
        },
        counted(report.backends.len() as u64, "backend"),
    ];
    if !report.started.started.is_empty() {
        parts.push(report.started.started.replace('T', " ").replace('Z', " UTC"));
    }
    if report.wall_s > 0.0 {
        parts.push(seconds(report.wall_s));
    }
    if report.resumed > 0 {
        parts.push(format!("resumed {}", counted(u64::from(report.resumed), "time")));
    }
    parts.join(" · ")
}
