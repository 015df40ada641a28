//! The right answers of functions with jumps, where the error of a computed argument crosses one;
//! worked out by hand.
//!
//! p = 1·4 − 2·0.5 + 3·2 = 9 is a computed sum: its error is about 3e-6, so that every answer for a
//! number next to 9 is right.

use crate::build::{graph, model, node};
use approx::abs_diff_eq;
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
    assert!(
        abs_diff_eq!(found[..], expected[..], epsilon = 1e-5),
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
}

/// v = (9, 9, 8) has its maximum at 0 or at 1, where a is 1 or −2; `[4, 0.5, 2]` at 0 or 1 is 4 or 0.5.
#[test]
fn an_uncertain_index_names_several_elements() {
    let keep = ("keepdims", AttributeValue::Int(0));
    let then = |nodes: Vec<Node>| {
        let index = [node("ArgMax", "v", "i", std::slice::from_ref(&keep))];
        v().into_iter().chain(index).chain(nodes)
    };
    check(then(vec![node("Gather", "a i", "y", &[])]), 0, &[1.0, -2.0]);
    check(then(vec![node("Gather", "b i", "y", &[])]), 0, &[4.0, 0.5]);
    let hot = || {
        vec![
            constant("depth", Tensor::scalar(3_i64)),
            constant("values", Tensor::vector(vec![0.0_f32, 7.0])),
            node("OneHot", "i depth values", "y", &[]),
        ]
    };
    check(then(hot()), 0, &[7.0, 0.0]);
    check(then(hot()), 1, &[0.0, 7.0]);
    check(then(hot()), 2, &[]);
}

/// The window (9, 9) of v has its maximum at 0 or 1, and (9, 8) at 1 only.
#[test]
fn indices_of_a_pool() {
    let nodes = || {
        let shape = constant("shape", Tensor::vector(vec![1_i64, 1, 3]));
        let reshape = node("Reshape", "v shape", "r", &[]);
        let pool = node(
            "MaxPool",
            "r",
            "values y",
            &[("kernel_shape", AttributeValue::Ints(vec![2]))],
        );
        v().into_iter().chain([shape, reshape, pool])
    };
    check(nodes(), 0, &[0.0, 1.0]);
    check(nodes(), 1, &[]);
}

/// p = 9 in steps of 6 is 1 or 2 (1.5 is a tie). Then 3 · q lies between 3 and 6, and 3 · q / 2.5 is 1.2 or
/// 2.4, rounded 1 or 2.
#[test]
fn products_of_uncertain_steps() {
    let quantizer = || {
        let shape = constant("shape", Tensor::vector(vec![1_i64, 1]));
        let three = constant("three", Tensor::new(&[1, 1], vec![3_u8]).expect("one element"));
        [
            float("s", 6.0),
            node("QuantizeLinear", "p s", "flat", &[]),
            shape,
            node("Reshape", "flat shape", "q", &[]),
            three,
        ]
    };
    let product = node("MatMulInteger", "q three", "y", &[]);
    check(quantizer().into_iter().chain([product]), 0, &[3.0, 4.0, 5.0, 6.0]);
    let scaled = [
        float("one", 1.0),
        float("other", 2.5),
        constant("zero", Tensor::scalar(0_u8)),
        node("QLinearMatMul", "q one zero three one zero other zero", "y", &[]),
    ];
    check(quantizer().into_iter().chain(scaled), 0, &[1.0, 2.0]);
    let image = || {
        let shape = constant("four", Tensor::vector(vec![1_i64, 1, 1, 1]));
        let filter = node("Reshape", "three four", "filter", &[]);
        [shape, node("Reshape", "q four", "x", &[]), filter]
    };
    let convolved = node("ConvInteger", "x filter", "y", &[]);
    check(
        quantizer().into_iter().chain(image()).chain([convolved]),
        0,
        &[3.0, 4.0, 5.0, 6.0],
    );
    let convolved = [
        float("one", 1.0),
        float("other", 2.5),
        constant("zero", Tensor::scalar(0_u8)),
        node("QLinearConv", "x one zero filter one zero other zero", "y", &[]),
    ];
    check(
        quantizer().into_iter().chain(image()).chain(convolved),
        0,
        &[1.0, 2.0],
    );
}

/// (p, 4.5, −8.5) / scale: the range is 17.5 ± 3e-6. The zero point 255 · 8.5 / 17.5 = 123.857 is certain,
/// and so are 4.5 · 255 / 17.5 = 65.57 and p · 255 / 17.5 = 131.14.
#[test]
fn a_range_with_an_error() {
    let range = || {
        let others = constant("others", Tensor::vector(vec![4.5_f32, -8.5]));
        let line = constant("line", Tensor::vector(vec![1_i64]));
        let axis = ("axis", AttributeValue::Int(0));
        [
            others,
            line,
            node("Reshape", "p line", "first", &[]),
            node("Concat", "first others", "x", &[axis]),
        ]
    };
    let steps = node("DynamicQuantizeLinear", "x", "y scale zero", &[]);
    assert!(radius(range().into_iter().chain([steps]).collect()).is_exact());
    let scale = node("DynamicQuantizeLinear", "x", "q y zero", &[]);
    let Radius::Within { radius, .. } = radius(range().into_iter().chain([scale]).collect()) else {
        panic!("no radius");
    };
    // The error of p, a few 1e-6, divided by 255, and the roundings of 0.0686.
    assert!(
        radius.iter().all(|radius| (1e-9..1e-6).contains(radius)),
        "{radius}"
    );
}

