//! Comparisons of two runs: the kinds of changes, and the matching of cases and backends.

use reports::render;
use run_record::Report;
use run_record::diff::{ChangeKind, Diff};
use run_record::{
    BackendInfo, CaseRecord, Erratum, ErrorStage, Event, Level, MismatchKind, OutputStats, Verdict,
};

use crate::sample;

fn run(records: Vec<CaseRecord>) -> Report {
    Report::fold(
        records
            .into_iter()
            .map(|record| Event::CaseFinished(Box::new(record))),
    )
}

fn result(verdict: Verdict) -> CaseRecord {
    sample::case("node/a", "ort", verdict, "")
}

/// A pass with one output whose error is at most `ulp`, with this histogram.
fn pass(level: Level, ulp: f64, ulps: &[u64]) -> CaseRecord {
    CaseRecord {
        level: Some(level),
        outputs: vec![OutputStats {
            name: "y".into(),
            max_ulp: ulp,
            ulps: ulps.to_vec(),
            ..OutputStats::default()
        }],
        ..result(Verdict::Pass)
    }
}

#[track_caller]
fn check(before: &CaseRecord, after: &CaseRecord, expected: Option<ChangeKind>) {
    let diff = Diff::of(&run(vec![before.clone()]), &run(vec![after.clone()]));
    let found: Vec<ChangeKind> = diff.backends[0]
        .changes
        .iter()
        .map(|change| change.kind)
        .collect();
    assert_eq!(
        found,
        Vec::from_iter(expected),
        "{:?} → {:?}",
        before.verdict,
        after.verdict
    );
    let counted: u64 = ChangeKind::ALL.into_iter().map(|kind| diff.count(kind)).sum();
    assert_eq!(counted, found.len() as u64);
}

#[test]
fn verdicts_that_change() {
    let wrong = result(Verdict::Mismatch(MismatchKind::Numeric));
    let (right, refused) = (result(Verdict::Pass), result(Verdict::Unsupported));
    let broken = result(Verdict::Error(ErrorStage::Run));
    let excluded = result(Verdict::Disputed(Erratum::WrongData));
    for worse in [&wrong, &refused, &broken] {
        check(&right, worse, Some(ChangeKind::Broken));
        check(worse, &right, Some(ChangeKind::Fixed));
        check(worse, worse, None);
        check(worse, &excluded, Some(ChangeKind::NotComparable));
    }
    check(&refused, &wrong, Some(ChangeKind::FailsDifferently));
    check(&broken, &refused, Some(ChangeKind::FailsDifferently));
    check(&right, &result(Verdict::NotRun), Some(ChangeKind::NotComparable));
    check(&excluded, &excluded, None);
}

#[test]
fn answers_that_change() {
    let rounded = |ulp: f64, ulps: &[u64]| pass(Level::WithinRounding, ulp, ulps);
    let exact = pass(Level::Exact, 0.0, &[6]);
    check(&exact, &exact, None);
    check(
        &rounded(1.0, &[5, 1]),
        &rounded(1.0, &[4, 2]),
        Some(ChangeKind::AnswerChanged),
    );
    // One unit is the smallest step; it does not count as a loss of accuracy.
    check(&exact, &rounded(1.0, &[5, 1]), Some(ChangeKind::AnswerChanged));
    check(
        &rounded(2.0, &[5, 0, 1]),
        &rounded(4.0, &[5, 0, 0, 1]),
        Some(ChangeKind::AnswerChanged),
    );
    check(
        &rounded(2.0, &[5, 0, 1]),
        &rounded(5.0, &[5, 0, 0, 0, 1]),
        Some(ChangeKind::LessAccurate),
    );
    check(
        &rounded(5.0, &[5, 0, 0, 0, 1]),
        &rounded(2.0, &[5, 0, 1]),
        Some(ChangeKind::MoreAccurate),
    );
    let tolerated = pass(Level::Tolerated, 2.0, &[5, 0, 1]);
    check(&rounded(2.0, &[5, 0, 1]), &tolerated, None);
    check(&rounded(1.0, &[5, 1]), &tolerated, Some(ChangeKind::LessAccurate));
    check(&tolerated, &exact, Some(ChangeKind::MoreAccurate));
    // The values of a random operator are not compared.
    let random = CaseRecord {
        level: None,
        ..rounded(9.0, &[0, 9])
    };
    check(&random, &exact, None);
}

