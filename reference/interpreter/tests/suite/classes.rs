//! The errors of the classes of honest arithmetic, and of whole rows.

use crate::build::{graph, node};
use crate::noise::{floats, noisy};
use onnx_interpreter::Arithmetic;
use onnx_model::{AttributeValue, Node};
use onnx_tensor::Tensor;

/// Terms behind a large one are added to it with errors of one sign.
#[test]
fn sums_of_many_terms_have_larger_errors_in_less_accurate_classes() {
    let axes = [("axes", AttributeValue::Ints(vec![0]))];
    let main = graph("x", "y", &[node("ReduceMean", "x", "y", &axes)]);
    let x: Vec<f32> = (0..4096).map(|at| (at as f32 * 0.7).sin() + 1.0).collect();
    let largest = |arithmetic| {
        let found = noisy(13, &main, &[("x", floats(&x))], arithmetic);
        let (least, most) = found.iter().fold((f32::MAX, f32::MIN), |(least, most), y| {
            (least.min(y[0]), most.max(y[0]))
        });
        most - least
    };
    assert!(largest(Arithmetic::Approximated) > 8.0 * largest(Arithmetic::Rounded));
}

/// Equal terms, as those of a blank image, are added with errors of one sign.
#[test]
fn sums_of_equal_terms_one_after_another_are_honest() {
    let blank = |shape: &[usize]| Tensor::new(shape, vec![0.1_f32; shape.iter().product()]).expect("a shape");
    let check = |opset: i64,
                 node: Node,
                 inputs: &[(&str, Tensor)],
                 term: f32,
                 terms: usize,
                 of_sum: fn(f64, f64) -> f64| {
        let names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
        let main = graph(&names.join(" "), "y", &[node]);
        let found = noisy(opset, &main, inputs, Arithmetic::Approximated);
        let ends = found.iter().map(|y| y[y.len() - 1]);
        let (least, most) = (
            ends.clone().fold(f32::MAX, f32::min),
            ends.fold(f32::MIN, f32::max),
        );
        let sum = (0..terms).fold(0.0, |sum: f32, _| sum + term);
        let seen = of_sum(f64::from(sum), terms as f64);
        let exact = of_sum(f64::from(term) * terms as f64, terms as f64);
        let (off, spread) = ((seen - exact).abs(), f64::from(most - least));
        assert!(off < 1.5 * spread, "{names:?} {terms}: {off:e}, {spread:e}");
    };
    let mean: fn(f64, f64) -> f64 = |sum, terms| sum / terms;
    let itself: fn(f64, f64) -> f64 = |sum, _| sum;
    let ints = |values: &[i64]| AttributeValue::Ints(values.to_vec());
    let norm = [("p", AttributeValue::Int(1))];
    let row = ("x", blank(&[2000]));
    check(
        22,
        node("LpNormalization", "x", "y", &norm),
        &[row],
        0.1,
        2000,
        |sum, _| 0.1 / sum,
    );
    let pool = [("kernel_shape", ints(&[28, 28]))];
    let image = ("x", blank(&[1, 1, 28, 28]));
    check(
        11,
        node("AveragePool", "x", "y", &pool),
        std::slice::from_ref(&image),
        0.1,
        784,
        mean,
    );
    check(
        11,
        node("GlobalAveragePool", "x", "y", &[]),
        &[image],
        0.1,
        784,
        mean,
    );
    let axis = Tensor::scalar(0_i64);
    let row = ("x", blank(&[1024]));
    check(
        14,
        node("CumSum", "x a", "y", &[]),
        &[row, ("a", axis)],
        0.1,
        1024,
        itself,
    );
    // Equal rows of different values, as those of equal tokens.
    let rows: Vec<f32> = (0..2048 * 3).map(|at| [0.3, 0.7, 0.1][at % 3]).collect();
    let rows = Tensor::new(&[2048, 3], rows).expect("rows");
    let [a, b] = [("a", blank(&[1, 2048])), ("b", rows)];
    check(
        13,
        node("MatMul", "a b", "y", &[]),
        &[a, b],
        0.1 * 0.1,
        2048,
        itself,
    );
}

