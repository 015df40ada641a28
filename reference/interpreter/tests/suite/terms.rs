//! Random rounding of operators with exact results, and with terms that cancel.

use crate::build::{graph, node};
use crate::noise::{floats, noisy};
use onnx_interpreter::Arithmetic;
use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

/// A quotient that is exact in every arithmetic stays; one that a reciprocal would change stays where the
/// class divides.
#[test]
fn exact_quotients_are_not_perturbed() {
    let main = graph(
        "a b",
        "y",
        &[node("Div", "a b", "q", &[]), node("Floor", "q", "y", &[])],
    );
    let moves = |a: &[f32], b: f32, arithmetic| {
        let inputs = [("a", floats(a)), ("b", floats(&[b]))];
        let right: Vec<f32> = a.iter().map(|a| (a / b).floor()).collect();
        noisy(13, &main, &inputs, arithmetic).iter().any(|y| *y != right)
    };
    for arithmetic in [Arithmetic::Rounded, Arithmetic::Approximated] {
        assert!(!moves(&[-2.0, 6.0, 10.0], 2.0, arithmetic), "{arithmetic}");
        assert!(!moves(&[1.5, -0.75], -0.25, arithmetic), "{arithmetic}");
        assert!(moves(&[0.3, 1.5], 0.1, arithmetic), "{arithmetic}: it rounds");
    }
    assert!(!moves(&[41.0, 147.0], 41.0, Arithmetic::Rounded));
    assert!(
        moves(&[41.0, 147.0], 41.0, Arithmetic::Approximated),
        "41 · (1/41) < 1"
    );
}

/// The coordinates of a region that begins far outside have the errors of their terms, which cancel.
#[test]
fn terms_of_a_coordinate_have_errors() {
    let attributes = [
        ("mode", AttributeValue::String(b"linear".to_vec())),
        (
            "coordinate_transformation_mode",
            AttributeValue::String(b"tf_crop_and_resize".to_vec()),
        ),
    ];
    let main = graph(
        "x roi sizes",
        "y",
        &[node("Resize", "x roi - sizes", "y", &attributes)],
    );
    let x = Tensor::new(&[1, 1, 1, 16], (0..16).map(|place| place as f32).collect()).expect("a ramp");
    let farthest = |start: f32, end: f32| {
        let inputs = [
            ("x", x.clone()),
            ("roi", floats(&[0.0, 0.0, 0.0, start, 1.0, 1.0, 1.0, end])),
            ("sizes", Tensor::vector(vec![1_i64, 1, 1, 4])),
        ];
        let found = noisy(13, &main, &inputs, Arithmetic::Rounded);
        let ends = |place: usize| {
            let seen = found.iter().map(|y| y[place]);
            seen.clone().fold(f32::MIN, f32::max) - seen.fold(f32::MAX, f32::min)
        };
        (0..4).map(ends).fold(0.0, f32::max)
    };
    let near = farthest(0.1, 0.9);
    let far = farthest(-53.678, 27.0);
    assert!(far > 4.0 * near, "{far} is not far more than {near}");
}

/// A sum that moves from channel to channel keeps the errors of a large square: ONNX Runtime's LRN. One that
/// is added anew for each channel does not.
#[test]
fn a_moving_sum_keeps_errors() {
    let attributes = [
        ("size", AttributeValue::Int(3)),
        ("alpha", AttributeValue::Float(0.1)),
    ];
    let main = graph("x", "y", &[node("LRN", "x", "y", &attributes)]);
    let x = Tensor::new(&[1, 6, 1, 1], vec![1.0_f32, 2000.0, 1.0, 1.0, 0.5, 1.5]).expect("a pixel");
    let error = |arithmetic| {
        let found = noisy(13, &main, &[("x", x.clone())], arithmetic);
        let last = || found.iter().map(|y| y[5]);
        last().fold(f32::MIN, f32::max) - last().fold(f32::MAX, f32::min)
    };
    let (anew, moving) = (error(Arithmetic::Rounded), error(Arithmetic::Approximated));
    assert!(anew < 1e-5 && moving > 100.0 * anew, "{anew} {moving}");
}

/// Squares beyond the range of float are infinite in some runs; those within it in none.
#[test]
fn squares_and_sums_may_overflow_on_the_way() {
    let check = |operator: &str, inputs: &str, x: &[f32], kinds: [bool; 2]| {
        let main = graph(inputs, "y", &[node(operator, inputs, "y", &[])]);
        let shape = [1, 1, x.len()];
        let x = Tensor::new(&shape, x.to_vec()).expect("a row");
        let ones = floats(&[1.0; 2]);
        let given = [("x", x), ("s", ones)];
        let given = &given[..inputs.split(' ').count()];
        let found = noisy(23, &main, given, Arithmetic::Rounded);
        let [infinite, zero] = [f32::is_infinite as fn(f32) -> bool, |y| y == 0.0];
        let has = |kind: fn(f32) -> bool| found.iter().flatten().any(|y| kind(*y));
        assert_eq!([has(infinite), has(zero)], kinds, "{operator}: {found:?}");
        assert!(
            found.iter().flatten().any(|y| y.is_finite() && *y != 0.0),
            "{operator}"
        );
    };
    check("ReduceL2", "x", &[1e30, -2e30], [true, false]);
    check("ReduceL2", "x", &[1e10, -2e10], [false, false]);
    check("ReduceMean", "x", &[3e38, 3e38], [true, false]);
    check("ReduceProd", "x", &[1e38, 1e38, 1e-38, 1e-38], [true, false]);
    check("RMSNormalization", "x s", &[1e24, -2e24], [false, true]);
    check("RMSNormalization", "x s", &[1e4, -2e4], [false, false]);
}
