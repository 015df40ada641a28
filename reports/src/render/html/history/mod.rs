//! The page of a history: what changed and when, since which version cases fail, and every series
//! as a sparkline.

mod spark;

use askama::Template;

use self::spark::Spark;
use super::{COMMON_SCRIPT, FRONT_STYLE, STYLE, TABLES_SCRIPT};
use crate::render::RenderError;
use crate::render::diff::when;
use run_record::text::{clip, counted, thousands};
use run_record::trends::{self, Series, Trend, Trends};

/// More rows than these of one table would make the page heavy; `history show` has them all.
const LISTED: usize = 500;

/// Characters of a reason.
const REASON: usize = 400;

#[derive(Template)]
#[template(path = "history.html", whitespace = "minimize")]
struct Page {
    title: String,
    lead: String,
    styles: [&'static str; 3],
    scripts: [&'static str; 2],
    changes: Vec<Change>,
    more_changes: Option<String>,
    bad: Vec<Bad>,
    trends: Vec<Panel>,
}

/// A change point of any series.
struct Change {
    /// `better`, `worse` or `neither`, as the style sheet calls it.
    direction: &'static str,
    sign: &'static str,
    when: String,
    backend: String,
    about: String,
    title: String,
    before: String,
    after: String,
    versions: String,
    moved: String,
    p: String,
}

/// The cases of a backend that began to fail.
struct Bad {
    backend: String,
    count: String,
    cases: Vec<trends::Bad>,
    more: Option<String>,
}

/// One trend.
struct Panel {
    backend: String,
    about: String,
    span: String,
    series: Vec<Line>,
}

/// One series of a trend.
struct Line {
    title: String,
    spark: Spark,
    first: String,
    newest: String,
    changes: String,
}

/// The page as one HTML document, without network, fonts or scripts from elsewhere.
pub fn history_html(history: &Trends) -> Result<String, RenderError> {
    let (changes, more_changes) = changes(history);
    let page = Page {
        title: match &history.operator {
            Some(operator) => format!("History of {operator}"),
            None => "History".to_owned(),
        },
        lead: lead(history),
        styles: [
            STYLE,
            FRONT_STYLE,
            include_str!("../../../../templates/history.css"),
        ],
        scripts: [COMMON_SCRIPT, TABLES_SCRIPT],
        changes,
        more_changes,
        bad: history
            .first_bad
            .iter()
            .filter(|bad| !bad.cases.is_empty())
            .map(bad)
            .collect(),
        trends: history.trends.iter().map(panel).collect(),
    };
    Ok(page.render()?)
}

/// `500 runs, 2026-01-01 to 2026-11-22 UTC`.
fn lead(trends: &Trends) -> String {
    let runs = counted(trends.runs, "run");
    let all = || {
        trends
            .trends
            .iter()
            .flat_map(|trend| &trend.runs)
            .map(|run| run.started.as_str())
    };
    match (all().min(), all().max()) {
        (Some(first), Some(last)) => format!("{runs}, {} to {}", when(first), when(last)),
        _ => runs,
    }
}

/// The change points, newest first, and how many there are beyond those that are listed.
fn changes(trends: &Trends) -> (Vec<Change>, Option<String>) {
    let all = trends.changes();
    let more = all.len().checked_sub(LISTED).filter(|more| *more > 0);
    let shown = all.iter().take(LISTED).map(change).collect();
    (shown, more.map(|more| thousands(more as u64)))
}

fn change(change: &trends::Change) -> Change {
    let (direction, sign) = direction(change.better);
    Change {
        direction,
        sign,
        when: when(&change.since),
        backend: change.backend.clone(),
        about: change.about.clone(),
        title: change.title(),
        before: change.measure.figure(change.before),
        after: change.measure.figure(change.after),
        versions: change.versions(),
        moved: change.moved(),
        p: change.probability(),
    }
}

/// The class of a change, and its sign for readers who see no colour.
fn direction(better: Option<bool>) -> (&'static str, &'static str) {
    match better {
        Some(true) => ("better", "✓ better"),
        Some(false) => ("worse", "✗ worse"),
        None => ("neither", "changed"),
    }
}

fn bad(backend: &trends::BackendBad) -> Bad {
    let more = backend.cases.len().checked_sub(LISTED).filter(|more| *more > 0);
    let shown = |case: &trends::Bad| trends::Bad {
        reason: clip(&case.reason, REASON),
        ..case.clone()
    };
    Bad {
        backend: backend.backend.clone(),
        count: thousands(backend.cases.len() as u64),
        cases: backend.cases.iter().take(LISTED).map(shown).collect(),
        more: more.map(|more| thousands(more as u64)),
    }
}

fn panel(trend: &Trend) -> Panel {
    let day = |run: Option<&trends::TrendRun>| {
        run.map(|run| run.started.chars().take(10).collect::<String>())
            .unwrap_or_default()
    };
    Panel {
        backend: trend.backend.clone(),
        about: trend.about.clone(),
        span: format!(
            "{}, {} to {}",
            counted(trend.runs.len(), "run"),
            day(trend.runs.first()),
            day(trend.runs.last())
        ),
        series: trend.series.iter().map(|series| line(trend, series)).collect(),
    }
}

fn line(trend: &Trend, series: &Series) -> Line {
    let figure = |value: Option<&f64>| {
        value
            .map(|value| series.measure.figure(*value))
            .unwrap_or_default()
    };
    let (first, newest) = (
        figure(series.values.iter().flatten().next()),
        figure(series.values.iter().flatten().next_back()),
    );
    Line {
        title: series.title(),
        spark: spark::spark(trend, series),
        changes: match series.changes.len() {
            0 => String::new(),
            count => count.to_string(),
        },
        first,
        newest,
    }
}
