use approx::assert_relative_eq;
use ndarray::ArrayD;
use onnx_tensor::{DType, Sequence, Tensor, Value, ValueType, f16};
use run_record::{Disagreements, Level, MismatchKind, OutputStats};

use super::{Allowance, AnswerSets, Criteria, Envelope, Envelopes, Tolerance, compare};

const OFFICIAL: Tolerance = Tolerance {
    relative: 1e-3,
    absolute: 1e-7,
};

/// The verdict on one output, and that of the official runner.
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
fn floats_are_compared_with_the_tolerance() {
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
fn integers_booleans_and_strings_are_exact_but_not_officially() {
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
fn a_missing_output_is_a_mismatch_and_the_first_difference_has_a_position() {
    let y = (
        "y".to_owned(),
        Value::from(Tensor::new(&[2, 2], vec![1.0_f32, 2.0, 3.0, 4.0]).unwrap()),
    );
    let changed = (
        "y".to_owned(),
        Value::from(Tensor::new(&[2, 2], vec![1.0_f32, 2.0, 3.5, f32::NAN]).unwrap()),
    );
    let z = ("z".to_owned(), y.1.clone());
    let missing = compare(&[y.clone(), z], std::slice::from_ref(&y), OFFICIAL);
    assert_eq!(
        missing.mismatch.map(|mismatch| mismatch.kind),
        Some(MismatchKind::Count)
    );
    let stats = &compare(&[y], &[changed], OFFICIAL).outputs[0];
    assert_eq!((stats.differing, stats.max_abs), (2, f64::INFINITY));
    let first = &stats.first[0];
    assert_eq!(
        (first.index.as_slice(), first.actual.as_str()),
        ([1, 0].as_slice(), "3.5")
    );
}

/// The statistics of one float output `y` with an allowance, for bounds of these radii around the expected
/// values.
fn measured(
    expected: &[f32],
    observed: &[f32],
    radii: Option<&[f64]>,
    allowance: Allowance,
    copied: bool,
) -> OutputStats {
    let mut envelopes = Envelopes::default();
    if let Some(radii) = radii {
        envelopes.insert(
            "y",
            Envelope {
                center: vector(expected),
                radius: ArrayD::from_shape_vec(vec![radii.len()], radii.to_vec())
                    .unwrap()
                    .into(),
                model: "m".to_owned(),
                answers: Default::default(),
            },
        );
    }
    let name = |values: &[f32]| vec![("y".to_owned(), Value::from(vector(values)))];
    let criteria = Criteria {
        official: OFFICIAL,
        allowance: &|_, _| allowance.clone(),
        envelopes: &envelopes,
        signed_zeros: copied,
    };
    let comparison = compare(&name(expected), &name(observed), criteria);
    assert_eq!(comparison.level(), Some(comparison.outputs[0].level));
    comparison.outputs.into_iter().next().unwrap()
}

fn bound(unbounded: Allowance) -> Allowance {
    Allowance::Bound {
        unbounded: Box::new(unbounded),
    }
}

#[test]
fn the_level_describes_a_difference_and_the_policy_decides() {
    let check = |observed: f32, radius: Option<f64>, level: Level, passes: [bool; 4]| {
        let policies = [
            Allowance::Official,
            bound(Allowance::Official),
            bound(Allowance::Exact),
            Allowance::Ulp(1.0),
        ];
        let passed = policies.map(|allowance| {
            let radii = radius.map(|radius| [radius]);
            let stats = measured(
                &[1.0],
                &[observed],
                radii.as_ref().map(<[f64; 1]>::as_slice),
                allowance,
                false,
            );
            assert_eq!(stats.level, level, "{observed} {radius:?}");
            stats.differing == 0
        });
        assert_eq!(passed, passes, "{observed} {radius:?}");
    };
    let next = 1.0_f32.next_up();
    let ulp = f64::from(next) - 1.0;
    check(1.0, Some(0.0), Level::Exact, [true; 4]);
    check(next, Some(ulp), Level::WithinRounding, [true; 4]);
    check(
        next,
        Some(ulp * 0.99),
        Level::Tolerated,
        [true, false, false, true],
    );
    check(
        next,
        Some(f64::INFINITY),
        Level::ToleratedNoBound,
        [true, true, false, true],
    );
    check(next, None, Level::ToleratedNoBound, [true, true, false, true]);
    check(1.5, Some(0.5), Level::WithinRounding, [false, true, true, false]);
    check(1.5, None, Level::Outside, [false; 4]);
    check(f32::NAN, Some(1.0), Level::Outside, [false; 4]);
    check(f32::INFINITY, Some(1e300), Level::Outside, [false; 4]);
}

#[test]
fn a_defined_zero_keeps_its_sign_unless_the_official_rule_decides() {
    for (copied, allowance, differing, level) in [
        (true, bound(Allowance::Official), 1, Level::Tolerated),
        (true, Allowance::Official, 0, Level::Tolerated),
        (false, bound(Allowance::Exact), 0, Level::WithinRounding),
        (false, Allowance::Exact, 1, Level::WithinRounding),
    ] {
        let stats = measured(&[0.0, 1.0], &[-0.0, 1.0], Some(&[0.0; 2]), allowance, copied);
        assert_eq!((stats.differing, stats.level), (differing, level));
        assert_eq!((stats.unequal, stats.special.negative_zero), (0, 1));
    }
}

#[test]
fn errors_are_measured_on_passes_too() {
    let tiny = f32::from_bits(1);
    let (two, off) = (2.0_f32, 2.0_f32.next_up().next_up());
    let expected = [two, -two, 0.0, f32::NAN, f32::INFINITY, tiny, 0.0];
    let observed = [off, -two, tiny, 1.0, f32::MAX, 0.0, -0.0];
    let stats = measured(&expected, &observed, None, Allowance::Official, false);
    let ulp = f64::from(off) - 2.0;
    assert_eq!((stats.unequal, stats.differing), (5, 2));
    assert_relative_eq!(stats.mean_abs, (ulp + 2.0 * f64::from(tiny)) / 5.0);
    assert_relative_eq!(stats.mean_ulp, 4.0 / 5.0);
    assert_relative_eq!(stats.bias, ulp / 5.0);
    assert_relative_eq!(stats.mean_rel, (ulp / 2.0 + 1.0) / 3.0);
    assert_eq!((stats.max_abs, stats.needed_rtol), (f64::INFINITY, f64::INFINITY));
    assert_eq!(stats.ulps, [2, 2, 1]);
    let special = Disagreements {
        nan: 1,
        infinity: 1,
        negative_zero: 1,
        flushed: 2,
    };
    assert_eq!(stats.special, special);
    assert_eq!(stats.first[0].index, [3]);
    let stats = measured(&[two], &[off], Some(&[ulp * 4.0]), Allowance::Official, false);
    assert_eq!(
        (stats.max_ulp, stats.of_bound, stats.needed_rtol),
        (2.0, 0.25, (ulp - 1e-7) / 2.0)
    );
    assert_eq!(
        (stats.first[0].actual.as_str(), stats.first[0].expected.as_str()),
        ("2.0000005", "2")
    );
}

#[test]
fn a_quantized_integer_may_differ_within_its_envelope() {
    let mut envelopes = Envelopes::default();
    envelopes.insert(
        "y",
        Envelope {
            center: vector(&[7_u8, 7]),
            radius: ArrayD::from_shape_vec(vec![2], vec![1.0, 0.0]).unwrap().into(),
            model: "tie".to_owned(),
            answers: Default::default(),
        },
    );
    let name = |values: &[u8]| vec![("y".to_owned(), Value::from(vector(values)))];
    let judged = |observed: &[u8], allowance: Allowance| {
        let criteria = Criteria {
            official: OFFICIAL,
            allowance: &|_, _| allowance.clone(),
            envelopes: &envelopes,
            signed_zeros: false,
        };
        let comparison = compare(&name(&[7, 7]), &name(observed), criteria);
        (comparison.mismatch.is_none(), comparison.level())
    };
    let explained = Some(Level::WithinRounding);
    assert_eq!(judged(&[8, 7], bound(Allowance::Exact)), (true, explained));
    assert_eq!(judged(&[8, 7], Allowance::Official), (false, explained));
    assert_eq!(
        judged(&[7, 8], bound(Allowance::Exact)),
        (false, Some(Level::Outside))
    );
}

/// Every policy but exact equality accepts each of several right answers, and no other value; the
/// stored value may be another of them than the reference's.
#[test]
fn an_element_may_have_several_right_answers() {
    #[track_caller]
    fn check<T: onnx_tensor::Element>(stored: T, center: T, spans: &[(f64, f64)], observed: T, passes: bool) {
        let mut answers = AnswerSets::default();
        spans
            .iter()
            .for_each(|(low, high)| answers.insert(0, *low, *high));
        let mut envelopes = Envelopes::default();
        let envelope = Envelope {
            center: vector(&[center]),
            radius: ArrayD::from_elem(vec![1], 9.0).into(),
            model: "jump".to_owned(),
            answers,
        };
        envelopes.insert("y", envelope);
        let name = |value: T| vec![("y".to_owned(), Value::from(vector(&[value])))];
        for allowance in [Allowance::Official, bound(Allowance::Exact)] {
            let criteria = Criteria {
                official: OFFICIAL,
                allowance: &|_, _| allowance.clone(),
                envelopes: &envelopes,
                signed_zeros: false,
            };
            let comparison = compare(&name(stored.clone()), &name(observed.clone()), criteria);
            assert_eq!(comparison.mismatch.is_none(), passes, "{allowance}");
        }
    }
    let two = &[(2.0, 2.0), (5.0, 5.0)];
    check(2_i64, 2, two, 5, true);
    check(2_i64, 2, two, 3, false);
    check(5_i64, 2, two, 2, true);
    check(4_i64, 2, two, 5, false);
    check(2.0_f32, 2.0, &[(2.0, 2.0), (3.0, 3.0)], 3.0, true);
    check(2.0_f32, 2.0, &[(2.0, 2.0), (3.0, 3.0)], 2.5, false);
    check(true, true, &[(0.0, 0.0), (1.0, 1.0)], false, true);
    check(true, true, &[(1.0, 1.0)], false, false);
}

/// A difference is open only where the policy asks for a bound and none is known: every other difference
/// decides, and so do a shape and a type.
#[test]
fn a_difference_without_a_bound_is_open() {
    #[track_caller]
    fn check(radii: [f64; 2], observed: Tensor, allowance: &Allowance, open: bool) {
        let mut envelopes = Envelopes::default();
        let envelope = Envelope {
            center: vector(&[1.0_f32, 2.0]),
            radius: ndarray::arr1(&radii).into_dyn().into(),
            model: "m".to_owned(),
            answers: AnswerSets::default(),
        };
        envelopes.insert("y", envelope);
        envelopes.insert_unknown("z", "an index has an error".to_owned());
        let named = |y: Tensor, z: i64| {
            [("y", y), ("z", vector(&[z]))].map(|(name, tensor)| (name.to_owned(), Value::from(tensor)))
        };
        let criteria = Criteria {
            official: OFFICIAL,
            allowance: &|_, _| allowance.clone(),
            envelopes: &envelopes,
            signed_zeros: false,
        };
        let expected = named(vector(&[1.0_f32, 2.0]), 7);
        let comparison = compare(&expected, &named(observed, 8), criteria);
        assert_eq!((comparison.mismatch.is_some(), comparison.open), (true, open));
    }
    let by_bound = &bound(Allowance::Official);
    let near = || vector(&[1.0_f32, 3.0]);
    check([0.0, f64::INFINITY], near(), by_bound, true);
    check([0.0, f64::INFINITY], near(), &Allowance::Official, false);
    check([0.0, 0.5], near(), by_bound, false);
    check([0.0, 1.0], near(), by_bound, true);
    check([f64::INFINITY; 2], vector(&[1.0_f32]), by_bound, false);
    check([f64::INFINITY; 2], vector(&[1_i32, 2]), by_bound, false);
}

/// One output `y`: its stored value, the reference's value and radius, and the observed value. Returns
/// whether the policies official, bound and strict accept it, and its level.
fn with_reference<T: onnx_tensor::Element>(
    stored: T,
    center: T,
    radius: f64,
    observed: T,
) -> ([bool; 3], Option<Level>) {
    let mut envelopes = Envelopes::default();
    envelopes.insert(
        "y",
        Envelope {
            center: vector(&[center]),
            radius: ArrayD::from_elem(vec![1], radius).into(),
            model: "m".to_owned(),
            answers: Default::default(),
        },
    );
    let name = |value: T| vec![("y".to_owned(), Value::from(vector(&[value])))];
    let (stored, observed) = (name(stored), name(observed));
    let judged = |allowance: Allowance| {
        let criteria = Criteria {
            official: OFFICIAL,
            allowance: &|_, _| allowance.clone(),
            envelopes: &envelopes,
            signed_zeros: false,
        };
        let comparison = compare(&stored, &observed, criteria);
        (comparison.mismatch.is_none(), comparison.level())
    };
    let policies = [
        Allowance::Official,
        bound(Allowance::Official),
        bound(Allowance::Exact),
    ];
    (
        policies.map(|allowance| judged(allowance).0),
        judged(Allowance::Official).1,
    )
}

/// ArgMax returns 1 where 0 is stored: a backend that repeats the reference does not return the stored
/// value, for any bound.
#[test]
fn repeating_the_reference_against_the_data_never_passes() {
    let outside = Some(Level::Outside);
    assert_eq!(with_reference(0_i64, 1, 0.0, 1), ([false; 3], outside));
    assert_eq!(with_reference(8_u8, 7, 1.0, 7), ([false; 3], outside));
    assert_eq!(with_reference(1.0_f32, 1.5, 0.0, 1.5), ([false; 3], outside));
    assert_eq!(with_reference(1.0_f32, 1.5, 0.6, 1.5), ([false; 3], outside));
    assert_eq!(with_reference(f32::NAN, 1.0, 0.0, 1.0), ([false; 3], outside));
    assert_eq!(with_reference(true, false, 0.0, false), ([false; 3], outside));
}

/// If the two disagree, the bound says nothing, and the official rule still applies.
#[test]
fn a_bound_around_another_result_explains_nothing() {
    let exact = Some(Level::Exact);
    assert_eq!(with_reference(0_i64, 1, 0.0, 0), ([true; 3], exact));
    let near = with_reference(1.0_f32, 1.5, 0.6, 1.0005);
    assert_eq!(near, ([true, true, false], Some(Level::ToleratedNoBound)));
    let explained = with_reference(1.0_f32, 1.0005, 0.6, 1.0007);
    assert_eq!(explained, ([true; 3], Some(Level::WithinRounding)));
}

#[test]
fn outputs_are_matched_by_name_in_any_order() {
    let named = |name: &str, value: f32| (name.to_owned(), Value::from(vector(&[value])));
    let expected = [named("y", 1.0), named("z", 2.0)];
    let check = |observed: &[(String, Value)], kind: Option<MismatchKind>, measured: usize| {
        let comparison = compare(&expected, observed, OFFICIAL);
        let found = comparison.mismatch.map(|mismatch| mismatch.kind);
        assert_eq!((found, comparison.outputs.len()), (kind, measured));
        assert_eq!(comparison.official, kind.is_none());
    };
    check(&[named("z", 2.0), named("y", 1.0)], None, 2);
    check(&[named("y", 1.0), named("x", 2.0)], Some(MismatchKind::Name), 1);
    check(&[named("y", 1.0)], Some(MismatchKind::Count), 1);
    check(
        &[named("y", 1.0), named("z", 2.0), named("z", 2.0)],
        Some(MismatchKind::Count),
        2,
    );
    check(
        &[named("y", 1.0), named("z", 2.0), named("w", 3.0)],
        Some(MismatchKind::Count),
        2,
    );
}
