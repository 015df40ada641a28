//! Compares two runs; the exit code shows whether a case broke.

use std::fs;

use crate::program::{self, Place};

#[test]
fn a_broken_case_is_named_and_gives_exit_code_1() {
    let place = Place::with_cases(&[("kept", "healthy"), ("turned", "healthy"), ("gone", "healthy")]);
    let run = "conformance --no-bounds --noise 0 --cases cases --backend cmd:MOCK --out";
    assert_eq!(place.run(&format!("{run} before")).code, Some(0));
    assert_eq!(place.run("diff before before").code, Some(0));
    program::write_case(&place.at("cases/turned"), "run:wrong-shape");
    fs::remove_dir_all(place.at("cases/gone")).unwrap();
    assert_eq!(place.run(&format!("{run} after")).code, Some(0));

    let ended = place.run("diff before after --out compared");
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(
        ended
            .stdout
            .contains("1 regressed, 1 case gone of 2 cases compared"),
        "{}",
        ended.stdout
    );
    assert!(
        ended.stdout.contains("local/cases/turned: pass"),
        "{}",
        ended.stdout
    );
    for file in ["diff.html", "diff.md", "diff.json"] {
        assert!(
            place.read(&format!("compared/{file}")).contains("turned"),
            "{file}"
        );
    }
    for (line, code) in [
        ("diff after before", 0),
        ("diff after before --fail-on fixed", 1),
        ("diff before after --fail-on none", 0),
        ("diff before after --fail-on less_accurate", 0),
        ("diff before after --fail-on nonsense", 2),
        ("diff before nowhere", 2),
        ("diff before after --out cases/kept/model.onnx", 73),
        ("diff before after --format json", 1),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, Some(code), "{line}: {}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn runs_without_a_common_case_are_not_compared() {
    let place = Place::with_cases(&[("a", "healthy")]);
    let run = "conformance --no-bounds --noise 0 --cases cases --backend cmd:MOCK --out";
    place.run(&format!("{run} before"));
    fs::rename(place.at("cases/a"), place.at("cases/b")).unwrap();
    place.run(&format!("{run} after"));
    let ended = place.run("diff before after");
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("no case in common"), "{}", ended.stderr);
}

#[test]
fn all_changes_are_listed_on_request() {
    let names: Vec<String> = (0..30).map(|number| format!("case{number:02}")).collect();
    let cases: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "healthy")).collect();
    let place = Place::with_cases(&cases);
    let run = "conformance --no-bounds --noise 0 --cases cases --backend cmd:MOCK --out";
    place.run(&format!("{run} before"));
    for name in &names {
        program::write_case(&place.at(format!("cases/{name}")), "run:wrong-shape");
    }
    place.run(&format!("{run} after"));
    for (line, listed) in [
        ("diff before after", 20),
        ("diff before after --all", 30),
        ("diff before after --format markdown --all", 30),
    ] {
        let ended = place.run(line);
        let lines = names.iter().filter(|name| ended.stdout.contains(*name));
        assert_eq!(lines.count(), listed, "{line}: {}", ended.stdout);
        assert_eq!(
            ended.stdout.contains("--all"),
            listed < 30,
            "{line}: {}",
            ended.stdout
        );
    }
}
