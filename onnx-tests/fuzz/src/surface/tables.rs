//! Files that people write, and the log of the harness.

use std::path::Path;

use harness_cli::ConfigFile;
use harness_compare::policy::Policies;
use harness_conformance::gate::Baseline;
use harness_corpus::errata::Errata;
use harness_fetch::Lockfile;
use harness_worker::backend;
use reports::{View, write_all};
use run_record::Report;
use run_record::{BackendInfo, CaseRecord, Event, RunLog, RunStarted, Verdict};

use super::{Budget, Text, run};

const OWN: [&str; 4] = [
    include_str!("../../../own/ai.onnx/cast.toml"),
    include_str!("../../../own/ai.onnx/loop.toml"),
    include_str!("../../../own/ai.onnx/split.toml"),
    include_str!("../../../own/ai.onnx.ml/scaler.toml"),
];

/// The first lines: the rest has the same form.
fn head(text: &str) -> String {
    text.lines().take(60).map(|line| format!("{line}\n")).collect()
}

/// The text of own cases.
pub fn own_cases(budget: Budget) -> Result<(), String> {
    run(budget, Text, OWN.map(str::to_owned).to_vec(), |text: &String| {
        for case in harness_corpus::own::parse(Path::new("fuzz.toml"), text)
            .into_iter()
            .flatten()
        {
            drop(case.model.encode());
        }
        Ok(())
    })
}

pub fn errata(budget: Budget) -> Result<(), String> {
    let sound = vec![head(include_str!("../../../errata.toml"))];
    run(budget, Text, sound, |text: &String| {
        drop(Errata::parse(text, Path::new("errata.toml")));
        Ok(())
    })
}

pub fn baseline(budget: Budget) -> Result<(), String> {
    let sound = vec![head(include_str!("../../../baselines/native.toml"))];
    on_disk(budget, sound, |path| drop(Baseline::read(path, "native")))
}

/// The file of policies and tolerances.
pub fn tolerances(budget: Budget) -> Result<(), String> {
    let sound = vec![include_str!("../../../tolerances.toml").to_owned()];
    on_disk(budget, sound, |path| {
        if let Ok(policies) = Policies::load(path) {
            policies
                .iter()
                .for_each(|policy| drop(policies.get(&policy.used.name)));
        }
    })
}

pub fn lock_file(budget: Budget) -> Result<(), String> {
    let sound = vec![head(include_str!("../../../corpora.lock"))];
    on_disk(budget, sound, |path| {
        if let Ok(lock) = Lockfile::load(path) {
            drop((lock.releases(), lock.newest_wheel(), lock.runtime()));
        }
    })
}

/// The log of a run: its readable part becomes a report in every format.
pub fn run_log(budget: Budget) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("sound.jsonl");
    let mut log = RunLog::create(&path).map_err(|error| error.to_string())?;
    for event in events() {
        log.write(&event).map_err(|error| error.to_string())?;
    }
    drop(log);
    let sound = vec![std::fs::read_to_string(&path).map_err(|error| error.to_string())?];
    let out = folder.path().join("report");
    let mut failed = Ok(());
    on_disk(budget, sound, |path| {
        if let Ok(contents) = RunLog::read(path)
            && let Err(error) = write_all(&View::from(Report::fold(contents.events)), &out)
        {
            failed = Err(error.to_string());
        }
    })?;
    failed
}

pub(super) fn events() -> Vec<Event> {
    let case = |verdict, reason: &str| CaseRecord {
        case: "onnx-1.22.0/node/test_abs".to_owned(),
        also_in: Vec::new(),
        backend: "ort".to_owned(),
        verdict,
        reason: reason.to_owned(),
        operators: vec!["Abs-13".to_owned()],
        outputs: Vec::new(),
        data_sets: Vec::new(),
        peak_bytes: None,
        load_ns: Some(1),
        run_ns: Some(2),
        official: Some(true),
        level: None,
        place: None,
        attempts: 1,
    };
    let backend = BackendInfo {
        name: "ort".to_owned(),
        ..BackendInfo::default()
    };
    vec![
        Event::RunStarted(Box::new(RunStarted {
            release: "1.22.0".to_owned(),
            cases: 2,
            ..RunStarted::default()
        })),
        Event::BackendStarted(backend),
        Event::CaseFinished(Box::new(case(Verdict::Pass, ""))),
        Event::CaseFinished(Box::new(case(
            Verdict::Crash { signal: Some(8) },
            "worker died by SIGFPE",
        ))),
        Event::PhaseFinished {
            name: "backends".to_owned(),
            wall_s: 0.5,
        },
    ]
}

/// A configuration file.
pub fn configuration(budget: Budget) -> Result<(), String> {
    let sound = vec![
        "[backends]\nnpu = \"cmd:{dir}/npu --fast\"\nnew = \"ort:version=1.31.1\"\n\n[conformance]\nbackend = [\"npu\", \"ort\"]\n\
         timeout = 60\nno-bounds = true\nbaseline = \"b.toml\"\n"
            .to_owned(),
    ];
    run(budget, Text, sound, |text: &String| {
        let Ok(file) = ConfigFile::parse(text, Path::new("/p/onnx-conformance.toml")) else {
            return Ok(());
        };
        match file.backends.keys().find(|name| backend::is_built_in(name)) {
            Some(name) => Err(format!("`{name}` is another program")),
            None => Ok(()),
        }
    })
}

/// Text read from a file.
fn on_disk(budget: Budget, sound: Vec<String>, mut read: impl FnMut(&Path)) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("file");
    run(budget, Text, sound, |text: &String| {
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        read(&path);
        Ok(())
    })
}
