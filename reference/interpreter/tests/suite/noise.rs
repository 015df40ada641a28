//! Random rounding changes only results that have an error: no operand, no exact result, no extent, and no
//! quotient of constants.

use crate::build::{LEARNED, graph, model, node};
use onnx_interpreter::{Arithmetic, Limits, run};
use onnx_model::{AttributeValue, Graph, Node};
use onnx_tensor::{Tensor, Value};

/// The shape of the first output for several seeds of random rounding.
fn shapes(opset: i64, main: &Graph, inputs: &[(&str, Tensor)]) -> Vec<Vec<usize>> {
    let inputs: Vec<_> = inputs
        .iter()
        .map(|(name, tensor)| ((*name).to_owned(), Value::Tensor(tensor.clone())))
        .collect();
    let shape = |seed| {
        let limits = Limits {
            noise: seed,
            ..Limits::default()
        };
        let outputs = run(&model(opset, main.clone()), &inputs, limits).expect("a result");
        outputs[0].1.as_tensor().expect("a tensor").shape().to_vec()
    };
    (0..40)
        .map(|seed| shape(Some(seed)))
        .chain([shape(None)])
        .collect()
}

/// Compares the shape for each seed with that without random rounding.
#[track_caller]
fn check(opset: i64, main: &Graph, inputs: &[(&str, Tensor)]) {
    let shapes = shapes(opset, main, inputs);
    let settled = shapes.last().expect("the run without seed").clone();
    assert!(shapes.iter().all(|shape| *shape == settled), "{shapes:?}");
}

pub fn floats(values: &[f32]) -> Tensor {
    Tensor::vector(values.to_vec())
}

fn image() -> Tensor {
    Tensor::new(&[1, 1, 3, 3], vec![1.0_f32; 9]).expect("nine elements")
}

