//! The page and the table of the operators that ONNX Runtime adds.

use std::collections::BTreeMap;

use reports::render;
use run_record::*;

/// A report on cases of `com.microsoft.Blur`: eight of float pass, and three of double end as `verdict` says.
/// No case is about `com.microsoft.Sharpen`.
fn report(verdict: Verdict, reason: &str) -> Report {
    let version = |name: &str| OperatorVersion {
        domain: "com.microsoft".to_owned(),
        name: name.to_owned(),
        since: 1,
        added: true,
        ..OperatorVersion::default()
    };
    let case = |number: usize| {
        let operator = "com.microsoft.Blur-1".to_owned();
        let case = format!("generated/{operator}/{number}");
        let (of, verdict) = match number {
            0..8 => ("float", Verdict::Pass),
            _ => ("double", verdict),
        };
        let exercise = Exercise {
            operator: operator.clone(),
            types: BTreeMap::from([("T".to_owned(), vec![of.to_owned()])]),
            attributes: BTreeMap::new(),
            optional: Vec::new(),
        };
        let record = CaseRecord {
            case: case.clone(),
            also_in: Vec::new(),
            backend: "mine".to_owned(),
            reason: if verdict == Verdict::Pass {
                String::new()
            } else {
                reason.to_owned()
            },
            verdict,
            operators: vec![operator],
            outputs: Vec::new(),
            data_sets: Vec::new(),
            peak_bytes: None,
            load_ns: None,
            run_ns: None,
            level: None,
            place: None,
            official: None,
            attempts: 1,
        };
        let exercises = vec![exercise];
        [
            Event::CaseFinished(Box::new(record)),
            Event::CaseExercises(CaseExercises { case, exercises }),
        ]
    };
    let versions = vec![version("Blur"), version("Sharpen")];
    Report::fold(
        [Event::Catalogue { versions }]
            .into_iter()
            .chain((0..11).flat_map(case)),
    )
}

const HEADER: &str = "domain,operator,since,backend,standing,cases,passes,refused,errors,crashes,wrong,restrictions,reasons,\
                      failing_cases";

#[test]
fn the_table_has_a_row_for_each_operator_and_backend() {
    #[track_caller]
    fn check(verdict: Verdict, expected: &str) {
        let table = render::contrib_csv(&report(verdict, "no kernel 17")).expect("a table");
        let cases = [10, 8, 9]
            .map(|number| format!("generated/com.microsoft.Blur-1/{number}"))
            .join(";");
        let rows = [
            HEADER.to_owned(),
            format!("com.microsoft,Blur,1,mine,{expected},no kernel …,{cases}"),
            "com.microsoft,Sharpen,1,mine,no case,0,0,0,0,0,0,,,".to_owned(),
        ];
        assert_eq!(table.lines().collect::<Vec<_>>(), rows);
    }
    check(
        Verdict::Unsupported,
        "restricted,11,8,3,0,0,0,refused: T is double (3)",
    );
    check(
        Verdict::Error(ErrorStage::Run),
        "restricted,11,8,0,3,0,0,errors: T is double (3)",
    );
    check(Verdict::Timeout, "wrong,11,8,0,0,3,0,crashes: T is double (3)");
    check(
        Verdict::Mismatch(MismatchKind::Numeric),
        "wrong,11,8,0,0,0,3,wrong: T is double (3)",
    );
}

#[test]
fn the_page_says_what_refused_cases_share_and_links_them() {
    let page = render::contrib_html(&report(Verdict::Unsupported, "no kernel")).expect("a page");
    for part in [
        "1 of 2 operators have cases",
        "<b class=\"part\">3 refused</b>: T is double (3)",
        "<a href=\"cases.html#case=generated%2Fcom.microsoft.Blur-1%2F8\">",
        "<a href=\"operators.html#operator=com.microsoft.Blur\">Blur</a>",
        "Without a case (1): Sharpen.",
    ] {
        assert!(page.contains(part), "`{part}` is not in the page");
    }
}

#[test]
fn the_page_escapes_reasons() {
    let hostile = "</span><script>alert(1)</script>";
    let page = render::contrib_html(&report(Verdict::Unsupported, hostile)).expect("a page");
    assert!(
        !page.contains("<script>alert"),
        "a reason became part of the page"
    );
    assert!(page.contains("alert("), "the reason is shown");
}

/// Without a case about such an operator there is nothing to show.
#[test]
fn a_report_without_such_cases_has_no_page() {
    let mut report = report(Verdict::Pass, "");
    assert!(!support::supported(&report).is_empty());
    report
        .catalogue
        .iter_mut()
        .for_each(|version| version.added = false);
    assert!(support::supported(&report).is_empty());
}
