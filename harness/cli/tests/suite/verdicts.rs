//! The verdicts of `compare` on small models: answers stored beside a model are judged like those of a
//! backend.

mod undetermined;

use std::fs;

use crate::models::*;
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo, encode_value};
use onnx_tensor::{Dim, Tensor, Value, ValueType, f16};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

/// A model of one input, x, and one output, y.
struct Subject {
    nodes: Vec<Node>,
    initializers: Vec<(&'static str, Tensor)>,
    x: Tensor,
    opset: i64,
}

fn subject(x: Tensor, nodes: Vec<Node>) -> Subject {
    Subject {
        nodes,
        initializers: Vec::new(),
        x,
        opset: 17,
    }
}

fn row(values: &[f32]) -> Tensor {
    Tensor::new(&[1, values.len()], values.to_vec()).expect("a row")
}

fn with(mut node: Node, name: &str, value: AttributeValue) -> Node {
    node.attributes.push(Attribute {
        name: name.to_owned(),
        value,
    });
    node
}

fn typed(name: &str, like: &Tensor) -> ValueInfo {
    let shape = like.shape().iter().map(|&extent| Dim::Fixed(extent)).collect();
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: like.dtype(),
            shape: Some(shape),
        }),
    }
}

/// Writes the model with its input and with `y` as the stored answer.
fn write(bench: &Bench, subject: &Subject, y: &Tensor) {
    let owned = |(name, tensor): &(&str, Tensor)| ((*name).to_owned(), Value::from(tensor.clone()));
    let graph = Graph {
        inputs: vec![typed("x", &subject.x)],
        outputs: vec![typed("y", y)],
        initializers: subject.initializers.iter().map(owned).collect(),
        nodes: subject.nodes.clone(),
        ..Graph::default()
    };
    let set = bench.at("case/test_data_set_0");
    fs::create_dir_all(&set).expect("a folder");
    fs::write(
        bench.at("case/model.onnx"),
        Model::new(subject.opset, graph).encode(),
    )
    .expect("a model");
    let put = |file: &str, name: &str, tensor: &Tensor| {
        fs::write(set.join(file), encode_value(&tensor.clone().into(), name)).expect("a value");
    };
    put("input_0.pb", "x", &subject.x);
    put("output_0.pb", "y", y);
}

/// Compares the stored answer: the exit code and parts of the output.
#[track_caller]
fn judged(subject: &Subject, y: &Tensor, code: i32, parts: &[&str]) {
    let bench = Bench::new();
    write(&bench, subject, y);
    check(&bench, "compare case --backend RIGHT", code, parts);
}

/// A number in place of an infinity or NaN, beside elements that are right.
#[test]
fn kinds_of_values_must_agree() {
    let exp = || {
        subject(
            row(&[100.0, 1.0, 2.0, 0.5]),
            vec![node("e", "Exp", &["x"], "e"), node("n", "Neg", &["e"], "y")],
        )
    };
    let right = [-INF, -2.718_281_7, -7.389_056, -1.648_721_2];
    judged(&exp(), &row(&right), 0, &["right, exact"]);
    for wrong in [5.0, INF, NAN] {
        let answer = row(&[&[wrong], &right[1..]].concat());
        judged(
            &exp(),
            &answer,
            9,
            &["WRONG", "no known arithmetic explains `y`: element [0, 0] is"],
        );
    }
    let quotient = subject(
        row(&[0.0, 1.0, 2.0, 0.5]),
        vec![node("d", "Div", &["x", "x"], "d"), node("n", "Neg", &["d"], "y")],
    );
    judged(&quotient, &row(&[NAN, -1.0, -1.0, -1.0]), 0, &["right, exact"]);
    judged(&quotient, &row(&[5.0, -1.0, -1.0, -1.0]), 9, &["WRONG"]);
}

