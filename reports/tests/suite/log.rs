//! The log survives the end of its writer, and a report can be made from it.

use std::fs::{self, OpenOptions};
use std::io::Write;

use run_record::Report;
use run_record::{Event, LogError, RunFinished, RunLog, RunStarted, TruncatedLine, Verdict, VerdictKind};

use crate::sample;

fn finished(name: &str, backend: &str, verdict: Verdict) -> Event {
    Event::CaseFinished(Box::new(sample::case(name, backend, verdict, "why")))
}

fn started(cases: u64, at: &str) -> Event {
    Event::RunStarted(Box::new(RunStarted {
        cases,
        started: at.into(),
        ..RunStarted::default()
    }))
}

#[test]
fn events_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let mut log = RunLog::create(&path).unwrap();
    sample::events()
        .iter()
        .for_each(|event| log.write(event).unwrap());
    let back = RunLog::read(&path).unwrap();
    // NaN is not equal to itself; the text is.
    assert_eq!(format!("{:?}", back.events), format!("{:?}", sample::events()));
    assert_eq!(back.truncated, None);
    assert!(fs::read_to_string(&path).unwrap().starts_with("{\"format\":6}\n"));
}

#[test]
fn a_killed_run_resumes_behind_its_last_whole_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let mut log = RunLog::create(&path).unwrap();
    log.write(&started(2, "first")).unwrap();
    log.write(&finished("node/a", "ort", Verdict::Pass)).unwrap();
    drop(log);
    OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(b"{\"event\":\"case_fin")
        .unwrap();

    let truncated = Some(TruncatedLine { line: 4, bytes: 18 });
    assert_eq!(RunLog::read(&path).unwrap().truncated, truncated);
    let (mut log, contents) = RunLog::resume(&path).unwrap();
    assert_eq!((contents.events.len(), contents.truncated), (2, truncated));
    log.write(&started(2, "second")).unwrap();
    log.write(&finished("node/b", "ort", Verdict::Pass)).unwrap();
    log.write(&Event::RunFinished(RunFinished {
        wall_s: 1.0,
        complete: true,
    }))
    .unwrap();

    let contents = RunLog::read(&path).unwrap();
    assert_eq!(contents.truncated, None);
    let report = Report::fold(contents.events);
    assert_eq!(
        (report.resumed, report.started.started.as_str(), report.complete),
        (1, "first", true)
    );
    assert_eq!(report.backends[0].tally.passed(), 2);
}

#[test]
fn a_log_torn_in_its_header_starts_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    fs::write(&path, "{\"for").unwrap();
    let (mut log, contents) = RunLog::resume(&path).unwrap();
    assert!(contents.events.is_empty() && contents.truncated.is_some());
    log.write(&started(1, "now")).unwrap();
    assert_eq!(RunLog::read(&path).unwrap().events.len(), 1);
}

#[test]
fn foreign_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let check = |text: &str, expected: fn(&LogError) -> bool| {
        fs::write(&path, text).unwrap();
        let error = RunLog::read(&path).unwrap_err();
        assert!(expected(&error), "{text:?} gave: {error}");
        assert!(error.to_string().contains("run.jsonl"), "{error}");
    };
    check("", |error| matches!(error, LogError::NoHeader { .. }));
    check("hello\n", |error| matches!(error, LogError::NoHeader { .. }));
    check("{\"format\":1}\n", |error| {
        matches!(error, LogError::Format { format: 1, .. })
    });
    check("{\"format\":6}\n\0\0\n", |error| {
        matches!(error, LogError::Line { line: 2, .. })
    });
    check("{\"format\":6}\n{\"event\":\"party\"}\n", |error| {
        matches!(error, LogError::Line { line: 2, .. })
    });
}

#[test]
fn the_last_word_counts_and_nothing_missing_passes() {
    let report = Report::fold([
        started(5, "now"),
        finished("node/b", "tract", Verdict::Pass),
        finished("node/a", "tract", Verdict::Crash { signal: Some(11) }),
        finished("node/a", "tract", Verdict::Timeout),
        finished("node/a", "ort", Verdict::Pass),
        Event::BackendFinished {
            backend: "tract".into(),
            wall_s: 1.5,
        },
        Event::BackendFinished {
            backend: "tract".into(),
            wall_s: 0.5,
        },
        Event::PhaseFinished {
            name: "backends".into(),
            wall_s: 1.0,
        },
        Event::PhaseFinished {
            name: "backends".into(),
            wall_s: 2.0,
        },
    ]);
    let order: Vec<_> = report
        .cases
        .iter()
        .map(|r| (r.case.as_str(), r.backend.as_str()))
        .collect();
    let expected = [
        ("onnx-1.22.0/node/a", "tract"),
        ("onnx-1.22.0/node/a", "ort"),
        ("onnx-1.22.0/node/b", "tract"),
    ];
    assert_eq!(order, expected);
    let tract = &report.backends[0];
    let counts = [
        VerdictKind::Pass,
        VerdictKind::Crash,
        VerdictKind::Timeout,
        VerdictKind::NotRun,
    ];
    assert_eq!(counts.map(|kind| tract.tally.get(kind)), [1, 0, 1, 3]);
    assert_eq!(
        (tract.wall_s, report.phases.clone()),
        (2.0, vec![("backends".to_owned(), 3.0)])
    );
    assert!(!report.complete, "a run without an end is not complete");
}

/// A log of a complete run, in lines.
fn lines() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let mut log = RunLog::create(&path).unwrap();
    log.write(&started(3, "first")).unwrap();
    for (name, verdict) in [
        ("a", Verdict::Pass),
        ("b", Verdict::Timeout),
        ("c", Verdict::Pass),
    ] {
        log.write(&finished(&format!("node/{name}"), "ort", verdict))
            .unwrap();
    }
    log.write(&Event::RunFinished(RunFinished {
        wall_s: 1.0,
        complete: true,
    }))
    .unwrap();
    let bytes = fs::read(&path).unwrap();
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}

/// Damage is an error, or makes the run incomplete: it never gives another complete result.
#[track_caller]
fn check_damaged(what: &str, bytes: &[u8]) {
    let read = RunLog::parse("run.jsonl".as_ref(), bytes);
    if let Ok(contents) = read {
        let report = Report::fold(contents.events);
        assert!(!report.complete, "{what} is accepted");
    }
}

#[test]
fn every_damage_of_a_log_is_found() {
    let whole = lines().concat();
    assert!(Report::fold(RunLog::parse("run.jsonl".as_ref(), &whole).unwrap().events).complete);
    for at in 0..whole.len() {
        check_damaged(&format!("the end at byte {at}"), &whole[..at]);
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            check_damaged(&format!("bit {bit} of byte {at}"), &bytes);
        }
    }
    let count = lines().len();
    for at in 0..count {
        let mut removed = lines();
        removed.remove(at);
        check_damaged(&format!("no line {at}"), &removed.concat());
        let mut twice = lines();
        twice.insert(at, lines()[at].clone());
        check_damaged(&format!("line {at} twice"), &twice.concat());
        let mut swapped = lines();
        swapped.swap(at, (at + 1) % count);
        check_damaged(&format!("line {at} swapped"), &swapped.concat());
    }
    let extra = [whole.as_slice(), b"{\"event\":\"case_fin"].concat();
    check_damaged("a part of a line at the end", &extra);
}
