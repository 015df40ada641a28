//! The right answers of functions with jumps, where the error of a computed argument crosses one;
//! worked out by hand.
//!
//! p = 1·4 − 2·0.5 + 3·2 = 9 is a computed sum: its error is about 3e-6, so that every answer for a
//! number next to 9 is right.

use crate::build::{graph, model, node};
use onnx_interpreter::{Limits, Radius, Span, run_bounded};
use onnx_model::{AttributeValue, Node};
use onnx_tensor::{Tensor, Value};

fn feed() -> [(String, Value); 2] {
    let vector = |values: [f32; 3]| Value::Tensor(Tensor::vector(values.to_vec()));
    [
        ("a".to_owned(), vector([1.0, -2.0, 3.0])),
        ("b".to_owned(), vector([4.0, 0.5, 2.0])),
    ]
}

/// The radius of `y`, which the nodes compute from p.
fn radius(nodes: Vec<Node>) -> Radius {
    let mut all = vec![node("MatMul", "a b", "p", &[])];
    all.extend(nodes);
    let model = model(18, graph("a b", "y", &all));
    let outputs = run_bounded(&model, &feed(), Limits::default()).expect("a result");
    outputs.into_iter().next().expect("one output").2
}

fn constant(name: &str, value: Tensor) -> Node {
    node("Constant", "", name, &[("value", AttributeValue::Tensor(value))])
}

fn float(name: &str, value: f32) -> Node {
    constant(name, Tensor::scalar(value))
}

/// v = p + (0, 0, −1), which is (9, 9, 8).
fn v() -> [Node; 2] {
    let offsets = Tensor::vector(vec![0.0_f32, 0.0, -1.0]);
    [constant("o", offsets), node("Add", "p o", "v", &[])]
}

/// The middles of the answers of element `place`; none if it has no set.
#[track_caller]
fn check(nodes: impl IntoIterator<Item = Node>, place: usize, expected: &[f64]) {
    let radius = radius(nodes.into_iter().collect());
    let middle = |span: &Span| (span.low + span.high) / 2.0;
    let found: Vec<f64> = radius
        .sets()
        .get(place)
        .unwrap_or_default()
        .iter()
        .map(middle)
        .collect();
    let near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-5;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(near),
        "element {place}: got {found:?}, expected {expected:?}; {radius:?}"
    );
}

#[test]
fn roundings_and_casts() {
    check([node("Floor", "p", "y", &[])], 0, &[8.0, 9.0]);
    check([node("Ceil", "p", "y", &[])], 0, &[9.0, 10.0]);
    let half = [float("h", 0.5), node("Add", "p h", "s", &[])];
    check(
        half.into_iter().chain([node("Round", "s", "y", &[])]),
        0,
        &[9.0, 10.0],
    );
    let difference = || [float("n", 9.0), node("Sub", "p n", "d", &[])];
    check(
        difference().into_iter().chain([node("Sign", "d", "y", &[])]),
        0,
        &[-1.0, 0.0, 1.0],
    );
    let cast = |input: &str, to: i64| node("Cast", input, "y", &[("to", AttributeValue::Int(to))]);
    let (int64, boolean, single) = (7, 9, 1);
    check([cast("p", int64)], 0, &[8.0, 9.0]);
    check(
        difference().into_iter().chain([cast("d", boolean)]),
        0,
        &[0.0, 1.0],
    );
    // 9 ± 3e-6 is never 0.
    assert!(radius(vec![cast("p", boolean)]).is_exact());
    check(
        [
            node("Cast", "p", "i", &[("to", AttributeValue::Int(int64))]),
            cast("i", single),
        ],
        0,
        &[8.0, 9.0],
    );
}

#[test]
fn comparisons_and_choices() {
    let compared = |operator: &str, output: &str| [float("n", 9.0), node(operator, "p n", output, &[])];
    for operator in ["Greater", "GreaterOrEqual", "Less", "LessOrEqual"] {
        check(compared(operator, "y"), 0, &[0.0, 1.0]);
    }
    assert!(radius(vec![float("n", 10.0), node("Less", "p n", "y", &[])]).is_exact());
    let then = |nodes: Vec<Node>| compared("Greater", "c").into_iter().chain(nodes);
    check(then(vec![node("Not", "c", "y", &[])]), 0, &[0.0, 1.0]);
    check(then(vec![node("Xor", "c c", "y", &[])]), 0, &[0.0, 1.0]);
    let branches = vec![
        float("five", 5.0),
        float("seven", 7.0),
        node("Where", "c five seven", "y", &[]),
    ];
    check(then(branches), 0, &[5.0, 7.0]);
    let threshold = node(
        "ThresholdedRelu",
        "p",
        "y",
        &[("alpha", AttributeValue::Float(9.0))],
    );
    check([threshold], 0, &[0.0, 9.0]);
    assert!(radius(vec![node("IsNaN", "p", "y", &[])]).is_exact());
}