/// An intermediate value of float16 overflows in the reference, and not in a runtime that keeps it in float.
#[test]
fn values_of_16_bits_may_stay_in_float() {
    let half = |values: &[f32]| Tensor::vector(values.iter().map(|&value| f16::from_f32(value)).collect());
    let mut overflow = subject(
        half(&[1.0, 300.0, -280.0]),
        vec![
            node("a", "Mul", &["x", "a"], "m"),
            node("b", "Mul", &["m", "b"], "y"),
        ],
    );
    overflow.initializers = vec![("a", half(&[300.0])), ("b", half(&[0.01]))];
    judged(&overflow, &half(&[3.0, INF, -INF]), 0, &["right, exact"]);
    let kept = "right, other arithmetic: 16-bit values kept in float";
    judged(&overflow, &half(&[3.0, 900.0, -840.0]), 0, &[kept]);
    judged(&overflow, &half(&[3.0, 940.0, -840.0]), 9, &["WRONG"]);
    judged(
        &overflow,
        &half(&[3.0, 900.0, -INF]),
        9,
        &["WRONG", "is 900, expected inf"],
    );
    // The factor behind a convolution is folded into its weights, which are rounded again.
    let shaped = |shape: &[usize], values: &[f32]| half(values).reshape(shape).expect("a shape");
    let mut folded = subject(
        shaped(&[1, 2, 1, 2], &[1.0, 0.01, 0.9, 0.02]),
        vec![
            node("c", "Conv", &["x", "w"], "c"),
            node("m", "Mul", &["c", "b"], "y"),
        ],
    );
    let weights = shaped(&[1, 2, 1, 1], &[60_000.0, 60_000.0]);
    folded.initializers = vec![("w", weights), ("b", half(&[0.001]))];
    let answer = |first: f32| shaped(&[1, 1, 1, 2], &[first, 1.8]);
    judged(&folded, &answer(114.06), 0, &[kept]);
    judged(&folded, &answer(115.0), 9, &["WRONG"]);
}

/// An answer that follows another reading of an open question.
#[test]
fn another_reading_is_named() {
    let index = |index: i64| Tensor::new(&[1, 1], vec![index]).expect("an index");
    let largest = subject(
        row(&[1.0, NAN, 3.0, 2.0]),
        vec![with(
            node("a", "ArgMax", &["x"], "y"),
            "axis",
            AttributeValue::Int(1),
        )],
    );
    judged(&largest, &index(1), 0, &["right, exact"]);
    let open = [
        "cannot be judged",
        "the specification leaves open: Where does NaN stand",
        "arg-nan=compared",
    ];
    judged(&largest, &index(2), 0, &open);
    judged(&largest, &index(3), 9, &["WRONG"]);
    // The index decides how many there are.
    let mut counted = largest;
    counted.x = row(&[3.0, NAN, 1.0, 2.0]);
    counted.nodes[0].outputs = vec!["i".to_owned()];
    counted.nodes.push(node("n", "NonZero", &["i"], "y"));
    let found = |count: usize| Tensor::new(&[2, count], vec![0_i64; 2 * count]).expect("coordinates");
    judged(&counted, &found(1), 0, &["right, exact"]);
    judged(&counted, &found(0), 0, &open[..2]);
    judged(&counted, &found(2), 9, &["WRONG"]);
}

/// All of few ties may be on the other side: eight runs show some of them on one side only.
#[test]
fn every_tie_may_be_on_either_side() {
    // 0.05 · x in steps of 0.1: each odd number is next to a tie.
    let whole = || (0..24).map(|n| 2 * n - 24);
    let ties = [1, 7, 13, 21, 35];
    let x: Vec<f32> = ties.into_iter().chain(whole()).map(|x| x as f32).collect();
    let mut scaled = subject(
        row(&x),
        vec![
            node("m", "Mul", &["x", "a"], "m"),
            node("q", "QuantizeLinear", &["m", "b", "z"], "q"),
            node("d", "DequantizeLinear", &["q", "b", "z"], "d"),
            node("s", "Sigmoid", &["d"], "y"),
        ],
    );
    scaled.initializers = vec![
        ("a", Tensor::scalar(0.05_f32)),
        ("b", Tensor::scalar(0.1_f32)),
        ("z", Tensor::scalar(100_u8)),
    ];
    // `up` has a bit for each tie, and `off` is added to a number that is no tie.
    let answer = |up: i32, off: i32| {
        let steps = ties.iter().enumerate().map(|(tie, x)| x / 2 + ((up >> tie) & 1));
        let others = whole().enumerate().map(|(n, x)| x / 2 + i32::from(n == 3) * off);
        let sigmoid = |steps: i32| 1.0 / (1.0 + (-0.1 * steps as f32).exp());
        row(&steps.chain(others).map(sigmoid).collect::<Vec<f32>>())
    };
    for up in 0..1 << ties.len() {
        judged(&scaled, &answer(up, 0), 0, &["right"]);
    }
    judged(&scaled, &answer(0, 1), 9, &["WRONG"]);
    judged(&scaled, &answer(9, -1), 9, &["WRONG"]);
}

