//! `profile.html`: operators, longest nodes and the roofline of each backend.

use askama::Template;

use super::{calls, giga, of_peak, peak, roofline, share, summary, time, title};
use crate::render::RenderError;
use crate::render::html::{COMMON_SCRIPT, STYLE, TABLES_SCRIPT};
use run_record::profile::{BackendProfile, OperatorTime, Profile, ProfiledStep};
use run_record::text::{counted, thousands};

/// The maximum number of steps in a table; `profile.csv` has all.
const LISTED: usize = 200;

#[derive(Template)]
#[template(path = "profile.html", whitespace = "minimize")]
struct Page {
    title: String,
    lead: String,
    peak: Option<String>,
    styles: [&'static str; 2],
    scripts: [&'static str; 2],
    backends: Vec<Backend>,
    /// The roofline as an SVG element.
    roofline: Option<String>,
}

struct Backend {
    name: String,
    version: String,
    problem: String,
    summary: String,
    operators: Vec<Operator>,
    steps: Vec<Step>,
    more: Option<String>,
}

struct Operator {
    name: String,
    share: String,
    /// The time in nanoseconds, by which the table is sorted.
    ns: u64,
    /// The length of the bar in percent.
    width: String,
    time: String,
    calls: String,
    steps: usize,
    of_peak: String,
}

struct Step {
    /// As in [`Operator`].
    ns: u64,
    title: String,
    operator: String,
    own: String,
    share: String,
    time: String,
    calls: String,
    operations: String,
    bytes: String,
    of_peak: String,
    result: String,
}

/// The page as one HTML document, without network access, external fonts or scripts.
pub fn profile_html(profile: &Profile) -> Result<String, RenderError> {
    let page = Page {
        title: format!("Profile of {}", profile.model),
        lead: format!(
            "{} · {}",
            counted(profile.nodes.len(), "node"),
            counted(profile.backends.len(), "backend")
        ),
        peak: peak(profile),
        styles: [STYLE, include_str!("../../../templates/profile.css")],
        scripts: [COMMON_SCRIPT, TABLES_SCRIPT],
        backends: profile
            .backends
            .iter()
            .map(|backend| section(profile, backend))
            .collect(),
        roofline: roofline::inline(profile)?,
    };
    Ok(page.render()?)
}

fn section(profile: &Profile, backend: &BackendProfile) -> Backend {
    let run = backend.run_ns();
    let operators = profile.operators(backend);
    let longest = operators.first().map_or(0.0, |operator| operator.own_ns);
    let steps = backend.longest();
    let more = steps.len().checked_sub(LISTED).filter(|more| *more > 0);
    Backend {
        name: backend.name.clone(),
        version: backend.version.clone(),
        problem: backend.problem.clone(),
        summary: summary(profile, backend),
        operators: operators
            .iter()
            .map(|operator| row(operator, run, longest))
            .collect(),
        steps: steps
            .iter()
            .take(LISTED)
            .map(|step| line(profile, step, run))
            .collect(),
        more: more.map(|more| thousands(more as u64)),
    }
}

fn row(operator: &OperatorTime, run: f64, longest: f64) -> Operator {
    let width = 100.0 * operator.own_ns / longest.max(1.0);
    Operator {
        name: operator.operator.clone(),
        share: share(operator.own_ns, run),
        ns: operator.own_ns as u64,
        width: format!("{width:.1}"),
        time: time(operator.own_ns),
        calls: calls(operator.calls),
        steps: operator.steps,
        of_peak: of_peak(operator.of_peak()),
    }
}

fn line(profile: &Profile, step: &ProfiledStep, run: f64) -> Step {
    let cost = step.cost.unwrap_or_default();
    let rate = |amount: f64| {
        if amount > 0.0 {
            giga(amount, step.own_ns)
        } else {
            String::new()
        }
    };
    let last = step.nodes.last().and_then(|&at| profile.nodes.get(at));
    Step {
        ns: step.own_ns as u64,
        title: title(profile, step),
        operator: profile.operator(step),
        own: step.operator.clone(),
        share: share(step.own_ns, run),
        time: time(step.own_ns),
        calls: calls(step.calls),
        operations: rate(cost.operations),
        bytes: rate(cost.bytes),
        of_peak: of_peak(profile.of_peak(step)),
        result: last.map(|node| node.result.clone()).unwrap_or_default(),
    }
}
