//! `profile-trace.json`: the last run of each backend in the trace event format of Chrome, which
//! Perfetto reads.
//!
//! The format is documented in "Trace Event Format": an object with `traceEvents`; a complete event
//! (`ph` is `X`) has `name`, `cat`, `ts` and `dur` in microseconds, `pid` and `tid`; a metadata
//! event (`ph` is `M`) names a process. Each backend is a process.

use serde::Serialize;
use serde_json::{Value, json};

use super::nodes;
use crate::render::RenderError;
use run_record::profile::{BackendProfile, Profile, ProfiledStep};
use run_record::shown;

#[derive(Serialize)]
struct Trace {
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
    #[serde(rename = "traceEvents")]
    events: Vec<Value>,
}

/// The trace as a JSON document. A step in a body has its first call only.
pub fn profile_trace(profile: &Profile) -> Result<String, RenderError> {
    let mut events = Vec::new();
    for (place, backend) in profile.backends.iter().enumerate() {
        let process = place + 1;
        events.push(json!({
            "ph": "M", "pid": process, "tid": 1, "name": "process_name",
            "args": { "name": shown::one_line(&format!("{} {}", backend.name, backend.version)) },
        }));
        events.extend(
            backend
                .steps
                .iter()
                .filter_map(|step| event(profile, backend, step, process)),
        );
    }
    let trace = Trace { unit: "ns", events };
    Ok(shown::json(&serde_json::to_string(&trace)?))
}

fn event(profile: &Profile, backend: &BackendProfile, step: &ProfiledStep, process: usize) -> Option<Value> {
    let (begin, length) = step.slice?;
    let micros = |ns: u64| ns as f64 / 1000.0;
    let title = super::title(profile, step);
    let mut arguments = json!({
        "nodes": nodes(profile, step),
        "step": step.name,
        "operator": step.operator,
        "own_us": step.own_ns / 1000.0,
        "share": step.own_ns / backend.run_ns().max(1.0),
    });
    if let Some(cost) = step.cost {
        arguments["operations"] = json!(cost.operations);
        arguments["bytes"] = json!(cost.bytes);
    }
    if let Some(part) = profile.of_peak(step) {
        arguments["of_peak"] = json!(part);
    }
    Some(shown::as_shown(&json!({
        "ph": "X",
        "pid": process,
        "tid": 1,
        "ts": micros(begin),
        "dur": micros(length),
        "name": format!("{} {title}", profile.operator(step)),
        "cat": profile.operator(step),
        "args": arguments,
    })))
}