/// The mean is 5,000 times the deviation: two passes leave three digits, one pass none.
#[test]
fn a_variance_in_one_pass_leaves_no_digit() {
    let x: Vec<f32> = (0..64).map(|n| 5000.0 + ((n * n) % 17) as f32 / 8.0).collect();
    let mut normal = subject(row(&x), vec![node("l", "LayerNormalization", &["x", "one"], "y")]);
    normal.initializers = vec![("one", Tensor::vector(vec![1.0_f32; 64]))];
    let exact: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
    let mean = exact.iter().sum::<f64>() / 64.0;
    let variance = exact.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 64.0;
    let answer = |off: f64| {
        let y = exact
            .iter()
            .map(|x| ((x - mean + off) / (variance + 1e-5).sqrt()) as f32);
        row(&y.collect::<Vec<f32>>())
    };
    judged(&normal, &answer(0.0), 0, &["right"]);
    judged(&normal, &answer(1e-4), 0, &["right"]);
    judged(
        &normal,
        &answer(0.3),
        0,
        &["which leave the output no significant digit"],
    );
}

/// Filters of one value, as a branch that starts at zero has: the sum of one stands for all.
#[test]
fn equal_filters_have_noise() {
    let image: Vec<f32> = (0..128).map(|at| (at % 13) as f32 / 7.0 - 0.8).collect();
    let mut filtered = subject(
        Tensor::new(&[1, 2, 8, 8], image).expect("an image"),
        vec![
            node("c", "Conv", &["x", "w", "b"], "c"),
            node("s", "Sigmoid", &["c"], "y"),
        ],
    );
    let zeros = Tensor::new(&[4, 2, 1, 1], vec![0.0_f32; 8]).expect("filters");
    filtered.initializers = vec![("w", zeros), ("b", Tensor::vector(vec![0.5_f32; 4]))];
    let answer = |value: f32| Tensor::new(&[1, 4, 8, 8], vec![value; 256]).expect("an image");
    judged(&filtered, &answer(0.622_459_3), 0, &["right"]);
    judged(&filtered, &answer(0.622_459_5), 0, &["right"]);
    judged(&filtered, &answer(0.623), 9, &["WRONG"]);
}

/// The sample of GridSample next to a border of zeros has the error of its coordinate.
#[test]
fn coordinates_next_to_zeros_have_errors() {
    let grid = |y: f32| Tensor::new(&[1, 1, 1, 2], vec![0.0, y]).expect("a grid");
    let image: Vec<f32> = (0..81).map(|at| (at % 7) as f32 + 1.0).collect();
    let mut sampled = subject(
        grid(1.103_45),
        vec![node("g", "GridSample", &["image", "x"], "y")],
    );
    sampled.initializers = vec![("image", Tensor::new(&[1, 1, 9, 9], image).expect("an image"))];
    let right = 7.0 * (1.0 - ((1.103_45_f32 as f64 + 1.0) * 9.0 - 1.0) / 2.0 + 8.0);
    let answer = |off: f64| Tensor::new(&[1, 1, 1, 1], vec![(right + off) as f32]).expect("a value");
    judged(&sampled, &answer(1e-6 * 7.0), 0, &["right"]);
    judged(&sampled, &answer(1e-5 * 7.0), 9, &["WRONG"]);
}

