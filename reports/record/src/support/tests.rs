use super::*;
use crate::{AttributeDomain, BackendInfo, CaseExercises, ErrorStage, Event, MismatchKind, Verdict};

const WRONG: Verdict = Verdict::Mismatch(MismatchKind::Numeric);

/// Cases of `Blur` with a type, whether `mask` is given, and perhaps `size`.
type Given = (&'static str, bool, Option<&'static str>, Verdict);

fn version(name: &str) -> OperatorVersion {
    OperatorVersion {
        domain: "com.microsoft".to_owned(),
        name: name.to_owned(),
        since: 1,
        added: true,
        attributes: vec![AttributeDomain {
            name: "size".to_owned(),
            kind: "int".to_owned(),
            default: Some(vec!["3".to_owned()]),
            values: Vec::new(),
        }],
        optional: vec!["mask".to_owned()],
        ..OperatorVersion::default()
    }
}

fn events(number: usize, (of, mask, size, verdict): Given) -> [Event; 2] {
    let operator = "com.microsoft.Blur-1".to_owned();
    let case = format!("generated/{operator}/{number:03}");
    let texts = |text: &str| vec![text.to_owned()];
    let exercise = Exercise {
        operator: operator.clone(),
        types: [("T".to_owned(), texts(of))].into(),
        attributes: size
            .map(|size| ("size".to_owned(), texts(size)))
            .into_iter()
            .collect(),
        optional: if mask { texts("mask") } else { Vec::new() },
    };
    let record = CaseRecord {
        case: case.clone(),
        also_in: Vec::new(),
        backend: "mine".to_owned(),
        verdict,
        reason: format!("no kernel for node {number}"),
        operators: vec![operator],
        outputs: Vec::new(),
        data_sets: Vec::new(),
        peak_bytes: None,
        load_ns: None,
        run_ns: None,
        official: None,
        level: None,
        place: None,
        attempts: 1,
    };
    let exercises = CaseExercises {
        case,
        exercises: vec![exercise],
    };
    [
        Event::CaseFinished(Box::new(record)),
        Event::CaseExercises(exercises),
    ]
}

/// Checks the standing of `Blur`, and for each kind of failure what the cases share, of so many of each.
#[track_caller]
fn check(cases: &[(usize, Given)], standing: Standing, faults: &[&str]) {
    let each = cases
        .iter()
        .flat_map(|&(count, given)| std::iter::repeat_n(given, count));
    let started = Event::BackendStarted(BackendInfo {
        name: "mine".to_owned(),
        ..BackendInfo::default()
    });
    let catalogue = Event::Catalogue {
        versions: vec![version("Blur"), version("Sharpen")],
    };
    let cases = each.enumerate().flat_map(|(number, given)| events(number, given));
    let report = Report::fold([started, catalogue].into_iter().chain(cases));
    let found = supported(&report);
    let [blur, sharpen] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(
        (sharpen.cases, sharpen.backends[0].standing),
        (0, Standing::Untested)
    );
    let own = &blur.backends[0];
    assert_eq!(own.standing, standing);
    let words = own.faults.iter().map(|fault| {
        let limits = fault
            .limits
            .iter()
            .map(|limit| format!("{} ({})", limit.property, limit.cases));
        let limits = limits.collect::<Vec<_>>().join(", ");
        assert!(
            fault.reason.starts_with("no kernel for node …"),
            "{}",
            fault.reason
        );
        format!(
            "{} {}: {limits}; {} others",
            fault.cases.len(),
            fault.kind.word(),
            fault.rest
        )
    });
    assert_eq!(words.collect::<Vec<_>>(), faults);
}

#[test]
fn what_refused_cases_share_is_a_restriction() {
    let refused = Verdict::Unsupported;
    check(&[(3, ("float", true, None, Verdict::Pass))], Standing::Full, &[]);
    check(
        &[
            (12, ("float", false, None, Verdict::Pass)),
            (5, ("double", false, None, refused)),
            (4, ("float", true, None, refused)),
            (3, ("float", false, Some("7"), Verdict::Error(ErrorStage::Load))),
        ],
        Standing::Restricted,
        &[
            "9 refused: T is double (5), with mask (4); 0 others",
            "3 errors: size=7 (3); 0 others",
        ],
    );
    check(
        &[(4, ("float", true, None, refused))],
        Standing::Unsupported,
        &["4 refused: ; 4 others"],
    );
}

/// Types of few cases each are one restriction together.
#[test]
fn types_that_never_pass_are_one_restriction() {
    let refused = |of: &'static str| (2, (of, false, None, Verdict::Unsupported));
    let passing = [(8, ("float", false, None, Verdict::Pass))];
    let cases = ["double", "int8", "int16", "int32"].map(refused);
    check(
        &[&passing[..], &cases].concat(),
        Standing::Restricted,
        &["8 refused: T is not float (8); 0 others"],
    );
}

/// A property of passing cases explains nothing, nor does one that only a few failing cases have.
#[test]
fn chance_is_no_restriction() {
    check(
        &[
            (6, ("float", true, None, Verdict::Pass)),
            (6, ("float", true, Some("5"), WRONG)),
            (1, ("float", true, Some("7"), WRONG)),
            (6, ("float", true, Some("3"), Verdict::Pass)),
        ],
        Standing::Wrong,
        &["7 wrong: size=5 (6); 1 others"],
    );
    check(
        &[
            (2, ("float", true, None, Verdict::Pass)),
            (9, ("float", true, None, WRONG)),
            (2, ("double", true, None, WRONG)),
        ],
        Standing::Wrong,
        &["11 wrong: ; 11 others"],
    );
}
