//! Histories of made-up runs with a planted change, and without one: series, change points, and the page.

use std::path::Path;

use harness_history::exchange::Format;
use harness_history::{Bad, History, Rows};
use reports::render::history_html;
use run_record::Report;
use run_record::trends::{Change, Measure, Trends};
use run_record::{
    BackendInfo, CaseRecord, Event, LatencyRecord, Level, MismatchKind, PolicyUsed, RunFinished, RunLog,
    RunStarted, Verdict, VerdictKind, Weights,
};

/// A run: its number, the version of the backend, which of ten cases pass, how long they took, the
/// median of a model.
struct Run {
    number: u32,
    version: &'static str,
    passing: usize,
    wall_s: f64,
    median_ns: u64,
}

/// Deviations from 1 that look like noise and have no trend: about 1 %.
fn noise(number: u32) -> f64 {
    const OFF: [f64; 11] = [0.4, -0.9, 1.1, -0.2, 0.8, -1.3, 0.1, -0.6, 1.4, -1.0, 0.2];
    1.0 + 0.01 * OFF[number as usize % OFF.len()]
}

fn run(number: u32) -> Run {
    Run {
        number,
        version: "1.30.0",
        passing: 9,
        wall_s: 4.0 * noise(number),
        median_ns: (2e7 * noise(number + 5)) as u64,
    }
}

fn events(run: &Run) -> Vec<Event> {
    let started = RunStarted {
        started: format!(
            "2026-{:02}-{:02}T10:00:00Z",
            run.number / 28 + 1,
            run.number % 28 + 1
        ),
        release: "1.22.0".to_owned(),
        policy: PolicyUsed {
            name: "official".to_owned(),
            version: 1,
        },
        ..RunStarted::default()
    };
    let info = BackendInfo {
        name: "ort".to_owned(),
        kind: "onnxruntime".to_owned(),
        version: run.version.to_owned(),
        ..BackendInfo::default()
    };
    let mut events = vec![Event::RunStarted(Box::new(started)), Event::BackendStarted(info)];
    for case in 0..10 {
        let passes = case < run.passing;
        events.push(Event::CaseFinished(Box::new(CaseRecord {
            case: format!("onnx-1.22.0/node/test_{case}"),
            backend: "ort".to_owned(),
            verdict: if passes {
                Verdict::Pass
            } else {
                Verdict::Mismatch(MismatchKind::Numeric)
            },
            reason: if passes {
                String::new()
            } else {
                "<b>off</b>".to_owned()
            },
            operators: vec![if case < 5 { "Abs-13" } else { "Softmax-13" }.to_owned()],
            level: Some(Level::Exact),
            attempts: 1,
            ..CaseRecord::default()
        })));
    }
    let latency = LatencyRecord {
        model: "resnet50".to_owned(),
        backend: "ort".to_owned(),
        threads: 2,
        weights: Weights::Random,
        interleaved: true,
        samples: 20,
        median_ns: run.median_ns,
        outputs_ok: true,
        ..LatencyRecord::default()
    };
    // A latency that does not count is not kept.
    let wrong = LatencyRecord {
        model: "wrong".to_owned(),
        outputs_ok: false,
        ..latency.clone()
    };
    events.extend([latency, wrong].map(|record| Event::Latency(Box::new(record))));
    events.push(Event::BackendFinished {
        backend: "ort".to_owned(),
        wall_s: run.wall_s,
    });
    events.push(Event::RunFinished(RunFinished {
        wall_s: run.wall_s,
        complete: true,
    }));
    events
}

fn history(folder: &Path, runs: impl IntoIterator<Item = Run>) -> History {
    let mut history = History::create(&folder.join("history.sqlite")).unwrap();
    for run in runs {
        let out = folder.join(format!("run-{}", run.number));
        std::fs::create_dir(&out).unwrap();
        let mut log = RunLog::create(&out.join("run.jsonl")).unwrap();
        events(&run).iter().for_each(|event| log.write(event).unwrap());
        drop(log);
        let added = history.add(&Rows::of_run(&out, "").unwrap()).unwrap();
        assert_eq!((added.runs, added.results, added.latencies), (1, 10, 1));
    }
    history
}