/// The exponent of a power is exact: a perturbed one would make the power of a negative number NaN.
#[test]
fn powers_of_negative_numbers_have_noise() {
    let mut norm = subject(
        row(&[1.0, -1.0, 2.0, -2.0, 0.5, -0.7, 3.0, -3.3]),
        vec![
            node("p", "Pow", &["x", "two"], "p"),
            with(
                node("m", "ReduceMean", &["p"], "m"),
                "axes",
                AttributeValue::Ints(vec![-1]),
            ),
            node("r", "Sqrt", &["m"], "r"),
            node("d", "Div", &["x", "r"], "y"),
        ],
    );
    norm.initializers = vec![("two", Tensor::scalar(2.0_f32))];
    let mean = [1.0_f64, 1.0, 4.0, 4.0, 0.25, 0.49, 9.0, 10.89]
        .iter()
        .sum::<f64>()
        / 8.0;
    let answer = |factor: f32| {
        let x = [1.0_f32, -1.0, 2.0, -2.0, 0.5, -0.7, 3.0, -3.3];
        row(&x.map(|x| (f64::from(x) / mean.sqrt()) as f32 * factor))
    };
    // One or two ULP off are rounding; a millionth is not.
    judged(
        &norm,
        &answer(1.0 + f32::EPSILON),
        0,
        &["right, within the model's noise"],
    );
    judged(&norm, &answer(1.0 + 1e-5), 9, &["WRONG"]);
}

/// A mask of large negative numbers, as exports of BERT have it, leaves the noise of the other elements
/// alone.
#[test]
fn masks_do_not_hide_faults() {
    for masked in [-1e9_f32, f32::MIN] {
        let mut softmax = subject(
            row(&[0.5, 1.0, -0.25, 2.0]),
            vec![
                node("i", "Sub", &["one", "mask"], "i"),
                node("b", "Mul", &["i", "low"], "b"),
                node("s", "Add", &["x", "b"], "s"),
                node("y", "Softmax", &["s"], "y"),
            ],
        );
        softmax.initializers = vec![
            ("one", Tensor::scalar(1.0_f32)),
            ("mask", row(&[1.0, 1.0, 1.0, 0.0])),
            ("low", Tensor::scalar(masked)),
        ];
        let exponentials = [0.5_f64, 1.0, -0.25].map(f64::exp);
        let sum: f64 = exponentials.iter().sum();
        let answer = |factor: f64| {
            let [a, b, c] = exponentials.map(|x| (x / sum * factor) as f32);
            row(&[a, b, c, 0.0])
        };
        judged(&softmax, &answer(1.0), 0, &["right"]);
        judged(&softmax, &answer(1.2), 9, &["WRONG"]);
    }
}

/// A sigmoid with an absolute error of 1e-7, as many runtimes compute it, is less accurate and not wrong.
#[test]
fn approximated_functions_are_a_class() {
    let sigmoid = subject(
        row(&[-14.0, -10.0, 0.5, 3.0]),
        vec![
            node("t", "Identity", &["x"], "t"),
            node("s", "Sigmoid", &["t"], "y"),
        ],
    );
    let answer = |off: f64| {
        let x = [-14.0_f64, -10.0, 0.5, 3.0];
        row(&x.map(|x| (1.0 / (1.0 + (-x).exp()) + off) as f32))
    };
    judged(&sigmoid, &answer(0.0), 0, &["right"]);
    judged(
        &sigmoid,
        &answer(1e-7),
        0,
        &[
            "right, less accurate: approximated functions",
            "largest absolute error",
        ],
    );
    judged(&sigmoid, &answer(1e-4), 9, &["WRONG"]);
}

/// A Fourier transform by chirps, as ONNX Runtime has it for lengths that are no power of two, is less
/// accurate.
#[test]
fn spectra_have_the_errors_of_their_lengths() {
    for (length, code, said) in [
        (100, 0, "right, less accurate: approximated functions"),
        (64, 9, "WRONG"),
    ] {
        let signal: Vec<f32> = (0..length).map(|at| (at * 7 % 11) as f32 / 5.0 - 1.0).collect();
        let norm = signal.iter().map(|x| f64::from(x * x)).sum::<f64>().sqrt();
        let off = 2.0 * length as f64 * norm / f64::from(1 << 24);
        let spectrum = (0..length).flat_map(|k| {
            let parts = signal.iter().enumerate().map(|(at, x)| {
                let angle = -std::f64::consts::TAU * (k * at % length) as f64 / length as f64;
                (f64::from(*x) * angle.cos(), f64::from(*x) * angle.sin())
            });
            let (re, im) = parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
            let sign = if k % 2 == 0 { off } else { -off };
            [(re + sign) as f32, (im - sign) as f32]
        });
        let y = Tensor::new(&[1, length, 2], spectrum.collect()).expect("a spectrum");
        let x = Tensor::new(&[1, length, 1], signal.clone()).expect("a signal");
        let dft = with(node("d", "DFT", &["x"], "y"), "axis", AttributeValue::Int(1));
        judged(&subject(x, vec![dft]), &y, code, &[said]);
    }
}

