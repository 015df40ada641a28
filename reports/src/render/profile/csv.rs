//! `profile.csv`: a row for each step.

use serde::Serialize;

use super::nodes;
use crate::render::RenderError;
use crate::render::csv::table;
use run_record::profile::{BackendProfile, Profile, ProfiledStep};

const COLUMNS: [&str; 14] = [
    "model",
    "backend",
    "threads",
    "step",
    "step_operator",
    "operator",
    "nodes",
    "calls",
    "own_ns",
    "share",
    "operations",
    "bytes",
    "least_ns",
    "of_peak",
];

#[derive(Serialize)]
struct Row<'a> {
    model: &'a str,
    backend: &'a str,
    threads: u32,
    step: &'a str,
    step_operator: &'a str,
    operator: String,
    nodes: String,
    calls: f64,
    own_ns: f64,
    share: Option<f64>,
    operations: Option<f64>,
    bytes: Option<f64>,
    least_ns: Option<f64>,
    of_peak: Option<f64>,
}

/// The steps of all backends. `own_ns` and `calls` are those of one run, `share` the part of the
/// run, `nodes` are separated by spaces.
pub fn profile_csv(profile: &Profile) -> Result<String, RenderError> {
    let rows: Vec<(&BackendProfile, &ProfiledStep)> = profile
        .backends
        .iter()
        .flat_map(|backend| backend.steps.iter().map(move |step| (backend, step)))
        .collect();
    table(&COLUMNS, &rows, |(backend, step), writer| {
        let run = backend.run_ns();
        let least = profile.peak.as_ref().zip(step.cost);
        writer.serialize(Row {
            model: &profile.model,
            backend: &backend.name,
            threads: profile.threads,
            step: &step.name,
            step_operator: &step.operator,
            operator: profile.operator(step),
            nodes: nodes(profile, step).join(" "),
            calls: step.calls,
            own_ns: step.own_ns,
            share: (run > 0.0).then(|| step.own_ns / run),
            operations: step.cost.map(|cost| cost.operations),
            bytes: step.cost.map(|cost| cost.bytes),
            least_ns: least.map(|(peak, cost)| peak.least_ns(cost)),
            of_peak: profile.of_peak(step),
        })
    })
}
