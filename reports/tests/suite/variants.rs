//! Differences between variants and plain cases, and where reports show them.

use reports::View;
use reports::render;
use run_record::{
    CaseRecord, DataFinding, ErrorStage, Event, Level, MismatchKind, OutputStats, VariantKind, VariantPlan,
    Verdict, VerdictKind,
};

use crate::sample;

const NUMERIC: Verdict = Verdict::Mismatch(MismatchKind::Numeric);

/// A record with one output that is wrong by `error`, unless the verdict is a pass.
fn record(name: &str, verdict: Verdict, error: f64) -> Event {
    let output = OutputStats {
        name: "y".into(),
        max_abs: error,
        differing: u64::from(verdict != Verdict::Pass),
        ..OutputStats::default()
    };
    let answered = matches!(verdict, Verdict::Pass | Verdict::Mismatch(_));
    Event::CaseFinished(Box::new(CaseRecord {
        outputs: answered.then_some(output).into_iter().collect(),
        ..sample::case(name, "ort", verdict, "why")
    }))
}

/// Checks the verdict of a variant, given its plain case.
#[track_caller]
fn check(form: &str, plain: (Verdict, f64), variant: (Verdict, f64), expected: VerdictKind) {
    let name = format!("node/test_a~{form}");
    let report = crate::fold([
        record(&name, variant.0, variant.1),
        record("node/test_a", plain.0, plain.1),
    ]);
    let found = report
        .cases
        .iter()
        .find(|record| record.case.contains('~'))
        .unwrap();
    assert_eq!(found.verdict.kind(), expected, "{}", found.reason);
    let kept = report
        .cases
        .iter()
        .find(|record| !record.case.contains('~'))
        .unwrap();
    assert_eq!(kept.verdict, plain.0, "the plain case keeps its verdict");
}

#[test]
fn a_variant_differs_where_the_plain_answer_was_another() {
    let (pass, load) = (Verdict::Pass, Verdict::Error(ErrorStage::Load));
    use VerdictKind::{Error, Mismatch, Pass, Unsupported, VariantDiffers};
    check("function", (pass, 0.0), (pass, 0.0), Pass);
    check("function", (pass, 0.0), (NUMERIC, 1.0), VariantDiffers);
    check(
        "function",
        (pass, 0.0),
        (Verdict::Unsupported, 0.0),
        VariantDiffers,
    );
    check(
        "function",
        (pass, 0.0),
        (Verdict::Crash { signal: Some(11) }, 0.0),
        VariantDiffers,
    );
    check("function", (NUMERIC, 1.0), (pass, 0.0), VariantDiffers);
    check("function", (NUMERIC, 1.0), (NUMERIC, 1.0005), Mismatch);
    check("function", (NUMERIC, 1.0), (NUMERIC, 1.1), VariantDiffers);
    check(
        "function",
        (NUMERIC, f64::INFINITY),
        (NUMERIC, f64::INFINITY),
        Mismatch,
    );
    // A variant of a plain case without an answer does not differ.
    check("function", (Verdict::Unsupported, 0.0), (pass, 0.0), Pass);
    check("function", (load, 0.0), (NUMERIC, 1.0), Mismatch);
    check("function", (NUMERIC, 1.0), (load, 0.0), Error);
    check("function", (load, 0.0), (Verdict::Unsupported, 0.0), Unsupported);
    // The wrong output may be the one that is omitted.
    check("outputs-without-1", (NUMERIC, 1.0), (pass, 0.0), Pass);
}

#[test]
fn a_name_that_looks_like_a_variant_is_none_without_its_plain_case() {
    let report = crate::fold([record("node/test_a~function", NUMERIC, 1.0)]);
    assert_eq!(report.cases[0].verdict, NUMERIC);
    assert!(report.variants.is_empty());
}