/// A model of one node has noise as well, so that an inexact answer is within it.
#[test]
fn one_node_has_noise() {
    let exp = subject(row(&[0.5, 1.0, 2.0]), vec![node("e", "Exp", &["x"], "y")]);
    let answer = |factor: f32| row(&[0.5_f32, 1.0, 2.0].map(|x| x.exp() * factor));
    judged(
        &exp,
        &answer(1.0 + f32::EPSILON),
        0,
        &["right, within the model's noise"],
    );
    judged(&exp, &answer(1.0 + 1e-4), 9, &["WRONG"]);
}

/// The root of a difference that cancels is a number or NaN in honest runs, and never 400.
#[test]
fn numbers_beside_honest_nan_are_held_against_numbers() {
    let x = Tensor::new(&[2, 3], vec![1.1_f32, 2.3, 0.7, 0.2, 0.4, 5.0]).expect("a matrix");
    let mut distances = subject(
        x,
        vec![
            node("1", "Mul", &["x", "x"], "xx"),
            node("2", "ReduceSum", &["xx", "axis"], "n"),
            node("3", "Transpose", &["n"], "nt"),
            node("4", "Add", &["n", "nt"], "s"),
            node("5", "Transpose", &["x"], "xt"),
            node("6", "MatMul", &["x", "xt"], "g"),
            node("7", "Mul", &["g", "two"], "g2"),
            node("8", "Sub", &["s", "g2"], "d"),
            node("9", "Sqrt", &["d"], "y"),
        ],
    );
    distances.initializers = vec![
        ("axis", Tensor::vector(vec![1_i64])),
        ("two", Tensor::scalar(2.0_f32)),
    ];
    let answer = |corner: f32| {
        Tensor::new(&[2, 2], vec![0.0_f32, 4.786_439_4, 4.786_439_4, corner]).expect("a matrix")
    };
    judged(&distances, &answer(400.0), 9, &["WRONG", "is 400"]);
}

#[test]
fn the_node_of_a_wrong_answer_is_named() {
    let bench = Bench::new();
    let said = "wrong at node 1 `second` (Sub-13)";
    check(&bench, "compare net.onnx --backend FAULTY", 1, &["WRONG", said]);
}

/// `locate`, `bisect` and `upgrade` say what `compare` says.
#[test]
fn every_command_has_the_same_verdict() {
    let bench = Bench::new();
    let right = "compare net.onnx --backend RIGHT";
    check(&bench, right, 0, &["right, exact"]);
    check(
        &bench,
        "locate net.onnx --backend RIGHT",
        0,
        &["there is nothing to locate"],
    );
    check(
        &bench,
        "locate net.onnx --backend FAULTY",
        1,
        &["node 1 `second`"],
    );
    let bisect = format!("bisect net.onnx --backend cmd:{FAULTY} --over fault=none,second:swap");
    check(
        &bench,
        &bisect,
        1,
        &["wrong with fault=second:swap", "times the noise"],
    );
}

#[test]
fn the_judge_is_measured() {
    let bench = Bench::new();
    let said = ["1 networks, 1 honest answers", "honest answers called wrong: 0"];
    check(&bench, "power net.onnx --backend RIGHT --faults 3", 0, &said);
    let ended = bench.run("power net.onnx --backend RIGHT --faults 3 --format json");
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&json["format"], &json["networks"]), (&1.into(), &1.into()));
    assert!(
        json["faulty"].as_array().is_some_and(|faults| !faults.is_empty()),
        "{json}"
    );
}
