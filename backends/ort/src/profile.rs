//! The times of a session's nodes, from the file of the runtime's profiler.
//!
//! The file has the trace event format: a list of events with `name`, `ts` and `dur` in microseconds, `cat`
//! (`Session` or `Node`) and `args`. A run is an event `model_run` of the category `Session`; a node is an
//! event of the category `Node` whose name ends with `_kernel_time`, with the operator and the types and
//! shapes of its outputs in `args`. The names of the outputs are those of the optimized model, which has a
//! node of the same name.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use backend_api::{BackendError, Profile, Recorder, StepOutput};
use onnx_model::proto::ModelProto;
use prost::Message;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::session_options::OPTIMIZED;

/// The end of the name of an event that measures a node.
const NODE: &str = "_kernel_time";

/// The name of the event that measures a run.
const RUN: &str = "model_run";

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    cat: String,
    #[serde(default)]
    name: String,
    /// Microseconds since the start of the session.
    #[serde(default)]
    ts: u64,
    /// Microseconds.
    #[serde(default)]
    dur: u64,
    #[serde(default)]
    args: Json,
}

impl Event {
    fn end(&self) -> u64 {
        self.ts.saturating_add(self.dur)
    }
}

/// Reads the profile that the runtime wrote to `file`; the first run is left out. `folder` holds
/// the optimized model, if the runtime could write it.
///
/// # Errors
/// [`BackendError::Run`] if the file cannot be read or has another form.
pub(crate) fn read(file: &Path, folder: &Path) -> Result<Profile, BackendError> {
    let failed = |error: &dyn std::fmt::Display| {
        BackendError::run(format!("the profile of the runtime cannot be read: {error}"))
    };
    let text = fs::read(file).map_err(|error| failed(&error))?;
    let text = String::from_utf8_lossy(&text);
    let events: Vec<Event> = serde_json::from_str(&text).map_err(|error| failed(&error))?;
    Ok(profile(&events, &outputs(&folder.join(OPTIMIZED))))
}

/// The outputs of the nodes of a model by the names of the nodes; empty if the model cannot be read.
fn outputs(file: &Path) -> HashMap<String, Vec<String>> {
    let model = fs::read(file)
        .ok()
        .and_then(|bytes| ModelProto::decode(bytes.as_slice()).ok());
    let nodes = model.and_then(|model| model.graph).unwrap_or_default().node;
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    nodes
        .iter()
        .filter_map(|node| Some((text(node.name.as_ref()?), node.output.iter().map(text).collect())))
        .collect()
}

fn profile(events: &[Event], outputs: &HashMap<String, Vec<String>>) -> Profile {
    let mut nodes: Vec<(&Event, &str)> = events
        .iter()
        .filter_map(|event| Some((event, node(event)?)))
        .collect();
    // A node ends before the node whose body contains it.
    nodes.sort_by_key(|(event, _)| (event.end(), std::cmp::Reverse(event.ts)));
    let mut runs: Vec<&Event> = events
        .iter()
        .filter(|event| event.cat == "Session" && event.name == RUN)
        .collect();
    runs.sort_by_key(|run| run.ts);
    let mut nodes = nodes.into_iter().peekable();
    let mut recorder = Recorder::default();
    for (number, run) in runs.into_iter().enumerate() {
        recorder.begin(run.ts.saturating_mul(1000));
        while let Some((event, name)) = nodes.next_if(|(event, _)| event.end() <= run.end()) {
            let operator = event.args["op_name"].as_str().unwrap_or_default();
            let span = (event.ts.saturating_mul(1000), event.end().saturating_mul(1000));
            if number > 0 && event.ts >= run.ts {
                recorder.add(name, operator, span, || described(event, outputs.get(name)));
            }
        }
        if number > 0 {
            recorder.end(run.end().saturating_mul(1000));
        }
    }
    recorder.finish()
}

/// The name of the node that an event measures.
fn node(event: &Event) -> Option<&str> {
    event.name.strip_suffix(NODE).filter(|_| event.cat == "Node")
}

/// Operators that the runtime adds to change the layout of a value. Their results have names of the
/// model, but another node computes them.
const REORDERS: [&str; 2] = ["ReorderInput", "ReorderOutput"];