/// Grid position 0 lies between the elements 1 and 2 of [0, 1, 2, 3]: with an error it may be either.
#[test]
fn a_nearest_element_at_an_uncertain_position() {
    let sampled = |row: f32| {
        let grid = constant(
            "offsets",
            Tensor::new(&[1, 1, 1, 2], vec![row, -9.0]).expect("two elements"),
        );
        let image = Tensor::new(&[1, 1, 4, 1], vec![0.0_f32, 1.0, 2.0, 3.0]).expect("four elements");
        let mode = ("mode", AttributeValue::String(b"nearest".to_vec()));
        // (0 · p, p − 9): the first coordinate is that of the innermost axis.
        [
            grid,
            constant("image", image),
            constant("select", Tensor::vector(vec![0.0_f32, 1.0])),
            node("Mul", "select p", "scaled", &[]),
            node("Add", "scaled offsets", "grid", &[]),
            node("GridSample", "image grid", "y", &[mode]),
        ]
    };
    check(sampled(0.0), 0, &[1.0, 2.0]);
}

/// The result has as many elements as the decision says: it is certain, or has no bound.
#[test]
fn counts_are_certain_or_unknown() {
    let unknown = |nodes: Vec<Node>| matches!(radius(nodes), Radius::Unknown(_));
    assert!(radius(vec![node("NonZero", "p", "y", &[])]).is_exact());
    let difference = vec![
        float("n", 9.0),
        node("Sub", "p n", "d", &[]),
        node("NonZero", "d", "y", &[]),
    ];
    assert!(unknown(difference));
    let apart = || {
        [
            constant("o", Tensor::vector(vec![0.0_f32, 1.0])),
            node("Add", "p o", "v", &[]),
        ]
    };
    let distinct = |outputs: &str| {
        apart()
            .into_iter()
            .chain([node("Unique", "v", outputs, &[])])
            .collect()
    };
    assert!(matches!(radius(distinct("y")), Radius::Within { .. }));
    assert!(radius(distinct("values y")).is_exact());
    let twice: Vec<Node> = v().into_iter().chain([node("Unique", "v", "y", &[])]).collect();
    assert!(unknown(twice));
    let branch = vec![
        float("n", 9.0),
        node("Greater", "p n", "c", &[]),
        node("NonZero", "c", "y", &[]),
    ];
    assert!(unknown(branch));
}

/// Two boxes of which one covers half of the other: the overlap 0.5 is at the threshold, unless the error is
/// too small to reach it. p / 9 = 1 is the side of the first.
#[test]
fn suppression_is_certain_or_unknown() {
    let boxes = |threshold: f32, scores: [f32; 2]| -> Vec<Node> {
        let corners = vec![0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0];
        let mask = vec![0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let shaped = |values: Vec<f32>| Tensor::new(&[1, 2, 4], values).expect("eight elements");
        let scores = Tensor::new(&[1, 1, 2], scores.to_vec()).expect("two elements");
        vec![
            float("nine", 9.0),
            node("Div", "p nine", "one", &[]),
            constant("mask", shaped(mask)),
            constant("corners", shaped(corners)),
            node("Mul", "mask one", "moved", &[]),
            node("Add", "corners moved", "boxes", &[]),
            constant("scores", scores),
            constant("most", Tensor::scalar(5_i64)),
            float("threshold", threshold),
            node("NonMaxSuppression", "boxes scores most threshold", "y", &[]),
        ]
    };
    assert!(radius(boxes(0.4, [0.9, 0.8])).is_exact());
    assert!(radius(boxes(0.6, [0.9, 0.8])).is_exact());
    assert!(matches!(radius(boxes(0.5, [0.9, 0.8])), Radius::Unknown(_)));
}

/// A condition with an error may choose either branch.
#[test]
fn an_uncertain_branch_has_no_bound() {
    let branch = |value: f32| {
        let outputs = graph("", "r", &[constant("r", Tensor::scalar(value))]);
        AttributeValue::Graph(std::sync::Arc::new(outputs))
    };
    let choice = |threshold: f32| {
        vec![
            float("n", threshold),
            node("Greater", "p n", "c", &[]),
            node(
                "If",
                "c",
                "y",
                &[("then_branch", branch(1.0)), ("else_branch", branch(2.0))],
            ),
        ]
    };
    assert!(radius(choice(8.0)).is_exact());
    assert!(matches!(radius(choice(9.0)), Radius::Unknown(_)));
}

/// The variance of (9, 9) ± 3e-6 is 0 within its error, and the normal values still lie between −√2 and √2.
#[test]
fn normal_values_are_limited() {
    let nodes = vec![
        constant(
            "zeros",
            Tensor::new(&[1, 2], vec![0.0_f32, 0.0]).expect("two elements"),
        ),
        node("Add", "p zeros", "x", &[]),
        constant("scale", Tensor::vector(vec![1.0_f32, 1.0])),
        node(
            "LayerNormalization",
            "x scale",
            "y",
            &[("epsilon", AttributeValue::Float(1e-30))],
        ),
    ];
    let Radius::Within { radius, .. } = radius(nodes) else {
        panic!("no radius");
    };
    assert!(radius.iter().all(|radius| radius.is_finite()), "{radius}");
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
