//! `report.html`: one page for people, without network, fonts or scripts from elsewhere.
//!
//! The page answers, in this order: how did each backend do, and how accurate are its answers; how whole models stand beside their own noise; what failed, and why, and how do I
//! repeat it; which operators are affected; which suites and releases; how large the errors are; how fast; where did the
//! time go; under which conditions. Passes are only counted. It works
//! without its script, which adds filters, copying and the choice of theme.
//!
//! Each section is a file here, which turns the report into what the section's template shows, and a template of the same
//! name in `templates/`. The templates hold no logic, and askama escapes every value.

pub(super) mod chart;
mod coverage;
mod errors;
mod failures;
mod findings;
mod levels;
mod models;
mod operators;
mod suites;
mod totals;
mod under;
mod variants;

use askama::Template;

pub use coverage::coverage_html;

use super::{RenderError, latencies};
use crate::Report;
use crate::text::{seconds, thousands};

const STYLE: &str = include_str!("../../../templates/page.css");
const COMMON_SCRIPT: &str = include_str!("../../../templates/common.js");

#[derive(Template)]
#[template(path = "page.html", whitespace = "minimize")]
struct Page<'a> {
    title: String,
    lead: String,
    incomplete: bool,
    /// What must be known before the figures are read.
    caveats: Vec<String>,
    /// Whether there are cases to speak of; a bench has none.
    judged: bool,
    style: &'static str,
    scripts: [&'static str; 2],
    /// Whether there is a page of coverage beside this one.
    covered: bool,
    backends: Vec<&'a str>,
    /// Whether any answer was held against an expected one.
    levelled: bool,
    totals: totals::Totals,
    findings: findings::Findings,
    variants: variants::Variants,
    levels: levels::Levels,
    models: models::Models,
    failures: failures::Failures,
    operators: operators::Operators,
    matrices: Vec<suites::Matrix>,
    errors: errors::Errors,
    latencies: latencies::Latencies,
    under: under::Under<'a>,
}

/// The page as one HTML document.
pub fn html(report: &Report) -> Result<String, RenderError> {
    let page = Page {
        title: report.title(),
        lead: lead(report),
        incomplete: !report.complete,
        caveats: super::caveats(report),
        judged: report.judged(),
        style: STYLE,
        scripts: [COMMON_SCRIPT, include_str!("../../../templates/page.js")],
        covered: !report.catalogue.is_empty(),
        backends: report
            .backends
            .iter()
            .map(|backend| backend.info.name.as_str())
            .collect(),
        levelled: report.levelled(),
        totals: totals::totals(report),
        findings: findings::findings(report),
        variants: variants::variants(report),
        levels: levels::levels(report),
        models: models::models(report),
        failures: failures::failures(report),
        operators: operators::operators(report),
        matrices: suites::matrices(report),
        errors: errors::errors(report),
        latencies: latencies::latencies(report)?,
        under: under::under(report),
    };
    Ok(page.render()?)
}

/// What was run, when and for how long, in one line.
fn lead(report: &Report) -> String {
    let several = |count: u64, thing: &str| {
        format!(
            "{} {thing}{}",
            thousands(count),
            if count == 1 { "" } else { "s" }
        )
    };
    let mut parts = vec![
        match report.judged() {
            true => several(report.selected(), "case"),
            false => format!("{} series of runs", thousands(report.latencies.len() as u64)),
        },
        several(report.backends.len() as u64, "backend"),
    ];
    if !report.started.started.is_empty() {
        parts.push(report.started.started.replace('T', " ").replace('Z', " UTC"));
    }
    if report.wall_s > 0.0 {
        parts.push(seconds(report.wall_s));
    }
    if report.resumed > 0 {
        parts.push(format!("resumed {}", several(u64::from(report.resumed), "time")));
    }
    parts.join(" · ")
}
