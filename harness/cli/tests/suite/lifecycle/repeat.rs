//! The command in a report repeats its case, and no other.

use std::collections::BTreeSet;

use crate::program::{self, MOCK, Place, ended};

/// The commands in the JUnit file of a run, as words, with XML entities decoded.
fn commands(place: &Place) -> Vec<Vec<String>> {
    let report = place.read("out/junit.xml");
    let report = report
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&");
    let is_command = |line: &&str| line.contains(" conformance ") && line.contains("--filter");
    let lines = report.lines().filter(is_command);
    let command = |line: &str| line.split('<').next().map(str::to_owned);
    let words = |line: String| shlex::split(&line).unwrap_or_else(|| panic!("{line}"));
    lines.filter_map(command).map(words).collect()
}

/// Runs cases that fail, then each command in the report: it selects its own case and no other (for a
/// variant, also the plain case), and judges it by the same policy. Returns the number of commands.
#[track_caller]
fn check(place: &Place, arguments: &str) -> usize {
    let backend = format!("cmd:{MOCK} slow 0");
    let run = format!(
        "conformance --out out --no-bounds --noise 0 --policy strict {arguments} --backend '{backend}'"
    );
    let first = place.run(&run);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let failed: BTreeSet<String> = place
        .report("out")
        .cases
        .into_iter()
        .map(|record| record.case)
        .collect();
    let mut repeated = BTreeSet::new();
    for words in commands(place) {
        let (program, arguments) = words.split_first().expect("a program");
        let mut command = std::process::Command::new(program);
        let ended = ended(
            command
                .args(arguments)
                .args(["--out", "again"])
                .current_dir(place.at("")),
        );
        assert_eq!(ended.code, Some(0), "{words:?}: {}", ended.stderr);
        let again = place.report("again");
        assert_eq!(again.started.policy.name, "strict", "{words:?}");
        let filter = words.last().expect("a filter");
        for record in &again.cases {
            assert_eq!(record.backend, backend);
            let plain = filter.split('~').next().unwrap_or_default();
            let own = again.cases.len() == 1 || record.case == *filter || record.case == plain;
            assert!(own, "{words:?} ran {}", record.case);
            repeated.insert(record.case.clone());
        }
    }
    assert_eq!(repeated, failed);
    repeated.len()
}

#[test]
fn a_local_case_is_repeated_alone() {
    let names = [
        "test_add",
        "test_add_bcast",
        "a [1]*",
        "a 1b",
        "it's {x,y}",
        "back\\slash",
    ];
    let place = Place::with_cases(&names.map(|name| (name, "run:wrong-dtype")));
    assert_eq!(check(&place, "--cases ./cases"), names.len());
    program::write_case(&place.at("models/single"), "run:wrong-dtype");
    let arguments = "--cases models/single/model.onnx --timeout 12.5 --runs 2 --memory 4";
    assert_eq!(check(&place, arguments), 1);
}

#[test]
fn an_own_case_is_repeated_alone() {
    let place = Place::new();
    assert_eq!(check(&place, "--builtin --filter own/Abs/double*"), 3);
}

#[test]
fn a_variant_is_repeated_alone() {
    let place = Place::new();
    assert!(check(&place, "--builtin --variants --filter own/Abs/double*") > 10);
}

#[test]
fn an_official_case_is_repeated_alone() {
    let place = Place::new();
    let arguments =
        "--release 1.22 --filter '*/test_dft' --filter '*/test_dft_opset19' --filter '*/test_dft_axis'";
    assert_eq!(check(&place, arguments), 3);
}
