use std::collections::BTreeMap;
use std::fs;

use onnx_tensor::{F4E2M1, F8E4M3Fn, F8E5M2Fnuz, F8E8M0, I4, Tensor, Value, bf16, f16};

use super::SUFFIX;
use crate::notation::value::ValueText;
use crate::{CaseFiles, Corpus, own};

/// The bytes of all files of a case.
fn files(case: &CaseFiles) -> Vec<Vec<u8>> {
    let sets = case.data_sets.iter();
    let values = sets.flat_map(|set| set.inputs.iter().flatten().chain(&set.outputs));
    let all = [&case.model].into_iter().chain(values);
    all.map(|file| file.read().unwrap().to_vec()).collect()
}

/// Text and files are one case: id, bytes, tolerance.
#[test]
fn own_cases_are_read_as_they_were_written() {
    let corpus = own::corpus().unwrap();
    let place = tempfile::tempdir().unwrap();
    let mut in_words = 0;
    for (number, case) in corpus.cases().iter().enumerate() {
        let text = case.to_json().unwrap();
        in_words += usize::from(!text.contains("base64"));
        fs::write(place.path().join(format!("{number}{SUFFIX}")), text).unwrap();
    }
    let read = Corpus::local(place.path()).unwrap();
    assert!(read.defects().is_empty(), "{:?}", read.defects());
    let by_id: BTreeMap<_, _> = read.cases().iter().map(|case| (&case.id, case)).collect();
    assert_eq!(by_id.len(), corpus.cases().len());
    for case in corpus.cases() {
        let other = by_id[&case.id];
        assert_eq!(other.tolerance, case.tolerance, "{}", case.id);
        assert_eq!(files(other), files(case), "{}", case.id);
    }
    // The others have bodies.
    assert!(4 * in_words > 3 * by_id.len(), "{in_words} of {}", by_id.len());
}

#[test]
fn values_keep_their_bits() {
    let check = |tensor: Tensor| {
        let value = Value::Tensor(tensor);
        let text = serde_json::to_string(&ValueText::of(&value).unwrap()).unwrap();
        let read: ValueText = serde_json::from_str(&text).unwrap();
        let again = read.value().unwrap().unwrap();
        let bytes = |value: &Value| onnx_model::encode_value(value, "x");
        assert_eq!(bytes(&again), bytes(&value), "{text}");
    };
    let floats = [
        0x7FC0_0000,
        0xFFC0_0001,
        0x7F80_0000,
        0x8000_0000,
        1,
        0x3DCC_CCCD,
        0x7F7F_FFFF,
    ];
    check(Tensor::vector(floats.map(f32::from_bits).to_vec()));
    let doubles = [
        0x7FF8_0000_0000_0001,
        0x8000_0000_0000_0000,
        1,
        0x3FB9_9999_9999_999A,
        0x4341_C379_37E0_8001,
    ];
    check(Tensor::vector(doubles.map(f64::from_bits).to_vec()));
    check(Tensor::vector((0..=u16::MAX).map(f16::from_bits).collect()));
    check(Tensor::vector((0..=u16::MAX).map(bf16::from_bits).collect()));
    check(Tensor::vector(vec![i64::MIN, i64::MAX, (1 << 53) + 1]));
    check(Tensor::vector(vec![u64::MAX, 1 << 63]));
    check(Tensor::vector(vec!["a\u{0}\"é".to_owned(), String::new()]));
    check(Tensor::vector((0..=u8::MAX).map(F8E4M3Fn).collect()));
    check(Tensor::vector((0..=u8::MAX).map(F8E5M2Fnuz).collect()));
    check(Tensor::vector((0..=u8::MAX).map(F8E8M0).collect()));
    check(Tensor::vector((0..16).map(F4E2M1).collect()));
    check(Tensor::vector((-8..8).map(I4::wrap).collect()));
}

#[test]
fn texts_that_are_no_cases() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(format!("a{SUFFIX}"));
    let right = own::corpus().unwrap().cases()[0].to_json().unwrap();
    let check = |from: &str, to: &str, wanted: &str| {
        let text = right.replacen(from, to, 1);
        assert!(text != right, "{from} is not in {right}");
        fs::write(&path, text).unwrap();
        let read = Corpus::local(&path).unwrap();
        let [defect] = read.defects() else {
            panic!("{from}: {:?}", read.cases());
        };
        let said = defect.kind.to_string();
        assert!(said.contains(wanted), "{said}");
    };
    check("\"version\": 1", "\"version\": 2", "this program reads");
    check("\"inputs\"", "\"inpus\"", "unknown field `inpus`");
    check("own/", "own", "is not a case id");
    check(
        "\"nan_equal\": true",
        "\"nan_equal\": false",
        "`comparison.nan_equal` must be true",
    );
    check(
        "\"allow_cpu_fallback\": false",
        "\"allow_cpu_fallback\": true",
        "`execution` must be",
    );
    check("\"shape\": [", "\"shape\": [7, ", "input 0: ");
    check(
        "\"operator\": {",
        "\"attributes\": {}, \"operation\": {",
        "unknown field",
    );
    check("{", "{{", "not a case as JSON text");
}
