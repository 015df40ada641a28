//! Folders that a stranger prepared, and answers that fill every text: what the program writes, and where.

use std::fs;
use std::os::unix::fs::symlink;

use crate::program::Place;

const RUN: &str = "conformance --no-bounds --noise 0 --cases cases --backend mine=cmd:MOCK --out out";

/// Runs a line and checks its exit code and a part of its output.
#[track_caller]
fn check(place: &Place, line: &str, code: i32, said: &str) {
    let ended = place.run(line);
    let all = format!("{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.code, Some(code), "{line}: {all}");
    assert!(all.contains(said), "{line}: wanted `{said}` in\n{all}");
}

#[test]
fn a_run_does_not_write_through_links() {
    for (link, target, code, said) in [
        ("out", "other", 73, "symbolic link"),
        ("out/run.lock", "../victim", 73, "symbolic link"),
        ("out/pictures", "../other", 73, "cannot write"),
        ("out/run.jsonl", "../victim", 0, ""),
        ("out/report.html", "../victim", 0, ""),
        ("out/summary.json", "nowhere", 0, ""),
    ] {
        let place = Place::with_cases(&[("a", "healthy")]);
        fs::create_dir(place.at("other")).unwrap();
        place.write("victim", "kept");
        if link != "out" {
            fs::create_dir(place.at("out")).unwrap();
        }
        symlink(target, place.at(link)).unwrap();
        check(&place, RUN, code, said);
        assert_eq!(place.read("victim"), "kept", "{link}");
        assert_eq!(fs::read_dir(place.at("other")).unwrap().count(), 0, "{link}");
        assert!(!place.at("out/nowhere").exists(), "{link}");
        assert_eq!(place.at(link).is_symlink(), code != 0, "{link}");
    }
}

#[test]
fn the_longest_messages_stay_short_in_every_file() {
    let names: Vec<String> = (0..20).map(|number| format!("c{number}")).collect();
    let cases: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), "run:long-message"))
        .collect();
    let place = Place::with_cases(&cases);
    check(&place, RUN, 0, "");
    let log = place.read("out/run.jsonl");
    assert_eq!(log.matches("bytes left out").count(), cases.len());
    for file in fs::read_dir(place.at("out")).unwrap().flatten() {
        // The pages have styles, scripts and a font; each case adds at most its message, escaped.
        let length = file.metadata().unwrap().len();
        assert!(length < 600_000, "{}: {length}", file.path().display());
    }
}

#[test]
fn a_backend_that_refuses_its_options_during_the_run_is_missing() {
    let place = Place::with_cases(&[("a", "healthy"), ("b", "run:option")]);
    check(&place, RUN, 6, "the run is incomplete: 1 result missing");
    assert!(
        place
            .read("out/results.csv")
            .contains("option `threads`: no such option any more")
    );
}

#[test]
fn a_changed_log_opens_no_gate() {
    let place = Place::with_cases(&[("a", "healthy"), ("b", "run:wrong-shape")]);
    check(&place, RUN, 0, "");
    let gate = "gate --backend mine=cmd:MOCK --run out --baseline b.toml";
    check(&place, &format!("{gate} --accept '*'"), 0, "");
    check(&place, gate, 0, "");
    let log = place.read("out/run.jsonl");
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    for at in 1..lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(at);
        place.write("out/run.jsonl", &fewer.concat());
        let ended = place.run(gate);
        assert!(ended.code != Some(0), "without line {at}: {}", lines[at]);
    }
    place.write("out/run.jsonl", &log.replace("local/cases/a", "local/cases/z"));
    check(&place, gate, 2, "was changed after it was written");
}
