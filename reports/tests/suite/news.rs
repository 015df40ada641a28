//! What is new in a run: the same cases in the same order in every format.

use reports::View;
use reports::render;
use run_record::diff::Diff;
use run_record::{CaseRecord, ErrorStage, Event, MismatchKind, Verdict};

use crate::sample;

const WRONG: Verdict = Verdict::Mismatch(MismatchKind::Numeric);
const CRASH: Verdict = Verdict::Error(ErrorStage::Run);

/// A run of cases of `ort`: name, operator and verdict.
fn run(cases: &[(&str, &str, Verdict)]) -> View {
    let record = |(name, operator, verdict): &(&str, &str, Verdict)| CaseRecord {
        operators: vec![(*operator).to_owned()],
        ..sample::case(&format!("node/{name}"), "ort", *verdict, "why")
    };
    crate::fold(
        cases
            .iter()
            .map(|case| Event::CaseFinished(Box::new(record(case)))),
    )
}

/// A run in which three cases are worse than before, one is better and one failed before.
fn compared() -> View {
    let cases = |softmax, abs, add, old| {
        [
            ("test_a_known", "Mul-14", old),
            ("test_abs", "Abs-13", abs),
            ("test_add", "Add-14", add),
            ("test_softmax_1", "Softmax-13", softmax),
            ("test_softmax_2", "Softmax-13", softmax),
        ]
    };
    let before = run(&cases(Verdict::Pass, Verdict::Pass, WRONG, WRONG));
    let mut report = run(&cases(WRONG, CRASH, Verdict::Pass, WRONG));
    report.since = Some(Diff::of(&before, &report));
    report
}

/// Checks that these texts stand in this order.
#[track_caller]
fn check_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let (_, after) = rest
            .split_once(part)
            .unwrap_or_else(|| panic!("`{part}` is not there, or too early:\n{text}"));
        rest = after;
    }
}

#[test]
fn every_format_begins_with_regressions_then_fixed_cases() {
    let report = compared();
    let counts = "3 new (2 wrong, 1 broken), 1 fixed, 1 known";
    let terminal = render::terminal(&report, run_record::Look::Plain);
    let parts = [
        counts,
        "wrong: Softmax (2)",
        "test_softmax_1 was pass, is mismatch: why",
        "test_softmax_2",
        "broken: Abs (1)",
        "test_abs",
        "fixed (1)",
        "test_add",
        "accuracy of passes",
    ];
    check_order(&terminal, &parts[..8]);
    check_order(
        &render::markdown(&report).unwrap(),
        &[
            counts,
            "wrong: Softmax",
            "broken: Abs",
            "<details>",
            "| backend |",
        ],
    );
    check_order(
        &render::html(&report).unwrap(),
        &[
            "What is new",
            counts,
            "wrong: Softmax",
            "broken: Abs",
            "fixed",
            "class=\"cards\"",
        ],
    );
    let junit = render::junit(&report).unwrap();
    check_order(
        &junit,
        &[
            counts,
            "name=\"test_abs\"",
            "name=\"test_softmax_1\"",
            "name=\"test_add\"",
            "name=\"test_a_known\"",
        ],
    );
    let cases = render::cases_html(&report).unwrap();
    check_order(
        &cases,
        &[
            "new failures</option>",
            "test_abs",
            "test_softmax_1",
            "test_add",
            "test_a_known",
        ],
    );
}

#[test]
fn what_regressions_share_is_said_first_with_the_page_of_the_operator() {
    let softmax = |name, verdict| (name, "Softmax-13", verdict);
    let others = [
        ("test_abs", "Abs-13", Verdict::Pass),
        ("test_add", "Add-14", Verdict::Pass),
    ];
    let before = [
        &[softmax("a", Verdict::Pass), softmax("b", Verdict::Pass)],
        &others[..],
    ]
    .concat();
    let after = [&[softmax("a", WRONG), softmax("b", WRONG)], &others[..]].concat();
    let mut report = run(&after);
    let diff = Diff::of(&run(&before), &report);
    let said = "all 2 have the operator Softmax, and no case that passes has it";
    check_order(
        &render::diff_text(&diff, false),
        &[said, "operators.html#operator=Softmax", "regressed ("],
    );
    check_order(
        &render::diff_markdown(&diff, false).unwrap(),
        &[said, "**regressed**"],
    );
    check_order(&render::diff_html(&diff).unwrap(), &[said, "<summary>regressed"]);
    report.since = Some(diff);
    check_order(&render::news_text(&report, true), &[said, "wrong: Softmax (2)"]);
    let mut gated = crate::fold(sample::events());
    gated.gates = sample::gates();
    check_order(
        &render::news_text(&gated, true),
        &[said, "wrong: Softmax (1)", "gone: ", "fixed (1)"],
    );
}

#[test]
fn a_run_without_a_baseline_or_an_earlier_run_has_no_news() {
    let report = run(&[("a", "Abs-13", WRONG)]);
    assert_eq!(render::news_text(&report, true), "");
    assert!(!render::html(&report).unwrap().contains("What is new"));
    assert!(!render::cases_html(&report).unwrap().contains("name=\"show\""));
}
