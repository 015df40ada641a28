//! A history of constructed runs: stored rows are read back, and queries have the answers derived by
//! hand.

use run_record::Report;
use run_record::{
    BackendInfo, CaseRecord, Event, Level, MismatchKind, OutputStats, PolicyUsed, RunFinished, RunLog,
    RunStarted, Verdict, VerdictKind,
};

use super::*;
use crate::exchange::Format;

const PASS: Verdict = Verdict::Pass;
const WRONG: Verdict = Verdict::Mismatch(MismatchKind::Numeric);
const NO: Verdict = Verdict::Unsupported;

/// A run on a day of November with a version of `ort`: the verdicts of three cases, and the error of the
/// first.
fn run(day: u32, version: &str, verdicts: [Verdict; 3], ulp: f64) -> Report {
    let started = RunStarted {
        started: format!("2026-11-{day:02}T10:00:00Z"),
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
        version: version.to_owned(),
        ..BackendInfo::default()
    };
    let cases = [
        ("node/test_abs", "Abs-13"),
        ("node/test_softmax", "Softmax-13"),
        ("light/test_squeezenet", "Conv-11"),
    ];
    let mut events = vec![Event::RunStarted(Box::new(started)), Event::BackendStarted(info)];
    for ((name, operator), verdict) in cases.into_iter().zip(verdicts) {
        events.push(Event::CaseFinished(Box::new(CaseRecord {
            case: format!("onnx-1.22.0/{name}"),
            also_in: Vec::new(),
            backend: "ort".to_owned(),
            verdict,
            reason: if verdict == PASS {
                String::new()
            } else {
                "=1+1, \"why\"".to_owned()
            },
            operators: vec![operator.to_owned()],
            outputs: vec![OutputStats {
                max_ulp: ulp,
                ..OutputStats::default()
            }],
            data_sets: Vec::new(),
            peak_bytes: None,
            load_ns: None,
            run_ns: None,
            official: None,
            level: Some(Level::Exact),
            place: None,
            attempts: 1,
        })));
    }
    events.push(Event::RunFinished(RunFinished {
        wall_s: 1.0,
        complete: true,
    }));
    Report::fold(events)
}

/// Four runs of three versions.
fn reports() -> [Report; 4] {
    [
        run(1, "1.9.0", [PASS, PASS, NO], 1.0),
        run(2, "1.10.0", [PASS, WRONG, NO], 2.0),
        run(3, "1.11.0", [PASS, NO, NO], f64::INFINITY),
        run(4, "1.11.0", [WRONG, WRONG, PASS], 3.0),
    ]
}

fn filled(folder: &Path) -> History {
    let mut history = History::create(&folder.join("h.sqlite")).unwrap();
    for report in reports() {
        let added = history.add(&Rows::of(&report, "")).unwrap();
        assert_eq!((added.runs, added.results, added.known), (1, 3, 0));
    }
    history
}

#[test]
fn a_run_is_added_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = filled(folder.path());
    let again = history.add(&Rows::of(&reports()[0], "another label")).unwrap();
    assert_eq!((again.runs, again.results, again.known), (0, 0, 1));
    assert_eq!(
        history.extent().unwrap(),
        (4, Some("2026-11-04T10:00:00Z".to_owned()))
    );
    assert_eq!(history.backends().unwrap(), ["ort"]);
}

#[test]
fn runs_have_their_counts_and_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let history = filled(folder.path());
    for name in [None, Some("ort"), Some("onnxruntime")] {
        let found = history.summaries(name, None, 10).unwrap();
        let counts: Vec<_> = found
            .iter()
            .map(|found| {
                (
                    found.verdict(VerdictKind::Pass),
                    found.verdict(VerdictKind::Mismatch),
                    found.broke,
                    found.fixed,
                )
            })
            .collect();
        let expected = [
            (2, 0, None, None),
            (1, 1, Some(1), Some(0)),
            (1, 0, Some(0), Some(0)),
            (1, 2, Some(1), Some(1)),
        ];
        assert_eq!(counts, expected);
    }
    assert!(history.summaries(Some("tract"), None, 10).unwrap().is_empty());
    assert_eq!(
        history.summaries(None, None, 1).unwrap()[0].started,
        "2026-11-04T10:00:00Z"
    );
    let of_abs = history.summaries(None, Some("Abs"), 10).unwrap();
    let ulps: Vec<_> = of_abs.iter().map(|found| (found.max_ulp, found.broke)).collect();
    // An infinite error is not a figure, and the last answer is wrong.
    assert_eq!(
        ulps,
        [
            (Some(1.0), None),
            (Some(2.0), Some(0)),
            (None, Some(0)),
            (None, Some(1))
        ]
    );
    assert_eq!(history.summaries(None, Some("Abs-13"), 10).unwrap(), of_abs);
    assert!(
        history.summaries(None, Some("Ab"), 10).unwrap()[0]
            .verdicts
            .is_empty()
    );
}