/// The error of a weight is relative to the weight, whatever axis the rows of a softmax have.
#[test]
fn softmax_along_every_axis() {
    let x: Vec<f32> = (0..60).map(|at| (at as f32 * 0.7).sin() * 6.0).collect();
    let x = Tensor::new(&[3, 4, 5], x).expect("60 elements");
    for axis in 0..3 {
        let of_axis = [("axis", AttributeValue::Int(axis))];
        let main = graph("x", "y", &[node("Softmax", "x", "y", &of_axis)]);
        let found = noisy(17, &main, &[("x", x.clone())], Arithmetic::Rounded);
        for place in 0..60 {
            let values = found.iter().map(|y| y[place]);
            let (least, most) = (
                values.clone().fold(f32::MAX, f32::min),
                values.fold(f32::MIN, f32::max),
            );
            let spread = (most - least) / most;
            assert!((1e-7..5e-6).contains(&spread), "axis {axis}, {place}: {spread:e}");
        }
    }
}

/// A row of a normalisation is a sum of its own: other rows add nothing to its error.
#[test]
fn rows_of_a_normalisation_are_sums_of_their_own() {
    let main = graph("x s", "y", &[node("LayerNormalization", "x s", "y", &[])]);
    let apart = |rows: usize, arithmetic| {
        let x: Vec<f32> = (0..rows * 16).map(|at| (at as f32 * 0.7).sin()).collect();
        let x = Tensor::new(&[1, rows, 16], x).expect("rows");
        let inputs = [("x", x), ("s", floats(&[1.0; 16]))];
        let found = noisy(17, &main, &inputs, arithmetic);
        let first = found.iter().map(|y| y[3]);
        first.clone().fold(f32::MIN, f32::max) - first.fold(f32::MAX, f32::min)
    };
    let wide = apart(512, Arithmetic::Approximated);
    assert!(wide < 3.0 * apart(512, Arithmetic::Rounded), "{wide}");
}

/// Values that stay in float have the errors of 16 bits; other values of the model have those of float.
#[test]
fn values_that_stay_in_float_are_those_of_16_bits() {
    let to = |number: i64| [("to", AttributeValue::Int(number))];
    let halves = [
        node("Cast", "x", "h", &to(10)),
        node("Mul", "h h", "g", &[]),
        node("Cast", "g", "f", &to(1)),
    ];
    let x: Vec<f32> = (0..64).map(|at| 1.5 + (at as f32).sin() / 2.0).collect();
    let largest = |last: Node| {
        let nodes = [&halves[..], &[last]].concat();
        let main = graph("x", "y", &nodes);
        let found = noisy(17, &main, &[("x", floats(&x))], Arithmetic::Wide);
        let squares = found.iter().flat_map(|y| y.iter().zip(&x));
        let errors = squares.map(|(y, x)| (y / (x * x) - 1.0).abs());
        errors.fold(0.0, f32::max)
    };
    let of_half = largest(node("Identity", "f", "y", &[]));
    assert!((2e-4..5e-4).contains(&of_half), "{of_half:e}");
    let of_float = largest(node("Mul", "x x", "y", &[]));
    assert!((1e-8..1e-6).contains(&of_float), "{of_float:e}");
}

/// A large element says nothing about the approximation of a factor at a small one.
#[test]
fn a_factor_is_approximated_where_it_varies() {
    let x: Vec<f32> = (0..64)
        .map(|at| if at == 0 { 5000.0 } else { at as f32 / 16.0 - 2.0 })
        .collect();
    for (operator, opset) in [("Gelu", 20), ("Mish", 18), ("Swish", 24), ("Softplus", 22)] {
        let main = graph("x", "y", &[node(operator, "x", "y", &[])]);
        let found = noisy(opset, &main, &[("x", floats(&x))], Arithmetic::Approximated);
        let values = |place: usize| found.iter().map(move |y| y[place]);
        let spread = |place| values(place).fold(f32::MIN, f32::max) - values(place).fold(f32::MAX, f32::min);
        let most = (1..64).map(spread).fold(0.0, f32::max);
        assert!((1e-6..1e-4).contains(&most), "{operator}: {most:e}");
        assert!(spread(0) < 5000.0 * 1e-5, "{operator}: {}", spread(0));
    }
}
