//! Real documents of every format that has a JSON Schema. The tests write them to `schema-documents` in the
//! folder of temporary files of cargo, where `.ci/schemas` validates them.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backend_api::protocol::{Frame, WireAnswer, WireRequest};
use harness_cli::schemas::FORMATS;
use onnx_tensor::Tensor;
use serde_json::Value;

use crate::models::{Bench, FAULTY, model};
use crate::program::Place;

/// The documents of one test.
struct Documents {
    folder: PathBuf,
}

impl Documents {
    /// Those of a test, in a folder of its own, which is emptied.
    fn of(test: &str) -> Documents {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("schema-documents")
            .join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Documents { folder }
    }

    /// Keeps a document, as a line of `FORMAT.jsonl`.
    #[track_caller]
    fn keep(&self, format: &str, document: &Value) {
        assert!(FORMATS.iter().any(|known| known.name == format), "{format}");
        let path = self.folder.join(format!("{format}.jsonl"));
        let file = File::options().create(true).append(true).open(path);
        writeln!(file.unwrap(), "{document}").unwrap();
    }

    #[track_caller]
    fn json(&self, format: &str, text: &str) {
        let document = serde_json::from_str(text);
        self.keep(
            format,
            &document.unwrap_or_else(|error| panic!("{format}: {error}: {text}")),
        );
    }

    #[track_caller]
    fn toml(&self, format: &str, text: &str) {
        let document: toml::Table = text
            .parse()
            .unwrap_or_else(|error| panic!("{format}: {error}: {text}"));
        self.keep(format, &plain(&document.into()));
    }
}

/// A value of TOML as one of JSON, in which a date is a text.
fn plain(value: &toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(list) => list.iter().map(plain).collect(),
        toml::Value::Table(table) => {
            let fields = table.iter().map(|(key, value)| (key.clone(), plain(value)));
            Value::Object(fields.collect())
        }
        other => serde_json::to_value(other).unwrap(),
    }
}

