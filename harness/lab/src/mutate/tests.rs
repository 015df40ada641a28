use std::collections::BTreeMap;
use std::convert::Infallible;

use harness_compare::policy::{OFFICIAL, Policies};
use harness_compare::{AnswerSets, Envelope, Envelopes, Tolerance};
use harness_conformance::case::{Case, DataSet};
use ndarray::ArrayD;
use onnx_tensor::{DType, F4E2M1, F8E5M2, I4, Sequence, Tensor, Value, ValueType, bf16, f16};

use super::fault::Plant;
use super::*;

/// A case with one output; `radius` replaces the reference's bound, for every element.
fn case(operator: &str, output: Value, radius: Option<f64>) -> Case {
    let mut envelopes = Envelopes::default();
    if let (Some(radius), Value::Tensor(center)) = (radius, &output) {
        let envelope = Envelope {
            center: center.clone(),
            radius: ArrayD::from_elem(center.shape(), radius).into(),
            model: "stand-in".to_owned(),
            answers: Default::default(),
        };
        envelopes.insert("y", envelope);
    }
    Case {
        id: "test/node/test_one".parse().unwrap(),
        model: Default::default(),
        external: Default::default(),
        operators: vec![operator.to_owned()],
        nodes: 1,
        exercises: Default::default(),
        data_sets: vec![DataSet {
            name: "test_data_set_0".to_owned(),
            inputs: Vec::new(),
            expected: vec![("y".to_owned(), output)],
            asked: false,
            settled: false,
            draws: None,
            envelopes,
            disagreement: None,
            open: Vec::new(),
        }],
        tolerance: Tolerance {
            relative: 1e-3,
            absolute: 1e-7,
        },
    }
}

/// Plants `fault` into the expected outputs with many seeds. Returns the number of planted faults, and for
/// each policy whether it detected all.
fn kills(case: &Case, fault: &Fault) -> (u64, BTreeMap<String, bool>) {
    let set = &case.data_sets[0];
    let subject = Subject {
        case,
        model: None,
        set,
        outputs: &set.expected,
        source: CORPUS,
    };
    // Without runs of the reference, `judge` is `official`.
    let policies = Policies::embedded().unwrap();
    let policies: Vec<_> = policies.iter().filter(|policy| !policy.judge).collect();
    let mut kills = KillTable::default();
    for seed in 0..50 {
        let planted = plant::<Infallible>(&subject, fault, seed, |_| Ok(None)).unwrap();
        assert_eq!(
            format!("{planted:?}"),
            format!(
                "{:?}",
                plant::<Infallible>(&subject, fault, seed, |_| Ok(None)).unwrap()
            ),
            "the seed decides"
        );
        for &policy in policies.iter().filter(|_| planted.is_some()) {
            let killed = !judge(&subject, policy, planted.as_ref().unwrap());
            kills.add(&policy.used.name, CORPUS, "c", fault.name, killed);
        }
    }
    let complete = |name: &str| kills.count(name, None, None).is_complete();
    let found = policies
        .iter()
        .map(|policy| (policy.used.name.clone(), complete(&policy.used.name)));
    (kills.count(OFFICIAL, None, None).planted, found.collect())
}

fn matrix<T: onnx_tensor::Element>(elements: [T; 4]) -> Value {
    Value::Tensor(Tensor::new(&[2, 2], elements.to_vec()).unwrap())
}

/// The fault can be planted into such an output; policy `bound` always detects it, the official rule if
/// `official`.
#[track_caller]
fn check(fault: &str, operator: &str, output: Value, radius: Option<f64>, official: bool) {
    let fault = FAULTS.iter().find(|row| row.name == fault).unwrap();
    let (planted, found) = kills(&case(operator, output, radius), fault);
    assert!(planted > 0, "{} was not planted", fault.name);
    assert_eq!(
        found.values().copied().collect::<Vec<_>>(),
        [true, official, true],
        "{}",
        fault.name
    );
}

/// The fault has no effect there and is not planted.
#[track_caller]
fn check_harmless(fault: &str, operator: &str, output: Value, radius: Option<f64>) {
    let fault = FAULTS.iter().find(|row| row.name == fault).unwrap();
    assert_eq!(
        kills(&case(operator, output, radius), fault).0,
        0,
        "{}",
        fault.name
    );
}

/// A set of right answers hides no fault: each policy accepts its members only.
#[test]
fn a_value_between_two_right_answers_is_detected() {
    let mut integers = case("ArgMax-13", matrix([1_i64, 0, 0, 0]), Some(0.0));
    let mut floats = case("Floor-13", matrix([8.0_f32, 1.0, 2.0, 3.0]), Some(0.0));
    let fault = FAULTS.iter().find(|row| row.name == "between-answers").unwrap();
    for (case, other) in [(&mut integers, 7.0), (&mut floats, 9.0)] {
        let set = &mut case.data_sets[0];
        let center = set.expected[0].1.as_tensor().unwrap().clone();
        let first = if other == 7.0 { 1.0 } else { 8.0 };
        let mut answers = AnswerSets::default();
        answers.insert(0, first, first);
        answers.insert(0, other, other);
        let envelope = Envelope {
            radius: ArrayD::from_elem(center.shape(), 6.0).into(),
            center,
            model: "stand-in".to_owned(),
            answers,
        };
        set.envelopes.insert("y", envelope);
        let (planted, found) = kills(case, fault);
        assert!(planted > 0);
        assert!(found.values().all(|complete| *complete), "{found:?}");
    }
}

