//! Random rounding of operators with exact results, and with terms that cancel.

use crate::build::{graph, node};
use crate::noise::{floats, noisy};
use onnx_interpreter::Arithmetic;
use onnx_model::{AttributeValue, Node};
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
        let found = noisy(23, &main, given, Arithmetic::Approximated);
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
    check("ReduceLogSum", "x", &[3e38, 3e38], [true, false]);
    check("ReduceLogSum", "x", &[3e18, 3e18], [false, false]);
    check("ReduceProd", "x", &[1e38, 1e38, 1e-38, 1e-38], [true, false]);
    check("RMSNormalization", "x s", &[1e24, -2e24], [false, true]);
    check("RMSNormalization", "x s", &[1e4, -2e4], [false, false]);
}

/// Rows whose squares stay within the range of float keep their values where another row leaves it.
#[test]
fn an_overflow_opens_its_row_alone() {
    let main = graph("x s", "y", &[node("RMSNormalization", "x s", "y", &[])]);
    let x = Tensor::new(&[1, 2, 2], vec![1e24_f32, -2e24, 3.0, -1.0]).expect("two rows");
    let found = noisy(
        23,
        &main,
        &[("x", x), ("s", floats(&[1.0; 2]))],
        Arithmetic::Approximated,
    );
    assert!(found.iter().any(|y| y[0] == 0.0), "{found:?}");
    let right = [3.0 / 5_f32.sqrt(), -1.0 / 5_f32.sqrt()];
    let is_near = |y: &[f32]| y.iter().zip(right).all(|(y, right)| (y - right).abs() < 1e-5);
    assert!(found.iter().all(|y| is_near(&y[2..])), "{found:?}");
}

/// The sum over an image whose upper half cancels the lower one has the error of its large partial sums;
/// where neighbours cancel there are none.
#[test]
fn partial_sums_of_an_image_have_errors() {
    let main = graph("x", "y", &[node("GlobalAveragePool", "x", "y", &[])]);
    let spread = |is_low: fn(usize) -> bool| {
        let of = |at: usize| 0.3 * if is_low(at) { -1.0 } else { 1.0_f32 } + (at % 7) as f32 * 1e-6;
        let x = Tensor::new(&[1, 1, 160, 160], (0..25_600).map(of).collect()).expect("an image");
        let found = noisy(13, &main, &[("x", x)], Arithmetic::Approximated);
        let seen = found.iter().map(|y| y[0]);
        seen.clone().fold(f32::MIN, f32::max) - seen.fold(f32::MAX, f32::min)
    };
    let (halves, neighbours) = (spread(|at| at >= 12_800), spread(|at| at % 2 == 1));
    assert!(
        halves > 2.0 * neighbours && halves < 1e-3,
        "{halves} beside {neighbours}"
    );
}

/// A large input of the tile of a Winograd convolution moves the outputs beside it, and none beyond the tile.
#[test]
fn a_large_input_moves_its_tile() {
    let main = graph("x w", "y", &[node("Conv", "x w", "y", &[])]);
    let mut x: Vec<f32> = (0..400).map(|at| (at as f32 * 0.7).sin()).collect();
    x[10 * 20 + 10] = 1000.0;
    let given = [
        ("x", Tensor::new(&[1, 1, 20, 20], x).expect("an image")),
        (
            "w",
            Tensor::new(&[1, 1, 3, 3], vec![0.3_f32; 9]).expect("a kernel"),
        ),
    ];
    let spread = |arithmetic, row: usize| {
        let found = noisy(13, &main, &given, arithmetic);
        let seen = found.iter().map(|y| y[row * 18 + 10]);
        seen.clone().fold(f32::MIN, f32::max) - seen.fold(f32::MAX, f32::min)
    };
    assert!(spread(Arithmetic::Approximated, 6) > 1e-4, "within the tile");
    assert!(spread(Arithmetic::Approximated, 2) < 1e-5, "beyond the tile");
    assert!(spread(Arithmetic::Rounded, 6) < 1e-6, "without a transformation");
}