/// The text of a file of the repository.
fn repository(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn runs() {
    let documents = Documents::of("runs");
    let place = Place::with_cases(&[
        ("right", ""),
        ("wrong", "run:wrong-value"),
        ("shape", "run:wrong-shape"),
        ("ends", "run:exit-3"),
    ]);
    place.write("profile.toml", PROFILE);
    place.run("conformance --no-bounds --noise 0 --cases cases --backend m=cmd:MOCK --out run --provider-profile profile.toml");
    place.run(
        "conformance --no-bounds --noise 0 --cases cases --filter '*/[rw]*' --backend m=cmd:MOCK --out less",
    );
    documents.json("summary", &place.read("run/summary.json"));
    documents.json("provider-results", &place.read("run/provider-results.json"));
    documents.toml("provider-profile", PROFILE);
    for line in place.read("run/run.jsonl").lines() {
        documents.json("run-log", line);
    }
    place.run("conformance --cases cases --export texts --export-as json");
    for text in fs::read_dir(place.at("texts")).unwrap() {
        documents.json("case", &fs::read_to_string(text.unwrap().path()).unwrap());
    }
    place.run("gate --run run --backend m=cmd:MOCK --baseline baseline.toml --accept '*/ends'");
    documents.toml("baseline", &place.read("baseline.toml"));
    place.run("history add run less");
    for (format, line) in [
        ("list", "conformance --cases cases --list=json"),
        (
            "gate",
            "gate --run run --backend m=cmd:MOCK --baseline baseline.toml --format json",
        ),
        ("diff", "diff run less --format json"),
        ("history", "history show --format json"),
        ("history", "history show --case local/cases/right --format json"),
        ("history", "history show --changes --format json"),
        ("history", "history show --first-bad --backend m --format json"),
        ("backends", "backends probe cmd:MOCK --format json"),
        ("backends-verify", "backends verify cmd:MOCK --format json"),
    ] {
        let ended = place.run(line);
        assert!(!ended.stdout.is_empty(), "{line}: {}", ended.stderr);
        documents.json(format, &ended.stdout);
    }
}

const PROFILE: &str = r#"format = 1
name = "a device"
provider = "GpuExecutionProvider"

[[claims]]
operators = ["Relu", "Reduce*"]
versions = "7.."
types = ["float"]

[[tolerances]]
operators = ["Relu"]
types = ["float"]
rtol = 1e-3
reason = "its units"

[[exclusions]]
cases = "*/ends"
reason = "the driver"
owner = "ada"
expires = 2099-01-01
link = "issue 1"
"#;

#[test]
fn commands_on_models() {
    let documents = Documents::of("models");
    let bench = Bench::new();
    fs::write(bench.at("broken.onnx"), "no model").unwrap();
    let mut other = model();
    Arc::make_mut(&mut other.graph).initializers[0].1 = Tensor::vector(vec![0.5_f32, 0.25, 3.0]).into();
    fs::write(bench.at("other.onnx"), other.encode()).unwrap();
    bench.run("compare net.onnx --backend RIGHT --backend FAULTY --out compared");
    bench
        .run("conformance --builtin --filter 'own/Clip/*' --variants=initializers --backend RIGHT --out own");
    bench.run("bench net.onnx --backend RIGHT --out benched");
    for folder in ["compared", "own", "benched"] {
        let log = fs::read_to_string(bench.at(folder).join("run.jsonl")).unwrap();
        log.lines().for_each(|line| documents.json("run-log", line));
        let summary = fs::read_to_string(bench.at(folder).join("summary.json"));
        summary.iter().for_each(|text| documents.json("summary", text));
    }
    let coverage = fs::read_to_string(bench.at("own/coverage.json")).unwrap();
    documents.json("coverage", &coverage);
    for (format, line) in [
        (
            "check",
            "check net.onnx broken.onnx --shapes --backend RIGHT --format json",
        ),
        (
            "backends-choose",
            "backends choose net.onnx --backend RIGHT --backend FAULTY --format json",
        ),
        (
            "populations",
            "accumulation --operator ReduceSum --backend RIGHT --format json",
        ),
        (
            "compare",
            "compare net.onnx other.onnx --backend RIGHT --backend FAULTY --format json",
        ),
        ("power", "power net.onnx --backend RIGHT --faults 1 --format json"),
        (
            "coverage-of-cases",
            "coverage --builtin --filter 'own/Clip/*' --format json",
        ),
        (
            "coverage-gaps",
            "coverage --builtin --filter 'own/Clip/*' --gaps --format json",
        ),
        (
            "mutate",
            "mutate --builtin --filter 'own/Clip/*' --backend RIGHT --format json",
        ),
    ] {
        let ended = bench.run(line);
        assert!(!ended.stdout.is_empty(), "{line}: {}", ended.stderr);
        documents.json(format, &ended.stdout);
    }
}

#[test]
fn files_that_people_write() {
    let documents = Documents::of("files");
    let baselines = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../onnx-tests/baselines");
    for baseline in fs::read_dir(baselines).unwrap() {
        documents.toml("baseline", &fs::read_to_string(baseline.unwrap().path()).unwrap());
    }
    documents.toml("tolerances", &repository("onnx-tests/tolerances.toml"));
    documents.toml("provider-profile", &repository("onnx-tests/providers/ggml.toml"));
    documents.toml(
        "configuration",
        "[backends]\nmine = \"cmd:{dir}/worker\"\n\n[conformance]\nbackend = [\"mine\", \"ort\"]\n\
         timeout = 10\nbuiltin = true\n\n[gate]\npolicy = \"bound\"\nformat = \"github\"\n",
    );
}

/// Checks of the protocol also send headers that are no messages.
fn is_message(header: &[u8]) -> bool {
    serde_json::from_slice::<WireRequest>(header).is_ok()
        || serde_json::from_slice::<WireAnswer>(header).is_ok()
}

/// The frames of sessions, through two pipes that keep a copy. Sessions at the same time have files of their
/// own, so that their frames do not mix.
#[test]
fn headers_of_messages() {
    let documents = Documents::of("messages");
    let bench = Bench::new();
    let (requests, answers) = (bench.at("requests"), bench.at("answers"));
    let (to, from) = (requests.display(), answers.display());
    for folder in [&requests, &answers] {
        fs::create_dir(folder).unwrap();
    }
    let worker = format!("tee {to}/$$ | {FAULTY} | tee {from}/$$");
    bench.run(&format!("backends verify \"stdio:sh -c '{worker}'\""));
    for (format, folder) in [("protocol-request", &requests), ("protocol-answer", &answers)] {
        let mut kinds = BTreeSet::new();
        for session in fs::read_dir(folder).unwrap() {
            let bytes = fs::read(session.unwrap().path()).unwrap();
            let mut rest = bytes.as_slice();
            while let Ok(Some(frame)) = Frame::read(&mut rest) {
                if !is_message(&frame.header) {
                    continue;
                }
                let header: Value = serde_json::from_slice(&frame.header).unwrap();
                kinds.insert(header[format.trim_start_matches("protocol-")].to_string());
                documents.keep(format, &header);
            }
        }
        assert!(kinds.len() > 5, "{format}: {kinds:?}");
    }
}
