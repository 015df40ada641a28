//! Tests of grouping and of matching groups with rulings.

use run_record::{BackendInfo, Event, MismatchKind, ReadingFollowed, Verdict};

use super::*;

/// A generated case of Slice and its record: a mismatch if `reason` is given.
fn record(case: &str, reason: Option<&str>) -> Event {
    Event::CaseFinished(Box::new(CaseRecord {
        case: case.to_owned(),
        backend: "new".to_owned(),
        verdict: reason.map_or(Verdict::Pass, |_| Verdict::Mismatch(MismatchKind::Numeric)),
        reason: reason.unwrap_or_default().to_owned(),
        official: Some(reason.is_none()),
        attempts: 1,
        ..CaseRecord::default()
    }))
}

fn report(events: Vec<Event>) -> Report {
    let backend = Event::BackendStarted(BackendInfo {
        name: "new".to_owned(),
        kind: "ort".to_owned(),
        ..BackendInfo::default()
    });
    Report::fold([vec![backend], events].concat())
}

const WRONG: &str = "first at [0]: got 2, expected 1";

fn ledger(case: &str) -> Rulings {
    Rulings::parse(&format!(
        "format = 1\n[[ruling]]\nbackend = \"ort\"\noperators = [\"Relu\"]\nsymptoms = [\"value\"]\nwrong = \"backend\"\n\
         what = \"w\"\nsentence = \"s\"\ncase = \"{case}\"\n"
    ))
    .unwrap()
}

/// The symptom does not depend on who found the difference, a tolerance or the judge.
#[test]
fn the_first_element_that_differs_is_the_symptom() {
    let check = |reason: &str, expected: Symptom| match record("generated/Relu-14/a-0", Some(reason)) {
        Event::CaseFinished(record) => assert_eq!(Symptom::of(&record), Some(expected), "{reason}"),
        event => panic!("{event:?}"),
    };
    check(WRONG, Symptom::Value);
    check("first at [0]: got NaN, expected 1", Symptom::Nan);
    check("first at [0]: got 3, expected -inf", Symptom::Infinity);
    check(
        "`y`: element [0, 1] is 2, expected 1: 9.0 times the noise, the limit is 7.8",
        Symptom::Value,
    );
    check("`y`: element [0, 1] is 2, expected NaN", Symptom::Nan);
    check("`y`: element [] is inf, expected 3.4028235e38", Symptom::Infinity);
}

#[test]
fn one_backend_operator_and_symptom_are_one_group() {
    let report = report(vec![
        record("generated/Relu-13/a-0", Some(WRONG)),
        record("generated/Relu-14/a-0", Some(WRONG)),
        record("generated/Relu-14/a-1", Some("got NaN, expected 1")),
        record("generated/Relu-14/a-2", None),
        record("generated/Abs-13/a-0", Some(WRONG)),
    ]);
    let (groups, _) = groups(&report, &[]);
    let titles: Vec<String> = groups.iter().map(Group::title).collect();
    assert_eq!(
        titles,
        [
            "new Abs-13: value (1 case)",
            "new Relu-13, 14: value (2 cases)",
            "new Relu-14: nan (1 case)"
        ]
    );
}

#[test]
fn a_group_is_ruled_or_listed_and_a_ruling_can_be_stale() {
    let report = report(vec![
        record("generated/Relu-14/a-0", Some(WRONG)),
        record("generated/Relu-14/a-2", None),
        record("generated/Abs-13/a-0", Some(WRONG)),
    ]);
    let check = |case: &str, seed, stale: usize| {
        let rulings = ledger(case);
        let decided = decide(&report, &[], seed, &rulings);
        let ruled: Vec<bool> = decided
            .groups
            .iter()
            .map(|(_, ruling)| ruling.is_some())
            .collect();
        assert_eq!((ruled, decided.stale.len()), (vec![false, true], stale), "{case}");
    };
    check("generated/Relu-14/a-0", 0, 0);
    check("generated/Relu-14/a-2", 0, 1);
    check("generated/Relu-14/a-2", 7, 0);
    check("generated/Relu-14/elsewhere", 0, 0);
}

#[test]
fn an_answer_that_follows_a_reading_needs_no_ruling() {
    let followed = Event::ReadingFollowed(ReadingFollowed {
        case: "generated/Relu-14/a-0".to_owned(),
        backend: "new".to_owned(),
        question: "q".to_owned(),
        answer: Some("b".to_owned()),
        default: "a".to_owned(),
    });
    let report = report(vec![record("generated/Relu-14/a-0", Some(WRONG)), followed]);
    let (groups, readings) = groups(&report, &[]);
    assert_eq!(groups, []);
    assert_eq!(readings.get(&("new".to_owned(), "q=b".to_owned())), Some(&1));
}

/// Labels that only the failing cases have come first.
#[test]
fn the_likely_cause_is_a_label_that_no_passing_case_has() {
    let schema = onnx_schema::all()
        .find(|schema| schema.to_string() == "Relu-14")
        .unwrap();
    let mut plan = onnx_generator::plan(schema, 0).unwrap();
    plan.extend(onnx_generator::Phase::Type, 100);
    let cases: Vec<Case> = plan.into_cases().into_iter().map(|(_, case)| case).collect();
    let half = |case: &Case| case.types.values().any(|of| short(of) == "float16");
    let events = cases.iter().map(|case| {
        let id = format!("generated/{}/{}", case.suite, case.name);
        record(&id, half(case).then_some(WRONG))
    });
    let (groups, _) = groups(&report(events.collect()), &cases);
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0].causes.first().map(String::as_str), Some("T=float16"));
}
