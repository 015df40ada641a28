use onnx_tensor::{DType, Sequence, Tensor, Value, ValueType, f16};
use reports::record::MismatchKind;

use super::{Tolerance, compare};

const OFFICIAL: Tolerance = Tolerance {
    relative: 1e-3,
    absolute: 1e-7,
};

/// The verdict on one output, and what the official runner would say.
#[track_caller]
fn check(
    expected: impl Into<Value>,
    observed: impl Into<Value>,
    mismatch: Option<MismatchKind>,
    official: bool,
) {
    let name = |value: Value| vec![("y".to_owned(), value)];
    let comparison = compare(&name(expected.into()), &name(observed.into()), OFFICIAL);
    assert_eq!(
        comparison.mismatch.as_ref().map(|mismatch| mismatch.kind),
        mismatch,
        "{:?}",
        comparison.mismatch
    );
    assert_eq!(comparison.official, official, "{comparison:?}");
}

fn vector<T: onnx_tensor::Element>(elements: &[T]) -> Tensor {
    Tensor::vector(elements.to_vec())
}

const NUMERIC: Option<MismatchKind> = Some(MismatchKind::Numeric);

#[test]
fn floats_are_held_against_the_tolerance() {
    check(vector(&[1000.0_f32]), vector(&[1000.9_f32]), None, true);
    check(vector(&[1000.0_f32]), vector(&[1001.1_f32]), NUMERIC, false);
    check(vector(&[0.0_f32]), vector(&[9e-8_f32]), None, true);
    check(vector(&[0.0_f64]), vector(&[-0.0_f64]), None, true);
    check(vector(&[f16::ONE]), vector(&[f16::from_bits(0x3c01)]), None, true);
}

#[test]
fn infinity_and_nan_agree_only_with_themselves() {
    let values = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.0, f32::MAX];
    for (i, &a) in values.iter().enumerate() {
        for (j, &b) in values.iter().enumerate() {
            check(
                vector(&[a]),
                vector(&[b]),
                if i == j { None } else { NUMERIC },
                i == j,
            );
        }
    }
}

#[test]
fn integers_booleans_and_strings_are_exact_and_the_official_slack_is_told() {
    check(vector(&[1000_i64]), vector(&[1001_i64]), NUMERIC, true);
    check(vector(&[1000_i64]), vector(&[1002_i64]), NUMERIC, false);
    check(vector(&[u64::MAX]), vector(&[u64::MAX - 1]), NUMERIC, true);
    check(vector(&[true]), vector(&[false]), NUMERIC, false);
    check(
        vector(&["a".to_owned()]),
        vector(&["A".to_owned()]),
        NUMERIC,
        false,
    );
    check(vector(&["a".to_owned()]), vector(&["a".to_owned()]), None, true);
}

#[test]
fn dtype_shape_and_kind_are_strict() {
    check(
        vector(&[1.0_f32]),
        vector(&[1.0_f64]),
        Some(MismatchKind::Dtype),
        false,
    );
    check(
        vector(&[1.0_f32]),
        Tensor::scalar(1.0_f32),
        Some(MismatchKind::Shape),
        false,
    );
    let transposed = |shape: &[usize]| Tensor::new(shape, vec![1_u8; 6]).unwrap();
    check(
        transposed(&[2, 3]),
        transposed(&[3, 2]),
        Some(MismatchKind::Shape),
        false,
    );
}

fn sequence(values: Vec<Tensor>) -> Value {
    Value::Sequence(Sequence {
        element: ValueType::tensor(DType::Int64),
        values: values.into_iter().map(Value::from).collect(),
    })
}

#[test]
fn sequences_are_compared_element_by_element() {
    let (one, two) = (vector(&[1_i64]), vector(&[2_i64]));
    check(
        sequence(vec![one.clone(), two.clone()]),
        sequence(vec![one.clone(), two.clone()]),
        None,
        true,
    );
    check(
        sequence(vec![one.clone(), two.clone()]),
        sequence(vec![one.clone()]),
        Some(MismatchKind::Count),
        false,
    );
    check(sequence(vec![one.clone()]), sequence(vec![two]), NUMERIC, false);
    check(sequence(vec![one.clone()]), one, Some(MismatchKind::Dtype), false);
}

#[test]
fn a_missing_output_is_a_mismatch_and_the_first_difference_is_placed() {
    let y = (
        "y".to_owned(),
        Value::from(Tensor::new(&[2, 2], vec![1.0_f32, 2.0, 3.0, 4.0]).unwrap()),
    );
    let bent = (
        "y".to_owned(),
        Value::from(Tensor::new(&[2, 2], vec![1.0_f32, 2.0, 3.5, f32::NAN]).unwrap()),
    );
    let missing = compare(&[y.clone(), y.clone()], std::slice::from_ref(&y), OFFICIAL);
    assert_eq!(
        missing.mismatch.map(|mismatch| mismatch.kind),
        Some(MismatchKind::Count)
    );
    let stats = &compare(&[y], &[bent], OFFICIAL).outputs[0];
    assert_eq!((stats.differing, stats.max_abs), (2, f64::INFINITY));
    let first = stats.first_difference.as_ref().unwrap();
    assert_eq!(
        (first.index.as_slice(), first.actual.as_str()),
        ([1, 0].as_slice(), "3.5")
    );
}
