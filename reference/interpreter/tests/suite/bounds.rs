//! The radius of a graph's output, worked out by hand; and random rounding.

use crate::build::{graph, model, node};
use approx::assert_abs_diff_eq;
use onnx_interpreter::{Limits, Radius, run, run_bounded};
use onnx_model::{AttributeValue, Node};
use onnx_tensor::{Tensor, Value};

/// The unit roundoff of float.
const U: f64 = 1.0 / 16_777_216.0;

/// 1·4 − 2·0.5 + 3·2 = 9, the magnitudes sum to 11.
fn feed() -> [(String, Value); 2] {
    let vector = |values: [f32; 3]| Value::Tensor(Tensor::vector(values.to_vec()));
    [
        ("a".to_owned(), vector([1.0, -2.0, 3.0])),
        ("b".to_owned(), vector([4.0, 0.5, 2.0])),
    ]
}

fn radius(nodes: &[Node]) -> Radius {
    let model = model(17, graph("a b", "y", nodes));
    let outputs = run_bounded(&model, &feed(), Limits::default()).expect("a result");
    outputs.into_iter().next().expect("one output").2
}

#[track_caller]
fn check(nodes: &[Node], expected: f64) {
    let Radius::Within { radius, .. } = radius(nodes) else {
        panic!("{:?}", radius(nodes));
    };
    let found = radius.first().copied().expect("an element");
    // The rule evaluates in float and adds 1e-6 for that.
    assert_abs_diff_eq!(found / expected, 1.0, epsilon = 3e-6);
}

#[test]
fn a_product_has_gamma_of_its_terms() {
    let product = node("MatMul", "a b", "y", &[]);
    let gamma = 4.0 * U / (1.0 - 4.0 * U);
    check(&[product], 11.0 * gamma);
}

#[test]
fn errors_propagate_through_later_nodes() {
    let gamma = 4.0 * U / (1.0 - 4.0 * U);
    let product = |output| node("MatMul", "a b", output, &[]);
    let moved = [
        product("p"),
        node("Neg", "p", "n", &[]),
        node("Identity", "n", "y", &[]),
    ];
    check(&moved, 11.0 * gamma);
    // d√x = dx / (2√x); √9 = 3, whose ULP is 4u.
    let root = [product("p"), node("Sqrt", "p", "y", &[])];
    check(&root, 11.0 * gamma / 6.0 + 3.5 * 4.0 * U);
}

/// The squares of 3e-30 and 4e-30 are below every float: a sum of squares in float is 0. For 3 and 4
/// nothing is lost.
#[test]
fn a_square_may_underflow() {
    let radius_of = |scale: f32| {
        let values = Value::Tensor(Tensor::vector(vec![3.0 * scale, 4.0 * scale]));
        let model = model(17, graph("a", "y", &[node("ReduceL2", "a", "y", &[])]));
        let outputs = run_bounded(&model, &[("a".to_owned(), values)], Limits::default()).expect("a result");
        match &outputs.first().expect("one output").2 {
            Radius::Within { radius, .. } => radius.first().copied().expect("an element"),
            other => panic!("{other:?}"),
        }
    };
    let tiny = radius_of(1e-30);
    assert!((5e-30..1e-22).contains(&tiny), "{tiny:e}");
    // γ₃/2 + 6u and one ULP of 5, 8u.
    let plain = radius_of(1.0);
    let expected = 5.0 * (1.5 + 6.0) * U + 8.0 * U;
    assert_abs_diff_eq!(plain / expected, 1.0, epsilon = 1e-6);
}

/// (p, −p) with p = 9 ± d: the squares sum to 162, and both may grow at once, by 2·9·d each, although p + d
/// and −p + d do not.
#[test]
fn errors_of_either_sign_do_not_cancel_in_a_sum_of_squares() {
    let axes = AttributeValue::Tensor(Tensor::vector(vec![0_i64]));
    let nodes = [
        node("Constant", "", "axes", &[("value", axes)]),
        node("MatMul", "a b", "p", &[]),
        node("Neg", "p", "n", &[]),
        node("Unsqueeze", "p axes", "p1", &[]),
        node("Unsqueeze", "n axes", "n1", &[]),
        node("Concat", "p1 n1", "both", &[("axis", AttributeValue::Int(0))]),
        node(
            "ReduceSumSquare",
            "both",
            "y",
            &[("keepdims", AttributeValue::Int(0))],
        ),
    ];
    let d = 11.0 * 4.0 * U / (1.0 - 4.0 * U);
    // The sum itself adds γ₃ and one ULP of 162.
    let own = 162.0 * 3.0 * U + 256.0 * U;
    check(&nodes, 2.0 * 2.0 * 9.0 * d + own);
}