fn report() -> View {
    let mut events = vec![
        record("node/test_a", Verdict::Pass, 0.0),
        record("node/test_a~function", NUMERIC, 1.0),
        record("node/test_a~shapes-unknown", Verdict::Pass, 0.0),
    ];
    events.push(Event::VariantsMade(VariantPlan {
        kind: VariantKind::Function,
        variants: 1,
        not_applicable: [("a model before IR 8 has no functions".to_owned(), 7)].into(),
    }));
    events.push(Event::ReferenceDisagrees(DataFinding {
        case: "local/mine/model".into(),
        also_in: Vec::new(),
        data_set: "test_data_set_0".into(),
        reason: "`y`: 1 of 1 elements differ".into(),
    }));
    crate::fold(events)
}

#[test]
fn every_report_shows_variants_that_differ() {
    let report = report();
    let counts: Vec<_> = report
        .variants
        .iter()
        .map(|kind| (kind.kind, kind.tallies[0].run, kind.tallies[0].differ))
        .collect();
    assert_eq!(
        counts,
        [(VariantKind::Shapes, 1, 0), (VariantKind::Function, 1, 1)]
    );
    let page = render::html(&report).unwrap();
    assert!(
        page.contains("1 of 1 differ") && page.contains("7: a model before IR 8 has no functions"),
        "{page}"
    );
    assert!(render::terminal(&report, run_record::Look::Plain).contains("1 of 1 differ"));
    assert!(
        render::markdown(&report)
            .unwrap()
            .contains("| function | nodes in a local function | 1 of 1 differ |")
    );
    assert!(
        render::junit(&report)
            .unwrap()
            .contains("variant differs (mismatch)")
    );
    let csv = render::results_csv(&report).unwrap();
    assert!(
        csv.contains("variant_differs,mismatch,") && csv.contains("onnx-1.22.0/node/test_a,function"),
        "{csv}"
    );
    let json: serde_json::Value = serde_json::from_str(&render::summary_json(&report).unwrap()).unwrap();
    assert_eq!(json["variants"][1]["kind"], "function");
    assert_eq!(json["variants"][1]["backends"]["ort"]["differ"], 1);
}

#[test]
fn every_report_shows_where_the_reference_disagrees_with_the_data() {
    let mut events = vec![record("node/test_a", Verdict::Pass, 0.0)];
    events.push(Event::ReferenceDisagrees(DataFinding {
        case: "onnx-1.22.0/node/test_a".into(),
        also_in: Vec::new(),
        data_set: "test_data_set_0".into(),
        reason: "odd one".into(),
    }));
    let report = crate::fold(events);
    let terminal = render::terminal(&report, run_record::Look::Plain);
    assert!(
        terminal.contains("The reference disagrees with the data of 1 data set"),
        "{terminal}"
    );
    for text in [
        terminal,
        render::html(&report).unwrap(),
        render::markdown(&report).unwrap().replace('\\', ""),
        render::junit(&report).unwrap(),
        render::results_csv(&report).unwrap(),
        render::summary_json(&report).unwrap(),
    ] {
        assert!(
            text.contains("odd one") && text.contains("official data of onnx 1.22.0"),
            "{text}"
        );
    }
}

/// The table of levels is about passes; failures that rounding explains have a separate column.
#[test]
fn levels_do_not_mix_passes_and_failures() {
    let of = |name: &str, verdict: Verdict| {
        Event::CaseFinished(Box::new(CaseRecord {
            level: Some(Level::WithinRounding),
            ..sample::case(name, "ort", verdict, "")
        }))
    };
    let disputed = Verdict::Disputed(run_record::Erratum::WrongData);
    let events = [
        of("node/a", Verdict::Pass),
        of("node/b", NUMERIC),
        of("node/c", disputed),
    ];
    let report = crate::fold(events);
    let backend = &report.backends[0];
    let [passes, failures] =
        [backend.levels, backend.failed_levels].map(|levels| levels.get(Level::WithinRounding));
    assert_eq!(
        (passes, failures),
        (1, 1),
        "and the disputed one counts for neither"
    );
}