#[test]
fn selections() {
    let then = |nodes: Vec<Node>| v().into_iter().chain(nodes);
    let argument = |operator: &str| node(operator, "v", "y", &[("keepdims", AttributeValue::Int(0))]);
    check(then(vec![argument("ArgMax")]), 0, &[0.0, 1.0]);
    assert!(radius(then(vec![argument("ArgMin")]).collect()).is_exact());
    for (place, expected) in [(0, &[0.0, 1.0][..]), (1, &[0.0, 1.0]), (2, &[])] {
        check(then(vec![node("Hardmax", "v", "y", &[])]), place, expected);
    }
    let top = |outputs: &str| {
        vec![
            constant("k", Tensor::vector(vec![2_i64])),
            node("TopK", "v k", outputs, &[]),
        ]
    };
    check(then(top("values y")), 0, &[0.0, 1.0]);
    check(then(top("values y")), 1, &[0.0, 1.0]);
    check(then(top("y indices")), 0, &[9.0]);
}

/// 9 / 6 = 1.5 is a tie: 1 or 2 steps of 6.
#[test]
fn quantisation_steps() {
    let quantizer = || [float("s", 6.0), node("QuantizeLinear", "p s", "q", &[])];
    check(
        [float("s", 6.0), node("QuantizeLinear", "p s", "y", &[])],
        0,
        &[1.0, 2.0],
    );
    let back = node("DequantizeLinear", "q s", "y", &[]);
    check(quantizer().into_iter().chain([back]), 0, &[6.0, 12.0]);
}

/// A set moves with its element, also between integers; an uncertain index has no bound.
#[test]
fn sets_move() {
    let floors = || v().into_iter().chain([node("Floor", "v", "f", &[])]);
    let gathered = [
        constant("at", Tensor::vector(vec![2_i64, 0])),
        node("Gather", "f at", "y", &[]),
    ];
    check(floors().chain(gathered.clone()), 0, &[7.0, 8.0]);
    check(floors().chain(gathered), 1, &[8.0, 9.0]);
    let int64 = ("to", AttributeValue::Int(7));
    let whole = [
        node("Cast", "v", "i", &[int64]),
        constant("one", Tensor::vector(vec![1_i64])),
    ];
    let joined = whole
        .into_iter()
        .chain([node("Concat", "one i", "y", &[("axis", AttributeValue::Int(0))])]);
    let joined: Vec<Node> = v().into_iter().chain(joined).collect();
    check(joined.clone(), 0, &[]);
    check(joined, 3, &[7.0, 8.0]);
    let keep = ("keepdims", AttributeValue::Int(0));
    let uncertain = [node("ArgMax", "v", "i", &[keep]), node("Gather", "a i", "y", &[])];
    let found = radius(v().into_iter().chain(uncertain).collect());
    assert!(matches!(found, Radius::Unknown(_)), "{found:?}");
}

/// Exact arguments leave no choice, also at a tie: the rule of the operator decides.
#[test]
fn exact_arguments_have_one_answer() {
    let ties = || constant("t", Tensor::vector(vec![2.5_f32, 2.5, 1.0]));
    for operator in ["Floor", "Round", "ArgMax", "Hardmax", "Sign"] {
        assert!(
            radius(vec![ties(), node(operator, "t", "y", &[])]).is_exact(),
            "{operator}"
        );
    }
}

/// The least of the updates at one place is off by the error of any of them, and an exact element
/// beside them hides none.
#[test]
fn the_least_update_has_the_greatest_error() {
    let scattered = [
        constant("zeros", Tensor::vector(vec![100.0_f32])),
        constant("at", Tensor::vector(vec![0_i64, 0, 0])),
        node(
            "ScatterElements",
            "zeros at v",
            "y",
            &[("reduction", AttributeValue::String(b"min".to_vec()))],
        ),
    ];
    let Radius::Within { radius, .. } = radius(v().into_iter().chain(scattered).collect()) else {
        panic!("no radius");
    };
    assert!(radius.iter().all(|radius| *radius > 1e-7), "{radius}");
}
