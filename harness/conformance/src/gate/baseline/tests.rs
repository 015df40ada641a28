//! Tests of the module above.

use run_record::VerdictKind;

use super::*;
use crate::gate::{Finding, Transition};

const TEXT: &str = "# of the release of May\nformat = 1\nbackend = \"mine\"\n\n[cases]\n# upstream issue 7\n\
    \"c/node/b\" = { verdict = \"mismatch\", reason = \"off by one\" }\n\
    \"c/node/d\" = { verdict = \"crash\", reason = \"\" }\n";

fn finding(case: &str, observed: Option<VerdictKind>) -> Finding {
    let mut corpora: Vec<&str> = case.split('/').next().unwrap().split(',').collect();
    let newest = corpora.pop().unwrap();
    Finding {
        case: format!("{newest}/{}", case_of(case)),
        also_in: corpora.into_iter().map(str::to_owned).collect(),
        transition: Transition::Regression,
        expected: VerdictKind::Pass,
        observed,
        reason: "new".to_owned(),
        lapse: None,
        operators: Vec::new(),
    }
}

#[track_caller]
fn check_expected(baseline: &Baseline, case: &str, also_in: &[&str], expected: &[VerdictKind]) {
    let mut record = crate::gate::tests::record(case);
    record.also_in = also_in.iter().map(|corpus| (*corpus).to_owned()).collect();
    let said = baseline.says(&record).into_iter();
    let said: Vec<VerdictKind> = said
        .map(|said| said.map_or(VerdictKind::Pass, |said| said.verdict))
        .collect();
    assert_eq!(said, expected, "{case}");
}

#[test]
fn accepting_rewrites_only_the_named_lines_and_keeps_comments() {
    let mut baseline = Baseline::parse(Path::new("b.toml"), TEXT, "mine").unwrap();
    check_expected(&baseline, "c/node/b", &[], &[VerdictKind::Mismatch]);
    check_expected(&baseline, "c/node/a", &[], &[VerdictKind::Pass]);
    check_expected(
        &baseline,
        "c/node/b",
        &["d"],
        &[VerdictKind::Pass, VerdictKind::Mismatch],
    );
    let found = [
        finding("c/node/d", Some(VerdictKind::Pass)),
        finding("c/node/a", Some(VerdictKind::Error)),
    ];
    baseline.accept(&found, &Given::default(), &[]);
    let text = "# of the release of May\nformat = 1\nbackend = \"mine\"\n\n[cases]\n\
        \"c/node/a\" = { verdict = \"error\", reason = \"new\" }\n# upstream issue 7\n\
        \"c/node/b\" = { verdict = \"mismatch\", reason = \"off by one\" }\n";
    assert_eq!(baseline.document.to_string(), text);
}

/// Checks the lines of `node/a` after `found` is accepted with the lines `before`, given four releases.
#[track_caller]
fn check_ranges(before: &str, found: &[(&str, VerdictKind)], after: &str) {
    let line = |line: &str| {
        let (releases, verdict) = line.split_once(' ').unwrap();
        format!("\"onnx-{releases}/node/a\" = {{ verdict = \"{verdict}\", reason = \"new\" }}\n")
    };
    let text = |lines: &str| {
        let lines: String = lines
            .split(", ")
            .filter(|part| !part.is_empty())
            .map(line)
            .collect();
        format!("format = 1\nbackend = \"mine\"\n[cases]\n{lines}")
    };
    let known = ["1.8.1", "1.9.0", "1.10.2", "1.11.0"].map(|text| text.parse().unwrap());
    let mut baseline = Baseline::parse(Path::new("b.toml"), &text(before), "mine").unwrap();
    let found: Vec<Finding> = found
        .iter()
        .map(|(corpora, verdict)| finding(&format!("{corpora}/node/a"), Some(*verdict)))
        .collect();
    baseline.accept(&found, &Given::default(), &known);
    assert_eq!(baseline.document.to_string(), text(after));
}

#[test]
fn consecutive_releases_share_a_line() {
    use VerdictKind::{Crash, Error, Pass};
    check_ranges(
        "",
        &[("onnx-1.8.1,onnx-1.9.0,onnx-1.10.2", Error)],
        "1.8.1..1.10.2 error",
    );
    check_ranges(
        "1.8.1..1.9.0 error",
        &[("onnx-1.10.2", Error)],
        "1.8.1..1.10.2 error",
    );
    check_ranges(
        "1.8.1..1.9.0 error",
        &[("onnx-1.11.0", Error)],
        "1.8.1..1.9.0 error, 1.11.0 error",
    );
    check_ranges(
        "1.8.1..1.11.0 error",
        &[("onnx-1.9.0", Pass)],
        "1.8.1 error, 1.10.2..1.11.0 error",
    );
    check_ranges(
        "1.8.1..1.9.0 error",
        &[("onnx-1.9.0", Crash)],
        "1.8.1 error, 1.9.0 crash",
    );
    check_ranges("1.8.1 error", &[("onnx-1.8.1", Pass)], "");
}

