//! A gate accepts what it is told by name, and only what says something of the backend.

use crate::program::{self, Place};

#[test]
fn an_id_is_accepted_and_its_neighbours_are_not() {
    let wrong = "run:wrong-shape";
    let place = Place::with_cases(&[("test_add", wrong), ("test_add_bcast", wrong), ("other", wrong)]);
    let gate = "gate --cases cases --backend cmd:MOCK --baseline b.toml";
    for (pattern, code, accepted) in [
        ("test_add", 1, 0),
        ("local/cases/test_add", 1, 1),
        ("local/cases/test_a*_bcast", 1, 2),
        ("*", 0, 3),
    ] {
        let ended = place.run(&format!("{gate} --accept '{pattern}'"));
        assert_eq!(ended.code, Some(code), "{pattern}: {}", ended.stderr);
        assert_eq!(
            place.read("b.toml").matches("mismatch").count(),
            accepted,
            "{pattern}"
        );
        let unnamed = ended.stderr.contains("names no case that differs");
        assert_eq!(unnamed, accepted == 0, "{pattern}: {}", ended.stderr);
    }
    assert_eq!(place.run(gate).code, Some(0));
}

#[test]
fn what_cannot_be_read_is_never_accepted() {
    let place = Place::with_cases(&[("good", "healthy"), ("torn", "healthy")]);
    place.write("cases/torn/model.onnx", "no model");
    let gate = "gate --cases cases --backend cmd:MOCK --baseline b.toml --accept '*'";
    for _ in 0..2 {
        let ended = place.run(gate);
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(
            ended.stdout.contains("local/cases/torn was pass, is skipped"),
            "{}",
            ended.stdout
        );
        assert!(!place.read("b.toml").contains("torn"), "{}", place.read("b.toml"));
    }
    program::write_case(&place.at("cases/torn"), "healthy");
    assert_eq!(place.run(gate).code, Some(0));
}

#[test]
fn reports_of_a_gate_know_its_baseline() {
    let place = Place::with_cases(&[("good", "healthy"), ("wrong", "run:wrong-shape")]);
    let gate = "gate --cases cases --backend cmd:MOCK --baseline b.toml";
    assert_eq!(place.run(&format!("{gate} --accept '*'")).code, Some(0));
    let line = 1 + place
        .read("b.toml")
        .lines()
        .position(|line| line.contains("cases/wrong"))
        .unwrap();

    // As the baseline says: no report shows a failure.
    let ended = place.run(&format!("{gate} --out out"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let junit = place.read("out/junit.xml");
    assert!(junit.contains("failures=\"0\" errors=\"0\""), "{junit}");
    assert!(
        junit.contains(&format!("known failure (b.toml:{line})")),
        "{junit}"
    );
    assert_eq!(place.read("out/annotations.txt"), "");
    assert!(place.read("out/report.html").contains("✓ Release"));

    // Worse: each report says so, at the line of the baseline.
    program::write_case(&place.at("cases/good"), "run:wrong-shape");
    program::write_case(&place.at("cases/wrong"), "run:exit-3");
    let ended = place.run(&format!("{gate} --out out --format github"));
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let at_line = format!("::error file=b.toml,line={line},");
    assert!(ended.stdout.contains(&at_line), "{}", ended.stdout);
    assert_eq!(place.read("out/annotations.txt").matches("::error ").count(), 2);
    assert!(
        place
            .read("out/junit.xml")
            .contains("failures=\"1\" errors=\"1\""),
        "{}",
        place.read("out/junit.xml")
    );
    assert!(place.read("out/report.html").contains("✗ Do not release"));
    assert!(
        place
            .read("out/summary.md")
            .contains("2 cases are worse than the baseline says")
    );
    let issues: serde_json::Value = serde_json::from_str(&place.read("out/code-quality.json")).unwrap();
    assert_eq!(issues.as_array().unwrap().len(), 2);

    let ended = place.run(&format!("{gate} --run out --format json"));
    let decision: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (&decision["exit"], &decision["open"]),
        (&1.into(), &false.into()),
        "{decision}"
    );
    assert_eq!(decision["changes"].as_array().unwrap().len(), 2);
}

#[test]
fn a_strict_gate_fails_in_junit_too() {
    let place = Place::with_cases(&[("turned", "run:wrong-shape")]);
    let gate = "gate --cases cases --backend cmd:MOCK --baseline b.toml --out out";
    assert_eq!(place.run(&format!("{gate} --accept '*'")).code, Some(0));
    program::write_case(&place.at("cases/turned"), "healthy");
    for (arguments, code, failures) in [("", 0, 0), (" --strict", 8, 1)] {
        let ended = place.run(&format!("{gate}{arguments}"));
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
        let junit = place.read("out/junit.xml");
        assert!(junit.contains(&format!("failures=\"{failures}\"")), "{junit}");
        assert!(junit.contains("unexpected pass"), "{junit}");
    }
}
