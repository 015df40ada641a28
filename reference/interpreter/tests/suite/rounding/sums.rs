//! Sums whose length or scale is not in a shape: Einsum by its equation, Gemm with negative scales, and
//! activations with negative coefficients.

use onnx_interpreter::{Limits, run_bounded};
use onnx_model::AttributeValue;
use onnx_tensor::DType;

use super::order::Order;
use super::{Case, Evaluate, Floats, check, fed, string};

/// The attributes of a node.
type Attributes = Vec<(&'static str, AttributeValue)>;

/// Extents of the operands.
const M: usize = 3;
const K: usize = 40;
const N: usize = 2;

fn case(
    operator: &'static str,
    attributes: &[(&'static str, AttributeValue)],
    shapes: &[&[usize]],
    evaluate: Evaluate,
) -> Case {
    Case {
        operator,
        attributes: attributes.to_vec(),
        inputs: shapes.iter().map(|shape| Some(shape.to_vec())).collect(),
        given: Vec::new(),
        outputs: 1,
        evaluate,
    }
}

/// The product of an (M, K) and a (K, N) matrix.
fn product(inputs: Floats<'_>, order: Order) -> Vec<f32> {
    let column = |n: usize| (0..K).map(move |k| inputs[1][k * N + n]);
    let row = |m: usize| &inputs[0][m * K..(m + 1) * K];
    (0..M)
        .flat_map(|m| (0..N).map(move |n| order.dot(row(m), column(n))))
        .collect()
}

#[test]
fn an_ellipsis_that_is_summed_counts() {
    check(&case(
        "Einsum",
        &[("equation", string("...i->i"))],
        &[&[M, K, N]],
        |inputs, order| {
            let of = |i: usize| inputs[0].iter().skip(i).step_by(N).copied().collect::<Vec<f32>>();
            vec![(0..N).map(|i| order.sum(&of(i))).collect()]
        },
    ));
}

#[test]
fn an_implicit_result_is_the_explicit_one() {
    let of = |equation| {
        case(
            "Einsum",
            &[("equation", string(equation))],
            &[&[M, K], &[K, N]],
            |inputs, order| vec![product(inputs, order)],
        )
    };
    let radius = |case: &Case| {
        let outputs = run_bounded(&case.model(), &fed(&case.tensors()), Limits::default()).expect("a result");
        let (_, value, radius) = &outputs[0];
        radius
            .array(value.as_tensor().expect("a tensor").shape())
            .expect("a radius")
    };
    for equation in ["ij,jk", "ij,jk->ik"] {
        check(&of(equation));
    }
    assert_eq!(radius(&of("ij,jk")), radius(&of("ij,jk->ik")));
}

#[test]
fn negative_scales() {
    for (alpha, beta) in [(-1.5, 1.0), (1.0, -0.5), (-1.5, -0.5)] {
        let scales = [
            ("alpha", AttributeValue::Float(alpha)),
            ("beta", AttributeValue::Float(beta)),
        ];
        let evaluate: Evaluate = match (alpha < 0.0, beta < 0.0) {
            (true, false) => |inputs, order| scaled(inputs, order, -1.5, 1.0),
            (false, _) => |inputs, order| scaled(inputs, order, 1.0, -0.5),
            (true, true) => |inputs, order| scaled(inputs, order, -1.5, -0.5),
        };
        check(&case("Gemm", &scales, &[&[M, K], &[K, N], &[M, N]], evaluate));
    }
}

fn scaled(inputs: Floats<'_>, order: Order, alpha: f32, beta: f32) -> Vec<Vec<f32>> {
    let sums = product(inputs, order).into_iter().zip(&inputs[2]);
    vec![sums.map(|(sum, c)| alpha * sum + beta * c).collect()]
}

/// Each function of one element in float, with a coefficient of either sign.
#[test]
fn activations_with_negative_coefficients() {
    let alpha = |value: f32| vec![("alpha", AttributeValue::Float(value))];
    let both = vec![
        ("alpha", AttributeValue::Float(-0.7)),
        ("beta", AttributeValue::Float(0.3)),
    ];
    let gamma = vec![
        ("alpha", AttributeValue::Float(-0.7)),
        ("gamma", AttributeValue::Float(-1.3)),
    ];
    let each: Vec<(&'static str, Attributes, Evaluate)> = vec![
        ("LeakyRelu", alpha(-0.7), |x, _| {
            map(x, |x| if x < 0.0 { -0.7 * x } else { x })
        }),
        ("Elu", alpha(-0.7), |x, _| {
            map(x, |x| if x < 0.0 { -0.7 * (x.exp() - 1.0) } else { x })
        }),
        ("Celu", alpha(-0.3), |x, _| {
            map(x, |x| x.max(0.0) + (-0.3 * ((x / -0.3).exp() - 1.0)).min(0.0))
        }),
        ("Selu", gamma, |x, _| {
            map(x, |x| -1.3 * if x < 0.0 { -0.7 * x.exp() + 0.7 } else { x })
        }),
        ("ThresholdedRelu", alpha(-0.7), |x, _| {
            map(x, |x| if x > -0.7 { x } else { 0.0 })
        }),
        ("HardSigmoid", both, |x, _| {
            map(x, |x| (-0.7 * x + 0.3).clamp(0.0, 1.0))
        }),
    ];
    for (operator, attributes, evaluate) in each {
        check(&case(operator, &attributes, &[&[200]], evaluate));
    }
}

fn map(inputs: Floats<'_>, f: impl Fn(f32) -> f32) -> Vec<Vec<f32>> {
    vec![inputs[0].iter().map(|&x| f(x)).collect()]
}

/// A float type without a unit roundoff would be treated as exact.
#[test]
fn every_float_type_has_a_unit() {
    for dtype in DType::ALL {
        let complex = matches!(dtype, DType::Complex64 | DType::Complex128);
        let has_unit = onnx_bounds::precision::unit(dtype).is_some();
        assert_eq!(has_unit, dtype.is_float() || complex, "{dtype}");
    }
}