#[test]
fn the_first_bad_version_is_the_first_from_which_on_a_case_fails() {
    let folder = tempfile::tempdir().unwrap();
    let history = filled(folder.path());
    let found = history.first_bad("ort").unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|bad| (&*bad.test, &*bad.last_good, &*bad.first_bad, &*bad.verdict))
        .collect();
    let expected = [
        ("onnx-1.22.0/node/test_abs", "1.10.0", "1.11.0", "mismatch"),
        ("onnx-1.22.0/node/test_softmax", "1.9.0", "1.10.0", "mismatch"),
    ];
    assert_eq!(found, expected);
    assert!(history.first_bad("nobody").unwrap().is_empty());
}

#[test]
fn a_case_has_a_timeline_under_both_names() {
    let folder = tempfile::tempdir().unwrap();
    let history = filled(folder.path());
    for name in ["onnx-1.22.0/node/test_softmax", "node/test_softmax"] {
        let found = history.timeline(name, None).unwrap();
        let verdicts: Vec<&str> = found.iter().map(|place| place.verdict.as_str()).collect();
        assert_eq!(verdicts, ["pass", "mismatch", "unsupported", "mismatch"]);
        assert_eq!(found[2].max_ulp, Some(f64::INFINITY));
    }
    assert!(history.timeline("node/test_soft", None).unwrap().is_empty());
}

#[test]
fn exported_tables_are_imported_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let history = filled(folder.path());
    for format in [Format::JsonLines, Format::Csv] {
        let tables = folder.path().join(format.extension());
        let files = history.export(&tables, format).unwrap();
        assert_eq!(files.len(), 5);
        let mut copy =
            History::create(&folder.path().join(format!("{}.sqlite", format.extension()))).unwrap();
        let added = copy.add(&Rows::of_tables(&tables).unwrap()).unwrap();
        assert_eq!((added.runs, added.results, added.known), (4, 12, 0));
        let again = copy.add(&Rows::of_tables(&tables).unwrap()).unwrap();
        assert_eq!((again.runs, again.known), (0, 4));
        assert_eq!(
            copy.summaries(None, None, 10).unwrap(),
            history.summaries(None, None, 10).unwrap()
        );
        assert_eq!(copy.first_bad("ort").unwrap(), history.first_bad("ort").unwrap());
        assert_eq!(
            copy.timeline("node/test_abs", None).unwrap(),
            history.timeline("node/test_abs", None).unwrap()
        );
    }
    let table = std::fs::read_to_string(folder.path().join("csv/results.csv")).unwrap();
    assert!(
        table.contains("\"'=1+1, \"\"why\"\"\"") && !table.contains(",=1"),
        "{table}"
    );
}