/// From run 30 on: a new version, two cases fewer, 10 % slower.
fn planted(number: u32) -> Run {
    match run(number) {
        old if number < 30 => old,
        new => Run {
            version: "1.31.0",
            passing: 7,
            wall_s: new.wall_s * 1.1,
            median_ns: new.median_ns * 11 / 10,
            ..new
        },
    }
}

fn changes(trends: &Trends) -> Vec<(Measure, String, String, Option<u64>)> {
    let since = |change: &Change| change.since.chars().take(10).collect::<String>();
    trends
        .changes()
        .iter()
        .map(|change| (change.measure, since(change), change.versions(), change.broke))
        .collect()
}

#[test]
fn a_planted_change_is_found_in_every_series_that_it_touches() {
    let folder = tempfile::tempdir().unwrap();
    let history = history(folder.path(), (0..45).map(planted));
    let trends = history.trends(None, None, 500).unwrap();
    // Run 30 is on the third of February.
    let change = |measure, broke| {
        (
            measure,
            "2026-02-03".to_owned(),
            "1.30.0 → 1.31.0".to_owned(),
            broke,
        )
    };
    let expected = [
        change(Measure::Pass, Some(2)),
        change(Measure::Wrong, Some(2)),
        change(Measure::Duration, None),
        change(Measure::Latency, None),
    ];
    assert_eq!(changes(&trends), expected);
    let pass = &trends.changes()[0];
    assert_eq!(
        (pass.before, pass.after, pass.better, pass.p),
        (9.0, 7.0, Some(false), 0.0)
    );
    let bad: Vec<&Bad> = trends
        .first_bad
        .iter()
        .flat_map(|backend| &backend.cases)
        .collect();
    assert_eq!(bad.len(), 2);
    assert_eq!(
        (bad[0].last_good.as_str(), bad[0].first_bad.as_str()),
        ("1.30.0", "1.31.0")
    );
    let page = history_html(&trends).unwrap();
    assert!(
        page.contains("1.30.0 → 1.31.0") && page.contains("&#60;b&#62;off"),
        "{page}"
    );
    // The cases about Abs pass throughout; those about Softmax do not.
    assert_eq!(history.trends(None, Some("Abs"), 500).unwrap().changes(), []);
    let of_softmax = history.trends(Some("onnxruntime"), Some("Softmax"), 500).unwrap();
    assert_eq!(changes(&of_softmax), expected[..2]);
    // The last runs alone show no change.
    assert_eq!(history.trends(None, None, 15).unwrap().changes(), []);
    assert!(
        history
            .trends(Some("nobody"), None, 15)
            .unwrap()
            .trends
            .is_empty()
    );
}

#[test]
fn runs_of_the_same_have_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let history = history(folder.path(), (0..60).map(run));
    let trends = history.trends(None, None, 500).unwrap();
    assert_eq!(trends.changes(), []);
    assert_eq!(trends.runs, 60);
    let measures: Vec<Measure> = trends
        .trends
        .iter()
        .flat_map(|trend| &trend.series)
        .map(|series| series.measure)
        .collect();
    let expected = [
        Measure::Pass,
        Measure::Wrong,
        Measure::Broken,
        Measure::Unsupported,
        Measure::Duration,
        Measure::Latency,
    ];
    assert_eq!(measures, expected);
    let series = &trends.trends[1].series[0];
    assert_eq!(series.title(), "latency of resnet50, 2 threads, random");
    assert_eq!(series.values.len(), 60);
}

