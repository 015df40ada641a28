//! Only the same run is resumed, and an earlier one is never lost by mistake.

use std::fs;
use std::process::Stdio;

use rustix::process::Signal;

use crate::program::{self, Place, ended, signal, until, wait};

const RUN: &str =
    "conformance --no-bounds --noise 0 --jobs 1 --cases cases --out out --backend 'cmd:MOCK slow 1'";

/// A run with one finished and one hanging case, interrupted.
fn interrupted() -> Place {
    let place = Place::with_cases(&[("a", "healthy"), ("b", "run:hang"), ("c", "healthy")]);
    let mut child = place
        .command(&format!("{RUN} --timeout 3"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let log = || fs::read_to_string(place.at("out/run.jsonl")).unwrap_or_default();
    until("the first case is done", || {
        log().contains("case_finished").then_some(())
    });
    signal(&child, Signal::INT);
    assert_eq!(wait(&mut child).code(), Some(5));
    place.assert_no_process_left();
    place
}

/// Checks that a command line ends with code 2 and this message, and that the log is unchanged.
#[track_caller]
fn check_refused(place: &Place, line: &str, said: &str) {
    let before = place.read("out/run.jsonl");
    let ended = place.run(line);
    assert_eq!(ended.code, Some(2), "{line}: {}", ended.stderr);
    assert!(
        ended.stderr.contains(said),
        "{line}: wanted `{said}` in\n{}",
        ended.stderr
    );
    assert_eq!(place.read("out/run.jsonl"), before, "{line}: the log was changed");
}

#[test]
fn a_mistake_loses_no_results() {
    let place = interrupted();
    for (arguments, said) in [
        ("", "has 1 result of an interrupted run"),
        ("--resume --policy strict", "policy was official"),
        ("--resume --timeout 5", "timeout was 3s and is 5s"),
        ("--resume --runs 2", "runs was 1 and is 2"),
        ("--resume --memory 2", "memory was "),
        ("--resume --filter cases/a", "cases was 3 "),
        ("--resume --variants", "cases was 3 "),
        ("--resume --backend cmd:MOCK", "backends was "),
        ("--policy mistyped", "there is no policy `mistyped`"),
        ("--tolerances none.toml", "cannot read the tolerances"),
        ("--backend 'cmd:MOCK --opt any=1'", "option `any`: unknown"),
        ("--filter '*[a'", "is not a pattern of cases"),
    ] {
        check_refused(&place, &format!("{RUN} {arguments}"), said);
    }
    program::write_case(&place.at("cases/c"), "run:exit-3");
    check_refused(&place, &format!("{RUN} --resume"), "cases was 3 ");
}

#[test]
fn discarded_results_are_reported() {
    let place = interrupted();
    program::write_case(&place.at("cases/b"), "healthy");
    let ended = place.run(&format!("{RUN} --resume --force"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let said = "discarded 1 result of an interrupted run in out/run.jsonl";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
    let again = place.run(RUN);
    assert_eq!(
        again.code,
        Some(0),
        "a complete run is replaced: {}",
        again.stderr
    );
    assert!(!again.stderr.contains("discarded"), "{}", again.stderr);
}

#[test]
fn the_same_run_is_resumed() {
    let place = interrupted();
    let ended = place.run(&format!("{RUN} --timeout 3 --resume"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("2 of 2 cases"), "{}", ended.stderr);
    let results = place.read("out/results.csv");
    assert_eq!(results.matches(",pass,").count(), 2, "{results}");
    assert_eq!(results.matches(",timeout,").count(), 1, "{results}");
    assert!(place.read("out/summary.json").contains("\"complete\": true"));
}

#[test]
fn a_folder_belongs_to_one_run_at_a_time() {
    let place = Place::with_cases(&[("a", "run:hang")]);
    let line = format!("{RUN} --timeout 600");
    let mut first = place
        .command(&line)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the first run has begun", || {
        place.at("out/run.jsonl").exists().then_some(())
    });
    for arguments in ["", "--force", "--resume"] {
        let said = format!("is in use by another run (process {})", first.id());
        check_refused(&place, &format!("{line} {arguments}"), &said);
    }
    signal(&first, Signal::KILL);
    wait(&mut first);
    let second = place.run(&format!("{RUN} --timeout 1 --force"));
    assert_eq!(
        second.code,
        Some(0),
        "a killed run holds no lock: {}",
        second.stderr
    );
    place.assert_no_process_left();
}

#[test]
fn with_a_reference_that_is_too_old_an_earlier_run_is_kept() {
    let place = Place::with_cases(&[("a", "healthy")]);
    assert_eq!(place.run(RUN).code, Some(0));
    let before = place.read("out/run.jsonl");
    for (switched_on, option) in [("--noise 0", "reading"), ("--no-bounds", "arithmetic")] {
        let line = RUN.replace("--no-bounds --noise 0", switched_on);
        let ended = ended(&mut place.command_with_mock_reference(&format!("{line} --force")));
        let said = format!("option `{option}`: unknown");
        assert_eq!(ended.code, Some(2), "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(&said), "{line}: {}", ended.stderr);
        assert_eq!(place.read("out/run.jsonl"), before, "{line}: the log was changed");
    }
}
