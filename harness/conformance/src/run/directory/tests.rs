use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;

use run_record::{CaseRecord, RunFinished};

use super::*;

const NEW: Earlier = Earlier {
    resume: false,
    force: false,
};
const RESUME: Earlier = Earlier {
    resume: true,
    force: false,
};

fn started(cases: &str) -> RunStarted {
    RunStarted {
        fingerprint: BTreeMap::from([("cases".to_owned(), cases.to_owned())]),
        ..RunStarted::default()
    }
}

fn finished(verdict: Verdict) -> Event {
    let text = r#"{"case":"a/b/c","backend":"x","verdict":{"kind":"pass"},"reason":"","operators":[],"outputs":[],
        "load_ns":null,"run_ns":null,"official":null,"level":null,"place":null,"attempts":1}"#;
    let record: CaseRecord = serde_json::from_str(text).unwrap();
    Event::CaseFinished(Box::new(CaseRecord { verdict, ..record }))
}

/// A folder with the log of a run on `cases` that ended in this way; `None`: without end.
fn folder(cases: &str, end: Option<bool>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut log = RunLog::create(&folder.path().join(LOG)).unwrap();
    log.write(&Event::RunStarted(Box::new(started(cases)))).unwrap();
    log.write(&finished(Verdict::Pass)).unwrap();
    log.write(&finished(Verdict::NotRun)).unwrap();
    if let Some(complete) = end {
        log.write(&Event::RunFinished(RunFinished {
            wall_s: 1.0,
            complete,
        }))
        .unwrap();
    }
    folder
}

/// Opens the log and checks its events and the number of discarded results, or the start of the error;
/// an error leaves the log unchanged.
#[track_caller]
fn check(folder: &Path, cases: &str, earlier: Earlier, expected: Result<(usize, usize), &str>) {
    let before = fs::read(folder.join(LOG)).ok();
    let directory = RunDirectory::take(folder).unwrap();
    let opened = directory.open_log(&started(cases), earlier);
    match (opened, expected) {
        (Ok(open), Ok(expected)) => assert_eq!((open.events.len(), open.discarded), expected),
        (Err(error), Err(expected)) => {
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(fs::read(folder.join(LOG)).ok(), before, "the log was changed");
        }
        (opened, expected) => panic!("{opened:?}, expected {expected:?}"),
    }
}

#[test]
fn a_complete_run_is_replaced_and_an_interrupted_one_is_not() {
    let force = Earlier { force: true, ..NEW };
    check(folder("1", Some(true)).path(), "2", NEW, Ok((0, 0)));
    for end in [None, Some(false)] {
        let interrupted = folder("1", end);
        check(
            interrupted.path(),
            "1",
            NEW,
            Err("has 1 result of an interrupted run"),
        );
        check(interrupted.path(), "1", force, Ok((0, 1)));
    }
    let empty = tempfile::tempdir().unwrap();
    check(empty.path(), "1", NEW, Ok((0, 0)));
    fs::write(empty.path().join(LOG), "something else").unwrap();
    check(empty.path(), "1", NEW, Ok((0, 0)));
}

#[test]
fn only_the_same_run_is_resumed() {
    let force = Earlier {
        force: true,
        ..RESUME
    };
    check(folder("1", None).path(), "1", RESUME, Ok((3, 0)));
    let other = folder("1", None);
    check(other.path(), "2", RESUME, Err("cases was 1 and is 2"));
    check(other.path(), "2", force, Ok((0, 1)));
    let empty = tempfile::tempdir().unwrap();
    check(empty.path(), "1", RESUME, Err("there is no run to resume"));
    fs::write(empty.path().join(LOG), "something else\n").unwrap();
    check(empty.path(), "1", RESUME, Err("is not a run log"));
}

#[test]
fn a_folder_is_locked_by_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let first = RunDirectory::take(folder.path()).unwrap();
    let error = RunDirectory::take(folder.path()).unwrap_err().to_string();
    let holder = format!("is in use by another run (process {})", std::process::id());
    assert!(error.contains(&holder), "{error}");
    drop(first);
    RunDirectory::take(folder.path()).unwrap();
}

/// A run never writes through a link that it did not make.
#[test]
fn links_are_refused_or_replaced() {
    let force = Earlier { force: true, ..NEW };
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    for (link, target) in [
        ("out/run.lock", "../victim"),
        ("out", "other"),
        ("out/run.jsonl", "../victim"),
    ] {
        fs::create_dir_all(at("other")).unwrap();
        fs::write(at("victim"), "kept").unwrap();
        fs::create_dir_all(at(link).parent().unwrap()).unwrap();
        symlink(target, at(link)).unwrap();
        let taken = RunDirectory::take(&at("out"));
        match (link, taken) {
            ("out/run.jsonl", Ok(directory)) => {
                directory.open_log(&started("1"), force).unwrap();
                assert!(!at(link).is_symlink());
            }
            ("out/run.lock" | "out", Err(error)) => {
                assert!(error.to_string().contains("symbolic link"), "{error}");
            }
            (link, taken) => panic!("{link}: {taken:?}"),
        }
        assert_eq!(fs::read(at("victim")).unwrap(), b"kept");
        assert_eq!(fs::read_dir(at("other")).unwrap().count(), 0);
        let _ = fs::remove_file(at("out"));
        let _ = fs::remove_dir_all(at("out"));
    }
}