#[test]
fn the_scoreboard_counts_like_its_own_runner() {
    let folder = tempfile::tempdir().unwrap();
    let history = filled(folder.path());
    let files = history.scoreboard("ort", folder.path()).unwrap();
    assert_eq!(files.len(), 4);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let report: serde_json::Value = serde_json::from_str(&read("report.json")).unwrap();
    assert_eq!(report["date"], "11/04/2026 10:00:00");
    assert_eq!(
        report["passed"],
        serde_json::json!(["OnnxBackendRealModelTest::test_squeezenet_cpu"])
    );
    assert_eq!(
        report["failed"],
        serde_json::json!([
            "OnnxBackendNodeModelTest::test_abs_cpu",
            "OnnxBackendNodeModelTest::test_softmax_cpu"
        ])
    );
    let trend: serde_json::Value = serde_json::from_str(&read("trend.json")).unwrap();
    assert_eq!(trend.as_array().unwrap().len(), 4);
    assert_eq!(
        (&trend[0]["passed"], &trend[0]["failed"], &trend[0]["skipped"]),
        (&2.into(), &0.into(), &1.into())
    );
    assert_eq!(
        trend[0]["versions"][0],
        serde_json::json!({"name": "ort", "version": "1.9.0"})
    );
    assert_eq!(
        trend[0]["versions"][1],
        serde_json::json!({"name": "onnx", "version": "1.22.0"})
    );
    let nodes = read("nodes.csv");
    assert!(
        nodes.starts_with("Op,ort\nAbs,Failed!\n") && nodes.contains("\nConv,Passed!\n"),
        "{nodes}"
    );
    assert!(
        nodes.ends_with(&format!(
            "Summary,1/{} node tests passed\n",
            nodes.lines().count() - 2
        )),
        "{nodes}"
    );
    assert_eq!(
        read("models.csv"),
        "Model,ort\nsqueezenet_old,1/1 nodes covered: Passed!\nSummary,1/1 model tests passed\n"
    );
    assert!(
        history
            .scoreboard("nobody", &folder.path().join("none"))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let check = |path: &Path, text: &str| {
        for opened in [History::open(path), History::create(path)] {
            let error = opened.unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
    };
    let absent = folder.path().join("absent");
    assert!(matches!(History::open(&absent), Err(HistoryError::Absent { .. })));
    let text = folder.path().join("text");
    std::fs::write(
        &text,
        "no database at all, but long enough to be taken for one".repeat(20),
    )
    .unwrap();
    check(&text, "not a database");
    let other = folder.path().join("other");
    Connection::open(&other)
        .unwrap()
        .execute_batch("CREATE TABLE t (a)")
        .unwrap();
    check(&other, "another program created it");
    let newer = folder.path().join("newer");
    drop(History::create(&newer).unwrap());
    Connection::open(&newer)
        .unwrap()
        .pragma_update(None, "user_version", 9)
        .unwrap();
    check(&newer, "its version is 9, expected 3");
    let tables = folder.path().join("tables");
    std::fs::create_dir(&tables).unwrap();
    assert!(
        Rows::of_tables(&tables)
            .unwrap_err()
            .to_string()
            .contains("neither runs.jsonl nor runs.csv")
    );
    std::fs::write(tables.join("runs.jsonl"), "{\"run\":1}\n").unwrap();
    assert!(
        Rows::of_tables(&tables)
            .unwrap_err()
            .to_string()
            .contains("line 1")
    );
}

#[test]
fn an_incomplete_run_is_not_added() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = RunLog::create(&folder.path().join("run.jsonl")).unwrap();
    log.write(&Event::RunStarted(Box::default())).unwrap();
    assert!(matches!(
        Rows::of_run(folder.path(), ""),
        Err(HistoryError::Incomplete { .. })
    ));
}

/// A history that a stranger changed by these commands is refused.
#[track_caller]
fn check_changed(commands: &str, said: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("h.sqlite");
    drop(History::create(&path).unwrap());
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(commands).unwrap();
    drop(connection);
    for opened in [History::open(&path), History::create(&path)] {
        let error = opened.expect_err(commands).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn tables_that_compute_their_rows_are_refused() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    for table in ["run", "backend", "result", "test", "latency"] {
        let commands = format!(
            "PRAGMA foreign_keys = OFF; DROP VIEW results; DROP TABLE {table}; CREATE VIEW {table} AS {endless}"
        );
        check_changed(&commands, &format!("it has a view `{table}`"));
    }
    check_changed(
        "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END",
        "it has a trigger `t`",
    );
    check_changed(
        "DROP VIEW results; DROP TABLE uses; CREATE VIRTUAL TABLE uses USING fts5(a)",
        "it has a table `uses`",
    );
}

#[test]
fn an_endless_query_is_interrupted() {
    let mut connection = Connection::open_in_memory().unwrap();
    bound_steps(&mut connection, 10_000_000).unwrap();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let error = connection
        .query_row(endless, [], |row| row.get::<_, i64>(0))
        .unwrap_err();
    let error = HistoryError::of(Path::new("h"), error);
    assert!(matches!(error, HistoryError::Endless { .. }), "{error}");
}

#[test]
fn a_history_is_a_regular_file() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for path in [&pipe, Path::new("/dev/zero"), folder.path()] {
        for opened in [History::open(path), History::create(path)] {
            let error = opened.expect_err("no history").to_string();
            assert!(error.contains("it is not a regular file"), "{error}");
        }
    }
}