/// A term of a Fourier transform that is an infinity times zero is NaN in some runs and not in others.
#[test]
fn transforms_of_infinities_are_open() {
    let main = graph(
        "x",
        "y",
        &[node("DFT", "x", "y", &[("axis", AttributeValue::Int(1))])],
    );
    let kinds = |first: f32| {
        let x = Tensor::new(&[1, 4, 1], vec![first, 1.0, 2.0, 3.0]).expect("a signal");
        let found = noisy(17, &main, &[("x", x)], Arithmetic::Rounded);
        let has = |kind: fn(f32) -> bool| found.iter().flatten().any(|y| kind(*y));
        [has(f32::is_nan), has(f32::is_infinite), has(f32::is_finite)]
    };
    assert_eq!(kinds(f32::INFINITY), [true; 3]);
    assert_eq!(kinds(1.0), [false, false, true]);
}

/// The sign of an infinity is open if that of the zero before it is: not if the zero is given.
#[test]
fn a_division_by_a_computed_zero_has_either_sign() {
    let has_both = |nodes: &[Node]| {
        let main = graph("x", "y", nodes);
        let x = Tensor::new(&[1, 2], vec![0.0_f32, -0.0]).expect("zeros");
        let found = noisy(13, &main, &[("x", x)], Arithmetic::Rounded);
        [f32::INFINITY, f32::NEG_INFINITY].map(|sign| found.iter().any(|y| y[0] == sign))
    };
    let greatest = node("ReduceMax", "x", "m", &[("axes", AttributeValue::Ints(vec![1]))]);
    let inverse = |of: &str| node("Reciprocal", of, "y", &[]);
    assert_eq!(has_both(&[greatest, inverse("m")]), [true, true]);
    assert_eq!(has_both(&[inverse("x")]), [true, false]);
    // One operation of IEEE 754.
    assert_eq!(
        has_both(&[node("Neg", "x", "n", &[]), inverse("n")]),
        [false, true]
    );
}

/// Two equal updates of one element have different errors.
#[test]
fn equal_updates_may_differ_by_their_rounding() {
    let scatter = node("ScatterElements", "d i u", "y", &[]);
    let main = graph("d i x", "y", &[node("Exp", "x", "u", &[]), scatter]);
    let indices = Tensor::vector(vec![1_i64, 2, 1]);
    let given = [
        ("d", floats(&[0.0; 3])),
        ("i", indices),
        ("x", floats(&[0.5, 1.5, 0.5])),
    ];
    let found = noisy(16, &main, &given, Arithmetic::Rounded);
    assert!(
        found
            .iter()
            .all(|y| y[0] == 0.0 && (y[1] - 0.5_f32.exp()).abs() < 1e-5),
        "{found:?}"
    );
}

/// A mask that hides every key of a row leaves the digits of the scores that -10000 has not taken.
#[test]
fn a_hidden_row_has_the_errors_of_masked_scores() {
    let main = graph("q k v m", "y", &[node("Attention", "q k v m", "y", &[])]);
    let of_size = |values: &[f32]| Tensor::new(&[1, 1, 2, 2], values.to_vec()).expect("heads");
    let spread = |masked: [f32; 2]| {
        let mask = Tensor::new(&[1, 2], masked.to_vec()).expect("a mask");
        let given = [
            ("q", of_size(&[0.3, 0.7, -0.4, 0.9])),
            ("k", of_size(&[1.1, -0.2, 0.5, 0.6])),
            ("v", of_size(&[1.0, 0.0, 0.0, 1.0])),
            ("m", mask),
        ];
        let found = noisy(23, &main, &given, Arithmetic::Rounded);
        let first = || found.iter().map(|y| y[0]);
        first().fold(f32::MIN, f32::max) - first().fold(f32::MAX, f32::min)
    };
    assert!(spread([0.0, 0.0]) < 1e-6, "{}", spread([0.0, 0.0]));
    assert!(spread([0.0, -1e4]) < 1e-6, "{}", spread([0.0, -1e4]));
    let hidden = spread([-1e4, -1e4]);
    assert!((1e-4..1e-2).contains(&hidden), "{hidden}");
}

