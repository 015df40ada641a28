//! Tests of profiles and results.

use std::collections::BTreeMap;

use run_record::Report;
use run_record::{
    BackendInfo, CaseExercises, CaseRecord, ErrorStage, Exercise, MismatchKind, Place, Verdict,
};
use time::macros::date;

use super::{ProviderProfile, ProviderResult, ProviderResults};

const PROFILE: &str = r#"
format = 1
name = "test"
provider = "gpu"

[[claims]]
operators = ["Abs", "Reduce*"]
versions = "13.."
types = ["float", "float16"]

[[claims]]
operators = ["com.microsoft.Gelu"]

[[tolerances]]
operators = ["Softmax"]
types = ["float16"]
rtol = 1e-2
reason = "sums in float16"

[[exclusions]]
cases = "onnx-1.22.0/node/test_dft*"
reason = "wrong beyond 256 points"
owner = "a@b"
expires = 2027-03-01
link = "issue 7"
"#;

fn exercise(operator: &str, parameter: &str, of: &str) -> Exercise {
    Exercise {
        operator: operator.to_owned(),
        types: [(parameter.to_owned(), vec![of.to_owned()])].into(),
        attributes: BTreeMap::new(),
        optional: Vec::new(),
    }
}

#[test]
fn a_claim_covers_operators_versions_and_types() {
    let profile = ProviderProfile::parse(PROFILE).unwrap();
    for (operator, parameter, of, expected) in [
        ("Abs-13", "T", "float", true),
        ("Abs-13", "T", "float16", true),
        ("Abs-13", "T", "double", false),
        ("Abs-13", "T", "seq(tensor(float))", false),
        ("Abs-6", "T", "float", false),
        ("Abs-13", "axes", "float", false),
        ("ReduceMax-20", "T", "float", true),
        ("Neg-13", "T", "float", false),
        ("com.microsoft.Gelu-1", "T", "double", true),
        ("Gelu-20", "T", "float", false),
    ] {
        let uses = [exercise(operator, parameter, of)];
        assert_eq!(profile.claims(&uses), expected, "{operator} {parameter}={of}");
    }
    let both = [exercise("Abs-13", "T", "float"), exercise("Neg-13", "T", "float")];
    assert!(!profile.claims(&both), "one of two is not claimed");
    assert!(!profile.claims(&[]), "nothing is known about the case");
}

#[test]
fn an_invalid_profile_is_an_error_that_names_the_entry() {
    for (from, to, expected) in [
        ("format = 1", "format = 2", "`format` is 2"),
        ("provider = \"gpu\"", "", "missing field `provider`"),
        (
            "\"13..\"",
            "\"13..7\"",
            "entry 1 of `claims`: `13..7` is not a range",
        ),
        (
            "[\"float\", \"float16\"]",
            "[\"half\"]",
            "`half` is not an element type",
        ),
        (
            "[\"com.microsoft.Gelu\"]",
            "[]",
            "entry 2 of `claims`: `operators` is empty",
        ),
        ("rtol = 1e-2", "", "set `rtol` or `atol`"),
        ("[\"Softmax\"]", "[]", "a tolerance is for some operators"),
        ("owner = \"a@b\"", "owner = \"\"", "`owner` is empty"),
        ("link = \"issue 7\"", "", "missing field `link`"),
        ("2027-03-01", "2027-03-01T00:00:00Z", "is not a date"),
        ("name = \"test\"", "nam = \"test\"", "unknown field `nam`"),
    ] {
        let error = ProviderProfile::parse(&PROFILE.replace(from, to)).unwrap_err();
        assert!(error.contains(expected), "{to}: {error}");
    }
}

fn record(case: &str, verdict: Verdict, nodes: &[(&str, u64)]) -> CaseRecord {
    CaseRecord {
        case: case.to_owned(),
        backend: "b".to_owned(),
        verdict,
        reason: "r".to_owned(),
        place: Some(Place {
            requested: "gpu".to_owned(),
            nodes: nodes
                .iter()
                .map(|(name, count)| ((*name).to_owned(), *count))
                .collect(),
            elsewhere: Vec::new(),
        }),
        attempts: 1,
        ..CaseRecord::default()
    }
}

fn result(record: CaseRecord, claimed: bool, today: time::Date) -> ProviderResult {
    let profile = ProviderProfile::parse(PROFILE).unwrap();
    let operator = if claimed { "Abs-13" } else { "Neg-13" };
    let report = Report {
        exercises: vec![CaseExercises {
            case: record.case.clone(),
            exercises: vec![exercise(operator, "T", "float")],
        }],
        cases: vec![record],
        ..Report::default()
    };
    let backend = BackendInfo {
        name: "b".to_owned(),
        ..BackendInfo::default()
    };
    let results = ProviderResults::of(&report, &backend, &profile, today);
    let found = ProviderResult::ALL
        .into_iter()
        .find(|result| results.count(*result) == 1);
    found.unwrap()
}

#[test]
fn every_verdict_has_its_result() {
    use ProviderResult::{Excluded, Fail, NotRun, Pass, Unsupported};
    let (on, off) = (&[("gpu", 2)][..], &[("gpu", 1), ("cpu", 1)][..]);
    let today = date!(2027 - 03 - 01);
    for (verdict, nodes, claimed, expected) in [
        (Verdict::Pass, on, true, Pass),
        (Verdict::Pass, on, false, Pass),
        (Verdict::Pass, off, false, Fail),
        (Verdict::Pass, &[("cpu", 1)], false, Fail),
        (Verdict::Pass, &[], true, Fail),
        (Verdict::NotTaken, &[], false, Unsupported),
        (Verdict::NotTaken, &[], true, Fail),
        (Verdict::Unsupported, &[], false, Unsupported),
        (Verdict::Unsupported, &[], true, Fail),
        (Verdict::Error(ErrorStage::Load), &[], false, Unsupported),
        (Verdict::Error(ErrorStage::Load), &[], true, Fail),
        (Verdict::Error(ErrorStage::Run), on, false, Fail),
        (Verdict::Mismatch(MismatchKind::Numeric), on, false, Fail),
        (Verdict::Crash { signal: Some(6) }, &[], false, Fail),
        (Verdict::Timeout, &[], false, Fail),
        (Verdict::NotRun, &[], true, NotRun),
        (Verdict::Skipped, &[], true, NotRun),
        (Verdict::Undecided, on, true, NotRun),
    ] {
        let record = record("onnx-1.22.0/node/test_abs", verdict, nodes);
        assert_eq!(
            result(record, claimed, today),
            expected,
            "{verdict:?} {nodes:?} {claimed}"
        );
    }
    let wrong = Verdict::Mismatch(MismatchKind::Shape);
    let excluded = |today| result(record("onnx-1.22.0/node/test_dft_axis", wrong, on), false, today);
    assert_eq!(excluded(today), Excluded);
    assert_eq!(
        excluded(date!(2027 - 03 - 02)),
        Fail,
        "an expired exclusion does not hold"
    );
}

/// Whatever part of a model ran elsewhere: a right answer is no pass.
#[test]
fn no_answer_by_a_fall_back_passes() {
    for planted in 0..1000_u64 {
        let (on, off) = (planted % 10, planted / 10);
        let nodes: Vec<_> = [("gpu", on), ("cpu", off)]
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .collect();
        let found = result(
            record("onnx-1.22.0/node/test_abs", Verdict::Pass, &nodes),
            planted % 2 == 0,
            date!(2027 - 01 - 01),
        );
        let proven = on > 0 && off == 0;
        assert_eq!(found == ProviderResult::Pass, proven, "{nodes:?}");
    }
}