#[test]
fn the_first_part_of_a_split_line_keeps_the_comment() {
    let text = "format = 1\nbackend = \"mine\"\n[cases]\n# issue 7\n\
        \"onnx-1.8.1..1.10.2/node/a\" = { verdict = \"error\", reason = \"new\" }\n";
    let mut baseline = Baseline::parse(Path::new("b.toml"), text, "mine").unwrap();
    let known = ["1.8.1", "1.9.0", "1.10.2"].map(|text| text.parse().unwrap());
    let found = [finding("onnx-1.8.1/node/a", Some(VerdictKind::Pass))];
    baseline.accept(&found, &Given::default(), &known);
    let after = text.replace("1.8.1..", "1.9.0..");
    assert_eq!(baseline.document.to_string(), after);
}

#[test]
fn the_policy_is_written_before_the_cases() {
    let mut baseline = Baseline::parse(Path::new("b.toml"), TEXT, "mine").unwrap();
    assert_eq!(
        (baseline.policy().name.as_str(), baseline.policy().version),
        (OFFICIAL, 0)
    );
    for (name, version) in [("bound", 1), ("bound", 2)] {
        let name = name.to_owned();
        baseline.judge_by(&PolicyUsed { name, version });
    }
    let expected = TEXT.replace("\n\n[cases]", "\npolicy = \"bound\"\ntolerances = 2\n\n[cases]");
    assert_eq!(baseline.document.to_string(), expected);
    let again = Baseline::parse(Path::new("b.toml"), &expected, "mine").unwrap();
    assert_eq!(again.policy(), baseline.policy());
}

#[test]
fn the_order_of_lines_is_kept() {
    let text = "format = 1\nbackend = \"mine\"\n\n[cases]\n# severe\n\
        \"c/node/z\" = { verdict = \"crash\", reason = \"z\" }\n\
        \"onnx-1.8.1..1.10.2/node/m\" = { verdict = \"error\", reason = \"m\" }\n# mild\n\
        \"c/node/b\" = { verdict = \"unsupported\", reason = \"b\" }\n\
        \"c/node/k\" = { verdict = \"unsupported\", reason = \"k\" }\n\n[quarantine]\n\
        \"c/node/q\" = { reason = \"sometimes\", owner = \"ada\", expires = 2027-03-01 } # soon\n";
    let mut baseline = Baseline::parse(Path::new("b.toml"), text, "mine").unwrap();
    let known = ["1.8.1", "1.9.0", "1.10.2", "1.11.0"].map(|text| text.parse().unwrap());
    let found = [
        finding("c/node/c", Some(VerdictKind::Error)),
        finding("c/node/k", Some(VerdictKind::Pass)),
        finding("onnx-1.11.0/node/m", Some(VerdictKind::Error)),
    ];
    baseline.accept(&found, &Given::default(), &known);
    let after = text
        .replace(
            "1.10.2/node/m\" = { verdict = \"error\", reason = \"m\"",
            "1.11.0/node/m\" = { verdict = \"error\", reason = \"new\"",
        )
        .replace(
            "\"c/node/k\" = { verdict = \"unsupported\", reason = \"k\" }\n",
            "\"c/node/c\" = { verdict = \"error\", reason = \"new\" }\n",
        );
    assert_eq!(baseline.document.to_string(), after);
}

#[test]
fn terms_are_kept_or_given_and_limited_to_the_version_of_the_run() {
    let text = "format = 1\nbackend = \"mine\"\n[cases]\n\
        \"c/node/a\" = { verdict = \"crash\", reason = \"a\", owner = \"ada\", version = \"1.0\" }\n";
    let mut baseline = Baseline::parse(Path::new("b.toml"), text, "mine").unwrap();
    let found = [
        finding("c/node/a", Some(VerdictKind::Mismatch)),
        finding("c/node/b", Some(VerdictKind::Error)),
    ];
    let given = Given {
        terms: Terms {
            expires: Some(time::macros::date!(2027 - 03 - 01)),
            ..Terms::default()
        },
        version: "1.1",
    };
    baseline.accept(&found, &given, &[]);
    let after = "format = 1\nbackend = \"mine\"\n[cases]\n\
        \"c/node/a\" = { verdict = \"mismatch\", reason = \"new\", owner = \"ada\", version = \"1.1\", expires = 2027-03-01 }\n\
        \"c/node/b\" = { verdict = \"error\", reason = \"new\", expires = 2027-03-01 }\n";
    assert_eq!(baseline.document.to_string(), after);
    Baseline::parse(Path::new("b.toml"), after, "mine").unwrap();
}