#[test]
fn exported_tables_hold_the_same_series() {
    let folder = tempfile::tempdir().unwrap();
    let history = history(folder.path(), (0..6).map(run));
    for format in [Format::JsonLines, Format::Csv] {
        let tables = folder.path().join(format.extension());
        history.export(&tables, format).unwrap();
        let mut copy =
            History::create(&folder.path().join(format!("{}.sqlite", format.extension()))).unwrap();
        copy.add(&Rows::of_tables(&tables).unwrap()).unwrap();
        assert_eq!(
            copy.trends(None, None, 9).unwrap(),
            history.trends(None, None, 9).unwrap()
        );
    }
}

/// A file as the first version made it has neither durations nor latencies; both ways to open it
/// add their places.
#[test]
fn a_file_of_version_1_is_brought_up_to_date() {
    let old = |path: &Path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        let undo = "ALTER TABLE run DROP COLUMN selection; ALTER TABLE backend DROP COLUMN wall_s; DROP TABLE latency; PRAGMA user_version = 1;";
        connection.execute_batch(undo).unwrap();
    };
    let folder = tempfile::tempdir().unwrap();
    drop(history(folder.path(), (0..3).map(run)));
    let path = folder.path().join("history.sqlite");
    for open in [History::open, History::create] {
        old(&path);
        let trends = open(&path).unwrap().trends(None, None, 9).unwrap();
        let measures: Vec<Measure> = trends.trends[0]
            .series
            .iter()
            .map(|series| series.measure)
            .collect();
        assert_eq!(measures, Measure::COUNTS);
    }
}

/// A run of some of the cases has a trend of its own, and no run of all is compared with it.
#[test]
fn a_run_of_some_cases_is_no_run_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = history(folder.path(), (0..4).map(run));
    let part = folder.path().join("part");
    std::fs::create_dir(&part).unwrap();
    let mut log = RunLog::create(&part.join("run.jsonl")).unwrap();
    for mut event in events(&run(4)) {
        if let Event::RunStarted(started) = &mut event {
            started.selection = "--filter *softmax*".to_owned();
        }
        log.write(&event).unwrap();
    }
    drop(log);
    history.add(&Rows::of_run(&part, "").unwrap()).unwrap();
    let trends = history.trends(Some("ort"), None, 9).unwrap();
    let counts: Vec<(&str, usize)> = trends
        .trends
        .iter()
        .filter(|trend| trend.about.starts_with("ONNX"))
        .map(|trend| (trend.about.as_str(), trend.runs.len()))
        .collect();
    let expected = [
        ("ONNX 1.22.0, policy official", 4),
        ("ONNX 1.22.0, --filter *softmax*, policy official", 1),
    ];
    assert_eq!(counts, expected);
    let summaries = history.summaries(Some("ort"), None, 9).unwrap();
    let newest = summaries.last().unwrap();
    assert_eq!(
        (newest.selection.as_str(), newest.broke),
        ("--filter *softmax*", None)
    );
}

/// Case 7 passes until run 29 and fails from run 30 on; case 9 fails in every run, and case 0 in none.
#[test]
fn a_report_is_told_what_its_failing_cases_came_to_before() {
    let folder = tempfile::tempdir().unwrap();
    let history = history(folder.path(), (0..45).map(planted));
    let report = Report::fold(events(&planted(45)));
    let past = history.past(&report).unwrap();
    assert_eq!(past.backends.len(), 1);
    assert_eq!(
        (past.backends[0].name.as_str(), past.backends[0].runs.len()),
        ("ort", 45)
    );
    assert!(!past.cases.contains_key("onnx-1.22.0/node/test_0"));
    let passes = |case: usize| {
        let runs = &past.cases[&format!("onnx-1.22.0/node/test_{case}")][0];
        runs.iter()
            .filter(|kind| **kind == Some(VerdictKind::Pass))
            .count()
    };
    assert_eq!([passes(7), passes(9)], [30, 0]);
    // A run that began later is no earlier one.
    let earlier = history.past(&Report::fold(events(&planted(10)))).unwrap();
    assert_eq!(earlier.backends[0].runs.len(), 10);
}