#[test]
fn a_case_is_the_same_in_any_corpus_that_both_runs_have() {
    let named = |release: &str, also: &[&str], name: &str| CaseRecord {
        case: format!("onnx-{release}/node/{name}"),
        also_in: also.iter().map(|release| format!("onnx-{release}")).collect(),
        ..result(Verdict::Pass)
    };
    let all = run(vec![
        named("1.23.2", &["1.21.0", "1.22.0"], "a"),
        named("1.23.2", &[], "new"),
    ]);
    let one = run(vec![named("1.22.0", &[], "a"), named("1.22.0", &[], "b")]);
    let kinds = |before: &Report, after: &Report| {
        let diff = Diff::of(before, after);
        let changes = diff.backends[0].changes.iter();
        let changes: Vec<_> = changes.map(|change| (change.kind, change.case.clone())).collect();
        (diff.backends[0].compared, changes)
    };
    let went = (ChangeKind::Went, "onnx-1.23.2/node/new".to_owned());
    let came = (ChangeKind::Came, "onnx-1.22.0/node/b".to_owned());
    assert_eq!(kinds(&all, &one), (1, vec![went, came]));
    assert_eq!(kinds(&all, &all), (2, Vec::new()));
}

#[test]
fn backends_are_matched_by_name_then_by_adapter() {
    let backends = |names: &[(&str, &str)]| {
        Report::fold(names.iter().map(|(name, kind)| {
            Event::BackendStarted(BackendInfo {
                name: (*name).into(),
                kind: (*kind).into(),
                ..BackendInfo::default()
            })
        }))
    };
    let pairs = |before: &[(&str, &str)], after: &[(&str, &str)]| {
        let diff = Diff::of(&backends(before), &backends(after));
        let pairs = diff.backends.into_iter().map(|backend| backend.names.join(" "));
        (pairs.collect::<Vec<_>>(), diff.only_before, diff.only_after)
    };
    let none = Vec::<String>::new;
    let ort = [("ort", "ort"), ("tract", "tract")];
    assert_eq!(
        pairs(&ort, &[("tract", "tract"), ("ort:threads=2", "ort")]),
        (
            vec!["tract tract".to_owned(), "ort ort:threads=2".to_owned()],
            none(),
            none()
        )
    );
    let two = [("ort:a=1", "ort"), ("ort:a=2", "ort")];
    assert_eq!(
        pairs(&ort, &two),
        (
            none(),
            vec!["ort".to_owned(), "tract".to_owned()],
            vec!["ort:a=1".to_owned(), "ort:a=2".to_owned()]
        )
    );
    assert_eq!(
        pairs(&[("cmd:a", "cmd")], &[("stdio:b", "stdio")]).0,
        ["cmd:a stdio:b"]
    );
}

#[test]
fn every_format_says_what_broke() {
    let before = run(vec![result(Verdict::Pass)]);
    let broken = CaseRecord {
        reason: "worker died by SIGSEGV".into(),
        ..result(Verdict::Crash { signal: Some(11) })
    };
    let diff = Diff::of(&before, &run(vec![broken]));
    let said = ["onnx-1.22.0/node/a", "worker died by SIGSEGV"];
    for text in [
        render::diff_text(&diff, false),
        render::diff_json(&diff).unwrap(),
        render::diff_markdown(&diff, false).unwrap().replace('\\', ""),
        render::diff_html(&diff).unwrap(),
    ] {
        said.iter()
            .for_each(|words| assert!(text.contains(words), "{words} is not in {text}"));
    }
    let json: serde_json::Value = serde_json::from_str(&render::diff_json(&diff).unwrap()).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["backends"][0]["counts"]["broken"], 1);
    assert_eq!(json["backends"][0]["changes"][0]["after"]["detail"], "SIGSEGV");
    assert_eq!(json["backends"][0]["changes"][0]["before"]["max_ulp"], "NaN");
}
