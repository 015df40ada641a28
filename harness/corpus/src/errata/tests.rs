//! Tests of the ledger format, and of the effect of an entry on a result.

use run_record::Erratum;

use super::*;

const ENTRY: &str = r#"format = 1
[[entry]]
case = "node/test_a*"
releases = "1.2..1.10"
kind = "wrong-data"
right = "the sum"
[entry.evidence]
rule = "the output is the sum"
source = "Add-1"
fixed-in = "1.11.0"
upstream = ["onnx/onnx#12"]
[entry.evidence.answers]
reference = "the sum"
ort = "the sum"
"#;

fn record() -> CaseRecord {
    CaseRecord {
        case: "onnx-1.9.0/node/test_a".to_owned(),
        backend: "ort".to_owned(),
        verdict: Verdict::Pass,
        attempts: 1,
        ..CaseRecord::default()
    }
}

fn ledger(text: &str) -> Result<Errata, ErrataError> {
    Errata::parse(text, Path::new("e.toml"))
}

#[test]
fn an_entry_covers_its_cases_in_its_releases() {
    let errata = ledger(ENTRY).unwrap();
    let check =
        |id: &str, expected: usize| assert_eq!(errata.of(&id.parse().unwrap()).count(), expected, "{id}");
    check("onnx-1.9.0/node/test_add", 1);
    check("onnx-1.10.2/node/test_add", 1);
    check("onnx-1.11.0/node/test_add", 0);
    check("onnx-1.9.0/node/test_sub", 0);
    check("onnx-1.9.0/simple/test_add", 0);
    check("local/node/test_add", 0);
    let ids = ["onnx-1.11.0/node/test_add", "onnx-1.10.2/node/test_add"].map(|id| id.parse().unwrap());
    assert_eq!(
        errata.find(ids.clone()),
        errata.entries().first(),
        "one of equal cases suffices"
    );
    assert_eq!(errata.find(ids.into_iter().take(1)), None);
}

#[test]
fn an_entry_without_evidence_is_rejected() {
    let check = |from: &str, to: &str, complaint: &str| {
        assert!(ENTRY.contains(from), "{from}");
        let error = ledger(&ENTRY.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
    };
    check("format = 1", "format = 2", "the format is 2");
    check("node/test_a*", "test_a*", "names no suite");
    check("node/test_a*", "node/test_[", "not a pattern");
    check("1.2..1.10", "1.10..1.9", "ends before it begins");
    check("wrong-data", "odd", "odd");
    check("right = \"the sum\"\n", "", "`right` is missing");
    check(
        "rule = \"the output is the sum\"\n",
        "",
        "`evidence.rule` is missing",
    );
    check(
        "source = \"Add-1\"",
        "source = \" \"",
        "`evidence.source` is missing",
    );
    check("onnx/onnx#12", "onnx#12", "is not an issue");
    check("fixed-in = \"1.11.0\"", "fixed-in = \"1.11\"", "is not a release");
    let unanswered = |kind: &str| {
        ledger(
            &ENTRY
                .replace("wrong-data", kind)
                .replace("right = \"the sum\"\n", ""),
        )
    };
    unanswered("ambiguous-specification").unwrap();
    let error = unanswered("amended-specification").unwrap_err().to_string();
    assert!(error.contains("`right` is missing"), "{error}");
    let alone = ENTRY
        .replace("fixed-in = \"1.11.0\"\n", "")
        .replace("upstream = [\"onnx/onnx#12\"]\n", "");
    ledger(&alone).unwrap();
    let error = ledger(&alone.replace("ort = \"the sum\"\n", ""))
        .unwrap_err()
        .to_string();
    assert!(error.contains("without independent evidence"), "{error}");
    let second = ENTRY.replace("format = 1\n", "").replace("test_a*", "test_A");
    let error = ledger(&format!("{ENTRY}{second}")).unwrap_err();
    assert!(matches!(error, ErrataError::Unsorted { .. }), "{error}");
}

#[test]
fn a_disputed_case_counts_neither_for_nor_against() {
    let errata = ledger(ENTRY).unwrap();
    let check = |verdict: Verdict, reason: &str, disputed: Verdict, expected: &str| {
        let mut record = record();
        (record.verdict, record.reason) = (verdict, reason.to_owned());
        errata.entries()[0].dispute(&mut record);
        assert_eq!((record.verdict, &*record.reason), (disputed, expected));
    };
    check(
        Verdict::Pass,
        "",
        Verdict::Disputed(Erratum::WrongData),
        "wrong data: the sum [ort returns the stored outputs]",
    );
    check(
        Verdict::Timeout,
        "after 3 s",
        Verdict::Disputed(Erratum::WrongData),
        "wrong data: the sum [ort timeout: after 3 s]",
    );
    check(
        Verdict::Skipped,
        "there is no model",
        Verdict::Disputed(Erratum::WrongData),
        "wrong data: the sum [ort skipped: there is no model]",
    );
    check(Verdict::NotRun, "cancelled", Verdict::NotRun, "cancelled");
}

#[test]
fn the_embedded_ledger_is_valid() {
    Errata::embedded().unwrap();
}
