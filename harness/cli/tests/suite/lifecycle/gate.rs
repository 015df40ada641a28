//! A gate accepts only named findings, and only results of the backend.

use crate::program::{self, Place};

#[test]
fn an_id_is_accepted_and_its_neighbours_are_not() {
    let wrong = "run:wrong-shape";
    let place = Place::with_cases(&[("test_add", wrong), ("test_add_bcast", wrong), ("other", wrong)]);
    let gate = "gate --no-bounds --policy official --cases cases --backend cmd:MOCK --baseline b.toml";
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
        let unnamed = ended.stderr.contains("matches no case that differs");
        assert_eq!(unnamed, accepted == 0, "{pattern}: {}", ended.stderr);
    }
    assert_eq!(place.run(gate).code, Some(0));
}

#[test]
fn a_case_that_cannot_be_read_is_never_accepted() {
    let place = Place::with_cases(&[("good", "healthy"), ("torn", "healthy")]);
    place.write("cases/torn/model.onnx", "no model");
    let gate =
        "gate --no-bounds --policy official --cases cases --backend cmd:MOCK --baseline b.toml --accept '*'";
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
fn reports_of_a_gate_use_its_baseline() {
    let place = Place::with_cases(&[("good", "healthy"), ("wrong", "run:exit-3")]);
    let gate = "gate --no-bounds --policy official --cases cases --backend cmd:MOCK --baseline b.toml";
    assert_eq!(place.run(&format!("{gate} --accept '*'")).code, Some(0));
    let line = 1 + place
        .read("b.toml")
        .lines()
        .position(|line| line.contains("cases/wrong"))
        .unwrap();

    // As the baseline expects: no report shows a failure.
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

    // Worse: each report shows it, with the line of the baseline.
    program::write_case(&place.at("cases/good"), "run:exit-3");
    program::write_case(&place.at("cases/wrong"), "run:wrong-shape");
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
fn a_case_that_an_earlier_run_does_not_select_has_not_vanished() {
    let place = Place::with_cases(&[("one", "run:wrong-shape"), ("two", "run:wrong-shape")]);
    let backend = "--no-bounds --policy official --cases cases --backend cmd:MOCK";
    let accept = format!("gate {backend} --baseline b.toml --accept '*'");
    assert_eq!(place.run(&accept).code, Some(0));
    let run = format!("conformance {backend} --noise 0 --filter '*/one' --out part");
    assert_eq!(place.run(&run).code, Some(0));
    let gate = "gate --backend cmd:MOCK --baseline b.toml --run part";
    let ended = place.run(gate);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("1 case of the baseline that it has not is not looked for"),
        "{}",
        ended.stderr
    );
    // Asked for, it is missing.
    let ended = place.run(&format!("{gate} --filter '*/two'"));
    assert_ne!(ended.code, Some(0), "{}", ended.stdout);
}

#[test]
fn a_strict_gate_fails_in_junit_too() {
    let place = Place::with_cases(&[("turned", "run:wrong-shape")]);
    let gate =
        "gate --no-bounds --policy official --cases cases --backend cmd:MOCK --baseline b.toml --out out";
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

#[test]
fn waivers_expire_and_are_renewed_with_a_date() {
    let place = Place::with_cases(&[("wrong", "run:wrong-shape")]);
    let gate = "gate --no-bounds --policy official --cases cases --backend cmd:MOCK --baseline b.toml";
    let accept = format!("{gate} --accept '*' --owner ada --expires 2027-03-01 --today 2026-11-22");
    assert_eq!(place.run(&accept).code, Some(0));
    let text = place
        .read("b.toml")
        .replace("[cases]\n", "[cases]\n# upstream issue 7\n");
    place.write("b.toml", &text);
    for (line, code, said) in [
        ("--today 2027-01-01", 0, ""),
        (
            "--today 2027-02-10",
            0,
            "waiver of local/cases/wrong expires in 19 days (owner ada)",
        ),
        ("--today 2027-02-10 --due 10", 0, ""),
        ("--today 2027-03-01", 0, "expires today"),
        ("--today 2027-03-02", 1, "its waiver expired after 2027-03-01"),
        ("--today 2027-03-02 --accept '*'", 2, ""),
        ("--today 2027-03-02 --accept '*' --expires 2027-03-01", 2, ""),
        ("--today 2027-03-02 --accept '*' --expires 2027-09-01", 0, ""),
        ("--today 2027-03-02 --strict", 0, ""),
        ("--today yesterday", 2, ""),
        ("--owner bob", 2, ""),
    ] {
        let ended = place.run(&format!("{gate} {line}"));
        assert_eq!(ended.code, Some(code), "{line}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains(said), "{line}: {}", ended.stdout);
        if said.is_empty() && code == 0 {
            assert!(!ended.stdout.contains("waiver"), "{line}: {}", ended.stdout);
        }
    }
    let text = place.read("b.toml");
    assert!(
        text.contains("# upstream issue 7\n") && text.contains("owner = \"ada\", expires = 2027-09-01"),
        "{text}"
    );
}

#[test]
fn a_quarantined_case_closes_no_gate_and_is_listed() {
    let place = Place::with_cases(&[("good", "healthy"), ("wild", "run:exit-3")]);
    let gate = "gate --no-bounds --policy official --cases cases --backend cmd:MOCK --baseline b.toml --today 2026-11-22 --out out";
    place.write(
        "b.toml",
        &format!(
            "format = 1\nbackend = \"cmd:{}\"\n[cases]\n[quarantine]\n\
             \"local/cases/wild\" = {{ reason = \"crashes at times\", owner = \"ada\", expires = 2026-12-01 }}\n",
            program::MOCK
        ),
    );
    let ended = place.run(gate);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let line = "in quarantine: local/cases/wild is crash (owner ada, until 2026-12-01): crashes at times";
    assert!(ended.stdout.contains(line), "{}", ended.stdout);
    assert!(
        place
            .read("out/junit.xml")
            .contains("in quarantine (b.toml:5, owner ada")
    );
    assert!(
        place
            .read("out/report.html")
            .contains("1 cases are in quarantine")
    );
    let ended = place.run(&format!("{gate} --today 2026-12-02"));
    assert_eq!(ended.code, Some(2), "given twice: {}", ended.stderr);
    let ended = place.run(&gate.replace("2026-11-22", "2026-12-02"));
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stdout.contains("its waiver expired"), "{}", ended.stdout);
}

#[test]
fn a_case_that_passes_in_a_repetition_is_flaky_and_not_a_pass() {
    let place = Place::with_cases(&[
        ("a", "healthy"),
        ("flaky", "run:once-wrong"),
        ("wrong", "run:wrong-value"),
    ]);
    let run = "conformance --no-bounds --noise 0 --cases cases --backend cmd:MOCK --jobs 1 --out out --force";
    let verdicts = |arguments: &str| {
        let ended = place.run(&format!("{run} {arguments}"));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let records = place.report("out").cases;
        records
            .iter()
            .map(|record| record.verdict.key())
            .collect::<Vec<_>>()
    };
    assert_eq!(verdicts(""), ["pass", "mismatch", "mismatch"]);
    assert_eq!(verdicts("--retries 2"), ["pass", "flaky", "mismatch"]);
    let report = place.report("out");
    let flaky = &report.cases[1];
    assert!(
        flaky
            .reason
            .starts_with("first mismatch, then pass in a repetition: `x`: 1 of 2 elements"),
        "{}",
        flaky.reason
    );
    assert_eq!(report.backends[0].tally.get(run_record::VerdictKind::Pass), 1);
    let gate = "gate --no-bounds --policy official --cases cases --backend cmd:MOCK --jobs 1 --baseline b.toml --retries 1";
    let ended = place.run(&format!("{gate} --accept '*'"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        place.read("b.toml").contains("verdict = \"flaky\""),
        "{}",
        place.read("b.toml")
    );
}

/// A worker whose answers have another name in every second process.
#[test]
fn what_flips_between_two_runs_is_flaky_in_a_new_baseline() {
    let place = Place::with_cases(&[("a", "healthy")]);
    let mock = env!("CARGO_BIN_EXE_mock-worker");
    place.write(
        "flip.sh",
        &format!("if [ -e odd ]; then rm odd; exec {mock} as other; fi\n: > odd\nexec {mock}\n"),
    );
    let gate = "gate --no-bounds --policy official --jobs 1 --cases cases --backend 'b=cmd:/bin/sh flip.sh' --baseline b.toml";
    let ended = place.run(&format!("{gate} --accept '*'"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("the cases ran twice for a new baseline: 1 with another verdict"),
        "{}",
        ended.stderr
    );
    assert!(
        place.read("b.toml").contains("verdict = \"flaky\""),
        "{}",
        place.read("b.toml")
    );
    for _ in 0..2 {
        let ended = place.run(&format!("{gate} --strict"));
        assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn a_gate_without_a_baseline_says_what_to_do() {
    let place = Place::with_cases(&[("a", "healthy")]);
    let gate = "gate --no-bounds --policy official --cases cases --backend b=cmd:MOCK";
    for (line, said) in [
        (
            gate.to_owned(),
            "name a file by --baseline, or create it from this run by --accept '*'",
        ),
        (
            format!("{gate} --accept '*'"),
            "name the file to write by --baseline",
        ),
        (
            "tolerance add --policy bound --allow exact --reason r".to_owned(),
            "name a file by --tolerances",
        ),
    ] {
        let ended = place.run(&line);
        assert_eq!(ended.code, Some(2), "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{line}: {}", ended.stderr);
    }
    // The baselines of the project's backends are built in.
    let ended = place.run("gate --no-bounds --policy official --cases cases --backend ort=cmd:MOCK");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let add = "tolerance add --policy bound --operator DFT --allow ulp=64 --reason r --tolerances own.toml";
    assert_eq!(place.run(add).code, Some(0));
    assert!(place.read("own.toml").contains("DFT"));
}