#[test]
fn operands_that_decide_a_shape() {
    let resize = node(
        "Resize",
        "x - s",
        "y",
        &[("mode", AttributeValue::String("linear".into()))],
    );
    check(
        13,
        &graph("x s", "y", &[resize]),
        &[("x", image()), ("s", floats(&[1.0, 1.0, 1.0, 1.0]))],
    );
    let crop = [
        ("mode", AttributeValue::String("linear".into())),
        (
            "coordinate_transformation_mode",
            AttributeValue::String("tf_crop_and_resize".into()),
        ),
    ];
    let roi = floats(&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    let inputs = [("x", image()), ("r", roi), ("s", floats(&[1.0, 1.0, 1.0, 1.0]))];
    check(
        13,
        &graph("x r s", "y", &[node("Resize", "x r s", "y", &crop)]),
        &inputs,
    );
    check(
        9,
        &graph("x s", "y", &[node("Upsample", "x s", "y", &[])]),
        &[("x", image()), ("s", floats(&[1.0; 4]))],
    );
    let range = graph("a b d", "y", &[node("Range", "a b d", "y", &[])]);
    let scalar = |value: f32| Tensor::scalar(value);
    check(
        13,
        &range,
        &[("a", scalar(0.0)), ("b", scalar(3.0)), ("d", scalar(1.0))],
    );
}

/// A scale that a graph computes from constants and shapes is not changed, like a constant.
#[test]
fn scales_that_are_computed() {
    let nodes = [
        node("Shape", "x", "extents", &[]),
        node("Cast", "extents", "have", &[("to", AttributeValue::Int(1))]),
        node("Div", "want have", "scales", &[]),
        node("Resize", "x - scales", "y", &[]),
    ];
    let mut main = graph("x", "y", &nodes);
    main.initializers
        .push(("want".to_owned(), Value::Tensor(floats(&[1.0, 1.0, 6.0, 3.0]))));
    check(13, &main, &[("x", image())]);
}

/// A function of constants has the errors of its operator, but for results that are exact in every library.
#[test]
fn functions_of_constants() {
    let check = |operator: &str, constants: &[&[f32]], moves: &[bool]| {
        let names = ["a", "b"].get(..constants.len()).expect("at most two").join(" ");
        let mut main = graph("x", "y", &[node(operator, &names, "y", &[])]);
        for (name, values) in names.split(' ').zip(constants) {
            let value = Value::Tensor(floats(values));
            main.initializers.push((name.to_owned(), value));
        }
        let found = noisy(13, &main, &[("x", floats(&[0.0]))], Arithmetic::Rounded);
        for (place, moves) in moves.iter().enumerate() {
            let some = found
                .iter()
                .any(|y| y[place].to_bits() != found[0][place].to_bits());
            assert_eq!(some, *moves, "{operator} [{place}]: {found:?}");
        }
    };
    check("Softmax", &[&[0.3, 0.9]], &[true, true]);
    check(
        "Pow",
        &[&[64.0, 64.0, 1e4], &[0.5, 0.3, 0.0]],
        &[false, true, false],
    );
    check("Div", &[&[1.0, 2.0], &[3.0, 7.0]], &[false, false]);
    check("Sqrt", &[&[2.0]], &[false]);
}

/// The results of operators that round are perturbed.
#[test]
fn data_is_perturbed() {
    let data = |nodes: &[Node], outputs: &str| {
        let inputs = [
            ("x".to_owned(), Value::Tensor(image())),
            ("s".to_owned(), Value::Tensor(floats(&[1.0, 1.0, 2.0, 2.0]))),
        ];
        let main = model(13, graph("x s", outputs, nodes));
        let limits = |noise| Limits {
            noise,
            ..Limits::default()
        };
        let output = |noise| run(&main, &inputs, limits(noise)).expect("a result").remove(0).1;
        let (with, without) = (output(Some(1)), output(None));
        !with
            .as_tensor()
            .expect("a tensor")
            .same_bits(without.as_tensor().expect("a tensor"))
    };
    let linear = [("mode", AttributeValue::String("linear".into()))];
    assert!(data(&[node("Resize", "x - s", "y", &linear)], "y"));
    assert!(data(&[node("Exp", "x", "y", &[])], "y"));
}

/// The outputs of runs with random rounding.
pub fn noisy(opset: i64, main: &Graph, inputs: &[(&str, Tensor)], arithmetic: Arithmetic) -> Vec<Vec<f32>> {
    let inputs: Vec<_> = inputs
        .iter()
        .map(|(name, tensor)| ((*name).to_owned(), Value::Tensor(tensor.clone())))
        .collect();
    let output = |seed| {
        let limits = Limits {
            noise: Some(seed),
            arithmetic,
            ..Limits::default()
        };
        let outputs = run(&model(opset, main.clone()), &inputs, limits).expect("a result");
        let tensor = outputs[0].1.as_tensor().expect("a tensor");
        tensor.to_vec::<f32>().expect("floats")
    };
    (0..40).map(output).collect()
}

/// Results without an error stay, and with them everything that a mask removes.
#[test]
fn exact_results_are_not_perturbed() {
    let nodes = [
        node("Sub", "one mask", "i", &[]),
        node("Mul", "i low", "b", &[]),
        node("Add", "x b", "y", &[]),
    ];
    let main = graph("x one mask low", "y", &nodes);
    for low in [-1e9, f32::MIN, f32::NEG_INFINITY] {
        let inputs = [
            ("x", floats(&[0.0, 0.0])),
            ("one", floats(&[1.0])),
            ("mask", floats(&[0.0, 0.0])),
            ("low", floats(&[low])),
        ];
        let found = noisy(13, &main, &inputs, Arithmetic::Rounded);
        assert!(found.iter().all(|y| y == &[low, low]), "{found:?}");
    }
    let square = graph("x e", "y", &[node("Pow", "x e", "y", &[])]);
    let inputs = [("x", floats(&[-1.5, -0.1])), ("e", floats(&[2.0]))];
    let found = noisy(13, &square, &inputs, Arithmetic::Rounded);
    assert!(found.iter().flatten().all(|y| y.is_finite()), "{found:?}");
}

/// The error of a class is of the size that it states: ULP of the result, or of the range of the function.
#[test]
fn classes_have_their_errors() {
    let main = graph("x", "y", &[node("Sigmoid", "x", "y", &[])]);
    let x: f32 = -14.0;
    let exact = 1.0 / (1.0 + f64::from(-x).exp());
    let largest = |arithmetic| {
        let found = noisy(13, &main, &[("x", floats(&[x]))], arithmetic);
        let off = found.iter().map(|y| (f64::from(y[0]) - exact).abs());
        off.fold(0.0, f64::max)
    };
    assert!(largest(Arithmetic::Rounded) < 1e-5 * exact);
    let of_range = largest(Arithmetic::Approximated);
    assert!((1e-8..1e-6).contains(&of_range), "{of_range}");
    // An error of the range moves results that are subnormal, too; a quarter of them becomes 0.
    for x in [-100.0, -103.0, -110.0] {
        let found = noisy(13, &main, &[("x", floats(&[x]))], Arithmetic::Approximated);
        let still = found.iter().filter(|y| y[0] < 1e-10).count();
        assert!((1..=found.len() / 2).contains(&still), "{x}: {found:?}");
    }
}

/// A tie of exact operands is decided by the operator. Only what rounding made may be on either side of it.
#[test]
fn exact_ties_stay() {
    let quantize = |of: &str| {
        [
            node("QuantizeLinear", &format!("{of} s z"), "q", &[]),
            node("Cast", "q", "y", &[("to", AttributeValue::Int(1))]),
        ]
    };
    let inputs = [
        ("x", floats(&[0.5, 1.5, 2.5])),
        ("s", floats(&[1.0])),
        ("z", Tensor::vector(vec![0_i8])),
    ];
    let exact = graph("x s z", "y", &quantize("x"));
    for arithmetic in [Arithmetic::Rounded, Arithmetic::Approximated] {
        let found = noisy(13, &exact, &inputs, arithmetic);
        assert!(
            found.iter().all(|y| y == &[0.0, 2.0, 2.0]),
            "{arithmetic} {found:?}"
        );
    }
    // The logarithm of the exponential is the operand but for rounding.
    let mut nodes = vec![node("Exp", "x", "e", &[]), node("Log", "e", "l", &[])];
    nodes.extend(quantize("l"));
    let found = noisy(13, &graph("x s z", "y", &nodes), &inputs, Arithmetic::Rounded);
    assert!(found.iter().any(|y| y != &[0.0, 2.0, 2.0]), "{found:?}");
}

/// Of a matrix, only the elements next to a tie move, and with one scale the same as with a scale of each
/// row.
#[test]
fn elements_next_to_a_tie() {
    let axis = [("axis", AttributeValue::Int(0))];
    let nodes = [
        node("QuantizeLinear", "x s z", "q", &axis),
        node("Cast", "q", "y", &[("to", AttributeValue::Int(1))]),
    ];
    let main = graph("x s z", "y", &nodes);
    let x = vec![0.05_f32, 0.31, 1.25, 1e30, -0.351, f32::INFINITY];
    let x = Tensor::new(&[2, 3], x).expect("six elements");
    let check = |scales: Tensor, zeros: Tensor| {
        let found = noisy(
            13,
            &main,
            &[("x", x.clone()), ("s", scales), ("z", zeros)],
            Arithmetic::Rounded,
        );
        let moves = |place: &usize| found.iter().any(|y| y[*place] != found[0][*place]);
        assert_eq!((0..6).filter(moves).collect::<Vec<_>>(), [0, 2], "{found:?}");
    };
    check(Tensor::scalar(0.1_f32), Tensor::scalar(3_i8));
    check(floats(&[0.1, 0.1]), Tensor::vector(vec![3_i8; 2]));
}

/// A product with a rounded reciprocal is off to one side: some runs round all ties of a tensor alike.
#[test]
fn ties_of_one_tensor_may_all_fall_to_one_side() {
    let nodes = [
        node("QuantizeLinear", "x s z", "q", &[]),
        node("Cast", "q", "y", &[("to", AttributeValue::Int(1))]),
    ];
    let main = graph("x s z", "y", &nodes);
    let inputs = [
        ("x", floats(&[0.05; 32])),
        ("s", Tensor::scalar(0.1_f32)),
        ("z", Tensor::scalar(0_i8)),
    ];
    let found = noisy(13, &main, &inputs, Arithmetic::Rounded);
    let runs = |wanted: fn(&Vec<f32>) -> bool| found.iter().filter(|y| wanted(y)).count();
    let sides = [
        runs(|y| y.iter().all(|q| *q == 0.0)),
        runs(|y| y.iter().all(|q| *q == 1.0)),
        runs(|y| y.contains(&0.0) && y.contains(&1.0)),
    ];
    assert!(
        sides.iter().all(|count| *count > 3) && sides.iter().sum::<usize>() == 40,
        "{sides:?}"
    );
}

/// A product of integers times rounded scales may fall on either side of a tie; one times powers of two may
/// not.
#[test]
fn products_next_to_a_tie() {
    let nodes = [
        node("QLinearMatMul", "a sa z b sb z so z", "q", &[]),
        node("Cast", "q", "y", &[("to", AttributeValue::Int(1))]),
    ];
    let main = graph("a b sa sb so z", "y", &nodes);
    let matrix = |value: i8| Tensor::new(&[1, 1], vec![value]).expect("one element");
    let check = |scale: f32, factors: [i8; 2], moves: bool| {
        let inputs = [
            ("a", matrix(factors[0])),
            ("b", matrix(factors[1])),
            ("sa", Tensor::scalar(0.031_25_f32)),
            ("sb", Tensor::scalar(scale)),
            ("so", Tensor::scalar(0.031_25_f32)),
            ("z", Tensor::scalar(0_i8)),
        ];
        let found = noisy(13, &main, &inputs, Arithmetic::Rounded);
        assert_eq!(found.iter().any(|y| y != &found[0]), moves, "{found:?}");
    };
    // -1350 times 0.01 is -13.4999997, and -13.5 in float.
    check(0.01, [27, -50], true);
    check(0.01, [27, -40], false);
    check(0.5, [27, -1], false);
}

/// Interpolated integers are whole by chance in float, and are then truncated.
#[test]
fn interpolated_integers_next_to_a_whole_number() {
    let nodes = [
        node("Cast", "x", "i", &[("to", AttributeValue::Int(2))]),
        node(
            "Resize",
            "i - s",
            "r",
            &[("mode", AttributeValue::String("linear".into()))],
        ),
        node("Cast", "r", "y", &[("to", AttributeValue::Int(1))]),
    ];
    let x = Tensor::new(&[1, 1, 1, 3], vec![10.0_f32, 40.0, 71.0]).expect("three elements");
    let inputs = [("x", x), ("s", floats(&[1.0, 1.0, 1.0, 1.5]))];
    let found = noisy(13, &graph("x s", "y", &nodes), &inputs, Arithmetic::Rounded);
    let places = |place: usize| {
        found
            .iter()
            .map(|y| y[place] as i64)
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert!((0..4).any(|place| places(place).len() > 1), "{found:?}");
    assert!((0..4).all(|place| places(place).len() <= 3), "{found:?}");
}

/// The label of two scores that are within their errors of each other is either; that of others is certain.
#[test]
fn labels_of_scores_next_to_each_other() {
    let classifier = |operator: &str, attributes: &[(&str, AttributeValue)]| {
        let mut node = node(operator, "x", "l s", attributes);
        LEARNED.clone_into(&mut node.domain);
        let cast = crate::build::node("Cast", "l", "y", &[("to", AttributeValue::Int(1))]);
        graph("x", "y", &[node, cast])
    };
    let floats = |values: &[f32]| AttributeValue::Floats(values.to_vec());
    let ints = |values: &[i64]| AttributeValue::Ints(values.to_vec());
    let texts = AttributeValue::Strings(vec!["LEAF".into(); 3]);
    let models = [
        classifier(
            "LinearClassifier",
            &[
                ("classlabels_ints", ints(&[0, 1, 2])),
                ("coefficients", floats(&[0.1, 0.2, 0.3, 0.0, 0.0, 0.0])),
                ("intercepts", floats(&[0.0; 3])),
            ],
        ),
        // Three trees of one leaf.
        classifier(
            "TreeEnsembleClassifier",
            &[
                ("classlabels_int64s", ints(&[0, 1, 2])),
                ("nodes_treeids", ints(&[0, 1, 2])),
                ("nodes_nodeids", ints(&[0; 3])),
                ("nodes_featureids", ints(&[0; 3])),
                ("nodes_modes", texts),
                ("nodes_values", floats(&[0.0; 3])),
                ("nodes_truenodeids", ints(&[0; 3])),
                ("nodes_falsenodeids", ints(&[0; 3])),
                ("class_treeids", ints(&[0, 1, 2])),
                ("class_nodeids", ints(&[0; 3])),
                ("class_ids", ints(&[0, 0, 1])),
                ("class_weights", floats(&[0.1, 0.2, 0.3])),
            ],
        ),
    ];
    let x = Tensor::new(&[1, 2], vec![1.0_f32, 1.0]).expect("two features");
    for main in models {
        let found = noisy(13, &main, &[("x", x.clone())], Arithmetic::Rounded);
        let found: std::collections::BTreeSet<i64> = found.iter().map(|y| y[0] as i64).collect();
        assert_eq!(found, [0, 1].into(), "{}", main.nodes[0].operator);
    }
}

/// An operator of a 16-bit type computes in float: what it returns is moved by a unit in the last place of
/// its type at most, but for steps that its function body rounds.
#[test]
fn results_of_16_bits_are_moved_by_their_last_place() {
    let check = |operator: &str, inputs: &str, places: f32| {
        let cast = |name: &str| {
            node(
                "Cast",
                name,
                &format!("{name}16"),
                &[("to", AttributeValue::Int(10))],
            )
        };
        let mut nodes: Vec<Node> = inputs.split(' ').map(cast).collect();
        let narrow: Vec<String> = inputs.split(' ').map(|name| format!("{name}16")).collect();
        nodes.push(node(operator, &narrow.join(" "), "y16", &[]));
        nodes.push(node("Cast", "y16", "y", &[("to", AttributeValue::Int(1))]));
        let x: Vec<f32> = (0..64).map(|at| ((at * 37 % 64) as f32 - 31.0) / 16.0).collect();
        let row = Tensor::vector(x[..16].to_vec());
        let x = Tensor::new(&[4, 16], x).expect("64 elements");
        let fed: Vec<(&str, Tensor)> = (inputs.split(' '))
            .map(|name| (name, if name == "x" { x.clone() } else { row.clone() }))
            .collect();
        let found = noisy(17, &graph(inputs, "y", &nodes), &fed, Arithmetic::Rounded);
        let most = found[0].iter().fold(0.0, |most: f32, y| most.max(y.abs()));
        let off = found
            .iter()
            .flat_map(|run| run.iter().zip(&found[0]).map(|(a, b)| (a - b).abs()));
        let off = off.fold(0.0, f32::max);
        assert!(off <= places * most / 1024.0, "{operator}: {off} of {most}");
    };
    check("Softmax", "x", 2.0);
    check("LogSoftmax", "x", 2.0);
    check("LayerNormalization", "x s", 6.0);
    check("ReduceSum", "x", 2.0);
}

/// A bias that cancels a sum does not cancel its errors.
#[test]
fn a_bias_leaves_the_errors_of_the_sum() {
    let terms = 4096;
    let ones = |shape: &[usize]| Tensor::new(shape, vec![0.7_f32; terms]).expect("as many");
    let sum = 0.7_f32 * 0.7 * terms as f32;
    let inputs = [
        ("a", ones(&[1, terms])),
        ("b", ones(&[terms, 1])),
        ("c", floats(&[-sum])),
    ];
    let product = graph("a b c", "y", &[node("Gemm", "a b c", "y", &[])]);
    let found = noisy(13, &product, &inputs, Arithmetic::Rounded);
    let ends = found.iter().fold((f32::MAX, f32::MIN), |(least, most), y| {
        (least.min(y[0]), most.max(y[0]))
    });
    // √(n/3) units in the last place of the sum.
    let expected = (terms as f32 / 3.0).sqrt() * sum * f32::EPSILON / 2.0;
    assert!(ends.1 - ends.0 > expected, "{ends:?} {expected}");
}
