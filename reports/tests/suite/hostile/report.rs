//! A report in which every free text is the same name.

use reports::Report;
use reports::record::{Event, OperatorVersion};
use serde_json::{Value, json};

use crate::sample;

/// The fields of events that hold text from files and programs.
const FREE: [&str; 30] = [
    "actual",
    "allowed",
    "attribute",
    "attributes",
    "build",
    "command",
    "commit",
    "cpu",
    "default",
    "dtype",
    "elsewhere",
    "expected",
    "first",
    "form",
    "got",
    "harness",
    "inputs",
    "kernel",
    "kind",
    "model",
    "name",
    "operators",
    "os",
    "providers",
    "reason",
    "requested",
    "rustc",
    "value_type",
    "values",
    "version",
];

/// The report of the sample with `name` for every external text: one of two backends, every case,
/// message, operator, output, option, policy and model.
pub fn report(name: &str) -> Report {
    let events = sample::events().into_iter().chain(coverage());
    Report::fold(events.map(|event| {
        let mut value = serde_json::to_value(event).expect("an event is JSON");
        rename(&mut value, "", name);
        match value["event"].as_str() {
            Some("case_finished") => value["also_in"] = json!([name, "onnx-1.21.0"]),
            Some("run_started") => {
                value["missing"] =
                    Value::Object([(format!("{name} gone"), name.into())].into_iter().collect())
            }
            _ => {}
        }
        serde_json::from_value(value).expect("a renamed event is an event")
    }))
}

fn coverage() -> [Event; 2] {
    let version = json!({
        "domain": "ai.onnx", "name": "Blur", "since": 1,
        "parameters": [{"name": "T", "types": ["float", "NAME"]}],
        "attributes": [{"name": "mode", "kind": "string", "values": ["edge", "NAME"]}],
    });
    let exercises = json!({
        "event": "case_exercises", "case": "onnx-1.22.0/node/NAME",
        "exercises": [{"operator": "NAME-1", "types": {"T": ["NAME"]}, "attributes": {"mode": ["NAME"]}}],
    });
    let version: OperatorVersion = serde_json::from_value(version).expect("a version");
    let untouched = OperatorVersion {
        since: 2,
        ..version.clone()
    };
    let exercises = serde_json::from_value(exercises).expect("exercises");
    [
        Event::Catalogue {
            versions: vec![version, untouched],
        },
        exercises,
    ]
}

/// Replaces every external text by `name`.
fn rename(value: &mut Value, key: &str, name: &str) {
    match value {
        Value::Object(fields) => {
            // Names of events, verdicts and levels are ours; a verdict is an object.
            let ours = |field: &str| field == "event" || key == "verdict";
            fields
                .iter_mut()
                .filter(|(field, _)| !ours(field))
                .for_each(|(field, value)| rename(value, field, name));
            if key == "options" {
                fields.insert(name.to_owned(), Value::from(name));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, key, name)),
        Value::String(text) => match key {
            "backend" | "name" if text == "ort" => *text = name.to_owned(),
            "backend" | "name" if text == "tract:plain" => {}
            "case" => *text = format!("onnx-1.22.0/{name}/{name}{text}"),
            "operator" => *text = text.replace("NAME", name),
            "operators" => *text = format!("{name}-13"),
            "domain" => {}
            _ if FREE.contains(&key) => *text = name.to_owned(),
            _ => *text = text.replace("NAME", name),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
