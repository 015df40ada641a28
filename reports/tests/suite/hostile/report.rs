//! A report in which every free text is the same name.

use reports::View;
use run_record::sums::{self, AccumulatorFound, BackendSums, PopulationFound, Sums};
use run_record::{Event, LatencyRecord, OperatorVersion};
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
pub fn report(name: &str) -> View {
    let events = sample::events().into_iter().chain(coverage());
    crate::fold(events.map(|event| {
        let mut value = serde_json::to_value(event).expect("an event is JSON");
        rename(&mut value, "", name);
        match value["event"].as_str() {
            Some("case_finished") => {
                value["also_in"] = json!([name, "onnx-1.21.0"]);
                value["peak_bytes"] = json!(1 << 20);
                value["data_sets"] = json!([sample(name), sample("second")]);
            }
            Some("run_started") => {
                value["missing"] =
                    Value::Object([(format!("{name} gone"), name.into())].into_iter().collect())
            }
            _ => {}
        }
        serde_json::from_value(value).expect("a renamed event is an event")
    }))
}

/// A sample that is wrong, with a name and a reason from a file.
fn sample(name: &str) -> Value {
    json!({"name": name, "verdict": {"kind": "mismatch", "detail": "numeric"}, "reason": name, "outputs": 1})
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

/// The report with populations of sums, in which each text is the name of the backend.
pub fn with_sums(report: &View) -> View {
    let name = &report.backends[0].info.name;
    let adder = |accumulator: Option<String>| AccumulatorFound {
        operator: name.clone(),
        element_type: name.clone(),
        reason: accumulator.is_none().then(|| name.clone()),
        accumulator,
        bits: None,
    };
    let population = PopulationFound {
        operator: name.clone(),
        element_type: name.clone(),
        terms: name.clone(),
        verdict: Some(sums::Verdict::Biased),
        reason: Some(name.clone()),
        ..PopulationFound::default()
    };
    let backend = BackendSums {
        backend: name.clone(),
        accumulators: vec![adder(Some(name.clone())), adder(None)],
        populations: vec![population],
    };
    View {
        sums: Some(Sums {
            backends: vec![backend],
            ..Sums::default()
        }),
        ..report.clone()
    }
}

/// The report with what each picture shows: errors in bins with bounds, rounds of latencies, and
/// more than one thread.
pub fn measured(report: &View) -> View {
    let mut view = report.clone();
    let report = &mut view.report;
    for record in &mut report.cases {
        record.operators = vec!["Abs-13".to_owned()];
    }
    for output in report.cases.iter_mut().flat_map(|record| &mut record.outputs) {
        (output.ulps, output.of_bound, output.max_abs) = (vec![5, 2, 1], 0.5, 1e-6);
    }
    report
        .latencies
        .retain(|record| record.valid_median_ns().is_some());
    for record in &mut report.latencies {
        (record.round_ns, record.threads) = (vec![1_000_000, 1_200_000], 1);
    }
    let twice = report.latencies.clone();
    report.latencies.extend(
        twice
            .into_iter()
            .map(|record| LatencyRecord { threads: 2, ..record }),
    );
    view
}