/// A large float is a whole number by its size: a sum of constants rounds.
#[test]
fn sums_of_large_constants_round() {
    let moves = |constant: &[f32]| {
        let mut main = graph(
            "x",
            "y",
            &[node("ReduceSum", "c", "s", &[]), node("Add", "s x", "y", &[])],
        );
        main.initializers.push(("c".to_owned(), floats(constant).into()));
        let found = noisy(11, &main, &[("x", floats(&[0.0]))], Arithmetic::Rounded);
        found.iter().any(|y| y != &found[0])
    };
    assert!(moves(&[1.1e30, -0.7e30, 0.3e30, 2.9e29]));
    assert!(moves(&[1.1, -0.7, 0.3, 0.29]));
    assert!(!moves(&[64.0, 32.0, 2.0]));
}

/// A variance of 1 beside a squared mean of 1e8 is negative in some runs, where the class computes it in one
/// pass.
#[test]
fn a_variance_below_its_error_may_be_negative() {
    let check = |name: &str, inputs: &str, attributes: &[(&str, AttributeValue)], opset: i64| {
        let main = graph(inputs, "y", &[node(name, inputs, "y", attributes)]);
        let is_open = |mean: f32, arithmetic| {
            let x = Tensor::new(
                &[1, 2, 2, 2],
                [0.0, 2.0, 1.0, 3.0, 1.0, 2.5, 0.5, 0.0]
                    .map(|x| x + mean)
                    .to_vec(),
            );
            let given = [
                ("x", x.expect("an image")),
                ("s", floats(&[1.0; 2])),
                ("b", floats(&[0.0; 2])),
            ];
            let found = noisy(opset, &main, &given[..inputs.split(' ').count()], arithmetic);
            found.iter().flatten().any(|y| y.is_nan())
        };
        assert!(is_open(1e4, Arithmetic::Approximated), "{name}");
        assert!(!is_open(1e4, Arithmetic::Rounded), "{name}");
        assert!(!is_open(10.0, Arithmetic::Approximated), "{name}");
    };
    let groups = [("num_groups", AttributeValue::Int(2))];
    check("GroupNormalization", "x s b", &groups, 21);
    check("InstanceNormalization", "x s b", &[], 21);
    check("MeanVarianceNormalization", "x", &[], 13);
}

/// An infinity with the weight 0 is a term in some runs, and in others not; far from it nothing is open.
#[test]
fn products_of_zero_and_infinity_are_open() {
    let kinds = |nodes: &[Node], given: &[(&str, Tensor)], place: usize| {
        let names: Vec<&str> = given.iter().map(|(name, _)| *name).collect();
        let found = noisy(
            13,
            &graph(&names.join(" "), "y", nodes),
            given,
            Arithmetic::Rounded,
        );
        [f32::is_nan as fn(f32) -> bool, f32::is_finite].map(|kind| found.iter().any(|y| kind(y[place])))
    };
    let gemm = [node(
        "Gemm",
        "a b c",
        "y",
        &[("beta", AttributeValue::Float(0.0))],
    )];
    let square = |values: [f32; 4]| Tensor::new(&[2, 2], values.to_vec()).expect("a matrix");
    let of = |c: f32| {
        [
            ("a", square([1.0; 4])),
            ("b", square([2.0; 4])),
            ("c", square([c, 0.0, 0.0, 0.0])),
        ]
    };
    assert_eq!(kinds(&gemm, &of(f32::NAN), 0), [true, true]);
    assert_eq!(kinds(&gemm, &of(1.0), 0), [false, true]);
    let modes = [("mode", AttributeValue::String(b"linear".to_vec()))];
    let resize = [node("Resize", "x r s", "y", &modes)];
    let mut x = vec![1.0_f32; 9];
    x[0] = f32::INFINITY;
    let scales = floats(&[1.0, 1.0, 2.0]);
    let given = [
        ("x", Tensor::new(&[1, 1, 9], x).expect("a signal")),
        ("r", floats(&[])),
        ("s", scales),
    ];
    assert_eq!(kinds(&resize, &given, 3), [true, true]);
    assert_eq!(kinds(&resize, &given, 17), [false, true]);
}