#[test]
fn bound_detects_faults_that_pass_the_official_rule() {
    let floats = || matrix([1.0_f32, -2.0, 3.5, 1000.0]);
    check("ulp-beyond-bound", "Add-14", floats(), Some(0.0), false);
    check("ulp-beyond-bound", "Add-14", floats(), Some(1e-5), false);
    check(
        "ulp-beyond-bound",
        "Add-14",
        matrix([1.0_f64, -2.0, 3.5, 0.0]),
        Some(1e-300),
        false,
    );
    check(
        "ulp-beyond-bound",
        "Add-14",
        matrix([f16::ONE; 4]),
        Some(0.0),
        false,
    );
    check(
        "ulp-beyond-bound",
        "Add-14",
        matrix([bf16::ONE; 4]),
        Some(1e-9),
        true,
    );
    check(
        "ulp-beyond-bound",
        "Cast-21",
        matrix([F8E5M2(0x3c); 4]),
        Some(0.0),
        true,
    );
    check(
        "ulp-beyond-bound",
        "Cast-25",
        matrix([F4E2M1(7); 4]),
        Some(0.0),
        true,
    );
    check(
        "zero-sign",
        "Transpose-13",
        matrix([0.0_f32, 1.0, 2.0, 3.0]),
        None,
        false,
    );
    check("infinity", "Add-14", floats(), None, true);
    check(
        "finite-for-infinity",
        "Div-14",
        matrix([f32::INFINITY, 1.0, 2.0, 3.0]),
        None,
        true,
    );
    check("nan", "Add-14", floats(), None, true);
    check(
        "stale-last",
        "Add-14",
        matrix([1000.0_f32, 1.0, 1.0, 1000.5]),
        Some(1e-3),
        false,
    );
    check(
        "swapped-axes",
        "Add-14",
        matrix([1.0_f32, 1000.0, 1000.9, 1.0]),
        Some(1e-3),
        false,
    );
}

#[test]
fn all_policies_detect_faults_of_form_integers_and_strings() {
    let integers = || matrix([1_i64, 2, 3, 4]);
    check("integer-off-by-one", "Shape-25", integers(), None, true);
    check(
        "integer-off-by-one",
        "QuantizeLinear-23",
        matrix([I4::wrap(7), I4::wrap(-8), I4::wrap(0), I4::wrap(1)]),
        Some(1.0),
        true,
    );
    check("wrong-dtype", "Shape-25", integers(), None, true);
    check("truncated", "Shape-25", integers(), None, true);
    check("swapped-axes", "Shape-25", integers(), None, true);
    check("index-off-by-one", "Shape-25", integers(), None, true);
    check("constant-zero", "Shape-25", integers(), None, true);
    let tall = Tensor::new(&[2, 3], vec![1_u8; 6]).unwrap();
    check("transposed-shape", "Transpose-13", tall.into(), None, true);
    check(
        "string-case",
        "Identity-16",
        Tensor::vector(vec!["Ab1".to_owned(); 2]).into(),
        None,
        true,
    );
    let sequence = Sequence {
        element: ValueType::tensor(DType::Int64),
        values: vec![integers(), integers()],
    };
    check(
        "missing-element",
        "SequenceInsert-11",
        Value::Sequence(sequence),
        None,
        true,
    );
}

#[test]
fn faults_without_effect_are_not_planted() {
    check_harmless("swapped-axes", "Add-14", matrix([1.0_f32; 4]), Some(0.0));
    check_harmless(
        "stale-last",
        "Add-14",
        matrix([1.0_f32, 2.0, 3.0, 1.0000001]),
        Some(1e-6),
    );
    check_harmless("stale-last", "Add-14", matrix([1.0_f32, 2.0, 3.0, 4.0]), None);
    check_harmless("constant-zero", "Shape-25", matrix([0_i64; 4]), None);
    check_harmless("zero-sign", "ReduceSum-13", matrix([0.0_f32; 4]), Some(0.0));
    check_harmless("ulp-beyond-bound", "Add-14", matrix([1.0_f32; 4]), None);
    check_harmless(
        "ulp-beyond-bound",
        "Add-14",
        matrix([1.0_f32; 4]),
        Some(f64::INFINITY),
    );
    check_harmless("infinity", "Cast-21", matrix([F4E2M1(0); 4]), Some(0.0));
}

#[test]
fn faults_have_unique_names_and_a_model_fault_runs_the_model() {
    let mut names: Vec<&str> = FAULTS.iter().map(|fault| fault.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FAULTS.len());
    let case = case("LayerNormalization-17", matrix([1.0_f32; 4]), Some(0.0));
    let model = onnx_model::Model::new(
        17,
        onnx_model::Graph {
            nodes: vec![onnx_model::Node {
                operator: "LayerNormalization".to_owned(),
                ..onnx_model::Node::default()
            }],
            ..onnx_model::Graph::default()
        },
    );
    let set = &case.data_sets[0];
    let subject = Subject {
        case: &case,
        model: Some(&model),
        set,
        outputs: &set.expected,
        source: CORPUS,
    };
    for fault in FAULTS
        .iter()
        .filter(|fault| matches!(fault.plant, Plant::Model(_)))
    {
        let mut ran = 0;
        let planted = plant::<Infallible>(&subject, fault, 0, |model| {
            ran += 1;
            assert_eq!(model.graph.nodes[0].attributes[0].name, "epsilon");
            Ok(Some(vec![("y".to_owned(), matrix([1.0_f32, 1.0, 1.0, 1.1]))]))
        });
        assert_eq!(
            (ran, planted.unwrap().is_some()),
            match fault.name {
                "epsilon-dropped" => (1, true),
                _ => (0, false),
            }
        );
    }
}
