//! `cases.html`: all details of the log for each case that does not pass on some backend, on one page
//! beside the report.
//!
//! The page shows the case in its address (`cases.html#case=ID`). A block of the page's data contains
//! some cases, compressed; only the block of the shown case is read.

mod data;
mod graph_view;

use askama::Template;

use super::rows::Row;
use super::{COMMON_SCRIPT, STYLE, TABLES_SCRIPT, rows};
use crate::View;
use crate::render::RenderError;
use crate::render::news::{Changed, Newness};
use run_record::text::thousands;

#[derive(Template)]
#[template(path = "cases.html", whitespace = "minimize")]
struct Page {
    title: String,
    lead: String,
    /// Whether some results are new.
    compared: bool,
    styles: [&'static str; 2],
    scripts: [&'static str; 4],
    index: String,
    blocks: Vec<String>,
}

/// The page as one HTML document.
pub fn cases_html(report: &View) -> Result<String, RenderError> {
    let rows = rows::rows(report);
    let changed = Changed::of(report);
    let newness = |row: &&Row<'_>| {
        let records = row.records.iter().flatten();
        let all = records.map(|record| changed.newness(&record.backend, &record.case));
        all.min().unwrap_or(Newness::Known)
    };
    let mut rows: Vec<_> = rows
        .iter()
        .map(|row| (newness(&row), row))
        .filter(|(newness, row)| *newness != Newness::Known || super::heat::is_shown(&row.kinds()))
        .collect();
    rows.sort_by_key(|(newness, _)| *newness);
    let (newness, rows): (Vec<Newness>, Vec<&Row<'_>>) = rows.into_iter().unzip();
    let page = Page {
        title: format!("Cases of {}", report.title()),
        compared: !changed.is_empty(),
        lead: format!(
            "{} of {} cases do not pass on every backend, or are new",
            thousands(rows.len() as u64),
            thousands(report.selected())
        ),
        styles: [STYLE, include_str!("../../../../templates/cases.css")],
        scripts: [
            COMMON_SCRIPT,
            TABLES_SCRIPT,
            include_str!("../../../../templates/parts.js"),
            include_str!("../../../../templates/cases.js"),
        ],
        index: data::index(report, &rows, &newness)?,
        blocks: data::blocks(report, &rows)?,
    };
    Ok(page.render()?)
}