#[test]
fn the_radius_of_random_values_is_unknown() {
    let nodes = [
        node("RandomNormalLike", "a", "m", &[]),
        node("Identity", "m", "y", &[]),
    ];
    let model = model(18, graph("a b", "y", &nodes));
    let outputs = run_bounded(&model, &feed(), Limits::default()).expect("a result");
    assert!(
        matches!(&outputs[0].2, Radius::Unknown(reason) if reason.contains("drawn at random")),
        "{:?}",
        outputs[0].2
    );
}

/// (p, −∞) + 0 has an error only where p has; −∞ is certain, and so is its position.
#[test]
fn infinity_is_certain() {
    let infinity = AttributeValue::Tensor(Tensor::vector(vec![0.0_f32, f32::NEG_INFINITY]));
    let mask = || node("Constant", "", "mask", &[("value", infinity.clone())]);
    let product = || node("MatMul", "a b", "p", &[]);
    let gamma = 4.0 * U / (1.0 - 4.0 * U);
    let masked = [product(), mask(), node("Add", "p mask", "y", &[])];
    // The ULP of 9 is 16u.
    check(&masked, 11.0 * gamma + 16.0 * U);
    let Radius::Within { radius: radii, .. } = radius(&masked) else {
        panic!("{:?}", radius(&masked));
    };
    assert!(radii.iter().all(|radius| radius.is_finite()), "{radii}");
    let equal = [product(), mask(), node("Equal", "p mask", "y", &[])];
    assert!(radius(&equal).is_exact(), "{:?}", radius(&equal));
}

#[test]
fn noise_changes_computed_values_reproducibly() {
    let model = model(17, graph("a b", "y", &[node("MatMul", "a b", "y", &[])]));
    let product = |noise| {
        let limits = Limits {
            noise,
            ..Limits::default()
        };
        let outputs = run(&model, &feed(), limits).expect("a result");
        outputs[0]
            .1
            .as_tensor()
            .and_then(|y| y.to_vec::<f32>().ok())
            .expect("floats")[0]
    };
    assert_eq!(product(None), 9.0);
    let samples: Vec<f32> = (0..20).map(|seed| product(Some(seed))).collect();
    assert!(
        samples.iter().any(|y| *y != 9.0) && samples.iter().all(|y| (y - 9.0).abs() < 1e-4),
        "{samples:?}"
    );
    assert_eq!(product(Some(3)), samples[3]);
}

/// With `stash_type` float the moments of 4096 halves are computed in float: γ₄₀₉₆ of float16 would be
/// infinite.
#[test]
fn a_normalization_has_the_unit_of_its_stash_type() {
    use onnx_tensor::f16;
    let values = (0..4096)
        .map(|at| f16::from_f32((at as f32 * 0.37).sin()))
        .collect();
    let x = Value::Tensor(Tensor::new::<f16>(&[1, 4096], values).expect("a shape"));
    let one = Value::Tensor(Tensor::vector(vec![f16::from_f32(1.0); 4096]));
    let model = model(
        17,
        graph("x s", "y", &[node("LayerNormalization", "x s", "y", &[])]),
    );
    let feed = [("x".to_owned(), x), ("s".to_owned(), one)];
    let outputs = run_bounded(&model, &feed, Limits::default()).expect("a result");
    let Radius::Within { radius, .. } = &outputs.first().expect("one output").2 else {
        panic!("{:?}", outputs[0].2);
    };
    // Normalised values are below 2: two roundings to float16 there are 2⁻⁹, and float adds little.
    let most = radius.iter().fold(0.0_f64, |most, radius| most.max(*radius));
    assert!((0.0005..0.01).contains(&most), "{most}");
}