/// The end of the name of a node that computes a value in blocks of channels; before it is the name
/// of the value in the model. Its shape is that of the blocks.
const BLOCKED: &str = "_nchwc";

/// The outputs of a node: types and shapes from the event, which has none in old versions, and names from
/// the optimized model.
fn described(event: &Event, names: Option<&Vec<String>>) -> Vec<StepOutput> {
    if REORDERS.contains(&event.args["op_name"].as_str().unwrap_or_default()) {
        return Vec::new();
    }
    if let Some(value) = node(event).and_then(|name| name.strip_suffix(BLOCKED)) {
        return vec![named(value)];
    }
    let Some(types) = event.args["output_type_shape"].as_array() else {
        return names.into_iter().flatten().map(named).collect();
    };
    let output = |(position, output): (usize, &Json)| {
        let (dtype, shape) = output.as_object()?.iter().next()?;
        let shape = shape.as_array()?.iter().map(Json::as_u64).collect();
        Some(StepOutput {
            name: names
                .and_then(|names| names.get(position).cloned())
                .unwrap_or_default(),
            dtype: dtype.clone(),
            shape,
        })
    };
    types.iter().enumerate().filter_map(output).collect()
}

/// A value of unknown type and shape.
fn named(name: impl Into<String>) -> StepOutput {
    StepOutput {
        name: name.into(),
        ..StepOutput::default()
    }
}

#[cfg(test)]
mod tests {
    use backend_api::Step;

    use super::*;

    /// An excerpt of a file of version 1.31: the first run, then two of one node.
    const EVENTS: &str = r#"[
        {"cat":"Session","pid":7,"tid":7,"dur":90,"ts":10,"ph":"X","name":"model_run","args":{}},
        {"cat":"Node","pid":7,"tid":7,"dur":60,"ts":20,"ph":"X","name":"c_kernel_time","args":{"op_name":"Conv"}},
        {"cat":"Session","pid":7,"tid":7,"dur":40,"ts":200,"ph":"X","name":"model_run","args":{}},
        {"cat":"Node","pid":7,"tid":7,"dur":20,"ts":210,"ph":"X","name":"c_kernel_time","args":{"op_name":"Conv","output_type_shape":[{"float":[1,2]}]}},
        {"cat":"Node","pid":7,"tid":7,"dur":1,"ts":209,"ph":"X","name":"c_fence_before","args":{"op_name":"Conv"}},
        {"cat":"Session","pid":7,"tid":7,"dur":50,"ts":300,"ph":"X","name":"model_run","args":{}},
        {"cat":"Node","pid":7,"tid":7,"dur":30,"ts":305,"ph":"X","name":"c_kernel_time","args":{"op_name":"Conv"}}
    ]"#;

    #[track_caller]
    fn check(name: &str, operator: &str, expected: &[StepOutput]) {
        let text = format!(
            r#"{{"cat":"Node","name":"{name}_kernel_time","args":{{"op_name":"{operator}","output_type_shape":[{{"float":[1,16]}}]}}}}"#
        );
        let event: Event = serde_json::from_str(&text).expect("an event");
        let names = vec!["y".to_owned()];
        assert_eq!(described(&event, Some(&names)), expected);
    }

    #[test]
    fn values_in_blocks_are_named_after_those_of_the_model() {
        check("n", "Conv", &[StepOutput::tensor("y", "float", &[1, 16])]);
        let blocked = StepOutput {
            name: "r0".to_owned(),
            ..StepOutput::default()
        };
        check("r0_nchwc", "Conv", &[blocked]);
        check("ReorderOutput_token_5", "ReorderOutput", &[]);
    }

    #[test]
    fn the_first_run_and_events_of_other_kinds_are_left_out() {
        let events: Vec<Event> = serde_json::from_str(EVENTS).expect("events");
        let names = HashMap::from([("c".to_owned(), vec!["y".to_owned()])]);
        let profile = profile(&events, &names);
        let expected = Step {
            name: "c".to_owned(),
            operator: "Conv".to_owned(),
            outputs: vec![StepOutput::tensor("y", "float", &[1, 2])],
            calls: 2,
            nanoseconds: 50_000,
            median: Some(25_000),
            slice: Some((5_000, 30_000)),
        };
        assert_eq!(
            (profile.nanoseconds, profile.steps),
            (vec![40_000, 50_000], vec![expected])
        );
    }
}