#[test]
fn an_accepted_case_is_removed_from_quarantine() {
    let text = "format = 1\nbackend = \"mine\"\n[cases]\n\n[quarantine]\n\
        \"c/node/q\" = { reason = \"r\", owner = \"ada\", expires = 2027-03-01 }\n";
    let mut baseline = Baseline::parse(Path::new("b.toml"), text, "mine").unwrap();
    let found = [finding("c/node/q", Some(VerdictKind::Error))];
    baseline.accept(&found, &Given::default(), &[]);
    let after = baseline.document.to_string();
    assert!(
        !after.contains("ada") && after.contains("\"c/node/q\" = { verdict = \"error\""),
        "{after}"
    );
    Baseline::parse(Path::new("b.toml"), &after, "mine").unwrap();
}

#[test]
fn errors_of_a_baseline_name_the_problem() {
    let check = |text: &str, expected: &str| {
        let error = Baseline::parse(Path::new("b.toml"), text, "mine")
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(
        "format = 2",
        "format: the file has format 2, but this program reads format 1",
    );
    check("", "format: `format = 1` is missing");
    check(
        "format = 1\nbackend = \"ort\"",
        "backend: this is the baseline of `ort`, not of `mine`",
    );
    check("format = 1", "backend: the name of the backend is missing");
    check("format = 1\nbackend = \"mine\"", "cases: the table is missing");
    let line = |line: &str| format!("format = 1\nbackend = \"mine\"\n[cases]\n\"c/n/a\" = {line}");
    check(&line("3"), "`verdict` must be a text");
    check(&line("{ verdict = \"pass\", reason = \"\" }"), "needs no line");
    check(
        &line("{ verdict = \"broken\", reason = \"\" }"),
        "`broken` is not a verdict",
    );
    for verdict in ["skipped", "not_run"] {
        let text = line(&format!("{{ verdict = \"{verdict}\", reason = \"\" }}"));
        check(
            &text,
            &format!("`{verdict}` is not a result of the backend: remove the line"),
        );
    }
    for (terms, expected) in [
        ("owner = 3", "`owner` must be a text"),
        ("expires = \"soon\"", "`expires` must be a date"),
        ("expires = 2027-03-01T10:00:00", "`expires` must be a date"),
        ("expires = 2027-02-30", "is not valid TOML"),
        (
            "until = 2027-03-01",
            "`until` is not a field: expected verdict, reason, owner, expires, version",
        ),
    ] {
        check(
            &line(&format!("{{ verdict = \"error\", reason = \"\", {terms} }}")),
            expected,
        );
    }
    let quarantine =
        |line: &str| format!("format = 1\nbackend = \"mine\"\n[cases]\n[quarantine]\n\"c/n/a\" = {line}");
    check(
        &quarantine("{ reason = \"\", expires = 2027-03-01 }"),
        "needs an `owner`",
    );
    check(
        &quarantine("{ reason = \"\", owner = \"ada\" }"),
        "needs a date in `expires`",
    );
    check(
        &quarantine("{ verdict = \"error\", reason = \"\" }"),
        "omit `verdict`",
    );
    check(
        "format = 1\nbackend = \"mine\"\nquarantine = 1\n[cases]\n",
        "quarantine: must be a table",
    );
    check("format =", "is not valid TOML");
    let head = |line: &str| format!("format = 1\nbackend = \"mine\"\n{line}\n[cases]\n");
    check(&head("policy = 1"), "policy: must be the name");
    check(&head("tolerances = -1"), "tolerances: must be the version");
    let twice = "format = 1\nbackend = \"mine\"\n[cases]\n\
        \"onnx-1.2.1..1.9.0/n/a\" = { verdict = \"error\", reason = \"\" }\n\
        \"onnx-1.9.0/n/a\" = { verdict = \"crash\", reason = \"\" }\n";
    check(twice, "covers some of these cases as well");
}

#[test]
fn the_built_in_baselines_are_valid() {
    for (name, _) in EMBEDDED {
        assert!(Baseline::embedded(name).unwrap().is_some(), "{name}");
    }
    assert!(Baseline::embedded("mine").unwrap().is_none());
}
