//! Costs by hand, and nodes in steps as backends name them.

use backend_api::{Profile, Step, StepOutput};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node};
use onnx_tensor::{Tensor, Value};
use run_record::profile::Cost;

use crate::assign::assign;
use crate::cost::of_nodes;
use crate::naming::{NamedModel, name_nodes, readable, token, tokens};
use crate::shapes::Shapes;
use crate::steps::measured;

fn node(operator: &str, inputs: &str, outputs: &str, attributes: &[(&str, AttributeValue)]) -> Node {
    let names = |text: &str| {
        text.split(' ')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    Node {
        operator: operator.to_owned(),
        inputs: names(inputs),
        outputs: names(outputs),
        attributes: attributes
            .iter()
            .map(|(name, value)| Attribute {
                name: (*name).to_owned(),
                value: value.clone(),
            })
            .collect(),
        ..Node::default()
    }
}

fn named(nodes: Vec<Node>) -> NamedModel {
    let model = Model {
        ir_version: 10,
        opset_imports: [(String::new(), 21)].into(),
        graph: Graph {
            nodes,
            ..Graph::default()
        }
        .into(),
        functions: Vec::new(),
        producer_name: String::new(),
        producer_version: String::new(),
        oddities: Vec::new(),
    };
    name_nodes(&model.encode().into()).expect("a model")
}

/// Float tensors of these shapes: `x 2x3`.
fn shapes(text: &str) -> Shapes {
    let mut shapes = Shapes::default();
    let outputs = text.split(", ").map(|one| {
        let (name, shape) = one.split_once(' ').expect("a name and a shape");
        let extents: Vec<usize> = shape
            .split('x')
            .map(|extent| extent.parse().expect("an extent"))
            .collect();
        StepOutput::tensor(name, "float", &extents)
    });
    shapes.learn(&Profile {
        steps: vec![Step {
            outputs: outputs.collect(),
            ..Step::default()
        }],
        ..Profile::default()
    });
    shapes
}

/// `y` is the result of a node with these inputs; all tensors are float32, 4 bytes for each element.
#[track_caller]
fn check(node: Node, types: &str, operations: f64, bytes: f64) {
    let cost = of_nodes(&named(vec![node]), &shapes(types));
    assert_eq!(cost, [Some(Cost { operations, bytes })]);
}

#[test]
fn the_cost_of_a_product_is_the_length_of_its_sums() {
    // 2 · 2 · 5 sums of 3 products; 6 + 15 + 10 elements.
    check(
        node("MatMul", "a b", "y", &[]),
        "a 2x3, b 3x5, y 2x5",
        60.0,
        124.0,
    );
    // As above, and a bias of 5 elements added to each of the 10 results.
    check(
        node("Gemm", "a b c", "y", &[]),
        "a 2x3, b 3x5, c 5, y 2x5",
        70.0,
        144.0,
    );
    let transposed = node("Gemm", "a b", "y", &[("transA", AttributeValue::Int(1))]);
    check(transposed, "a 3x2, b 3x5, y 2x5", 60.0, 124.0);
    // Labels b, i, j, k with the extents 4, 2, 5, 3.
    let equation = AttributeValue::String(b"bik, bkj -> bij".to_vec());
    let einsum = node("Einsum", "a b", "y", &[("equation", equation)]);
    check(
        einsum,
        "a 4x2x3, b 4x3x5, y 4x2x5",
        240.0,
        4.0 * (24.0 + 60.0 + 40.0),
    );
}

#[test]
fn the_cost_of_a_convolution_is_the_weights_of_a_filter() {
    // 8 filters over groups of 2 channels with windows of 9: 18 weights for each of 8 · 4 · 4
    // results, and a bias.
    check(
        node("Conv", "x w b", "y", &[]),
        "x 1x4x6x6, w 8x2x3x3, b 8, y 1x8x4x4",
        128.0 * 37.0,
        4.0 * (144.0 + 144.0 + 8.0 + 128.0),
    );
    // Each of 4 · 9 elements meets 2 · 4 weights.
    check(
        node("ConvTranspose", "x w", "y", &[]),
        "x 1x4x3x3, w 4x2x2x2, y 1x2x6x6",
        2.0 * 36.0 * 8.0,
        4.0 * (36.0 + 32.0 + 72.0),
    );
    let window = AttributeValue::Ints(vec![2, 3]);
    let pool = node("MaxPool", "x", "y", &[("kernel_shape", window)]);
    check(pool, "x 1x1x4x6, y 1x1x2x2", 24.0, 4.0 * 28.0);
}

#[test]
fn the_cost_of_a_recurrent_network_is_its_weights_in_each_step() {
    // 7 times, a batch of 2; W has 4 · 5 rows of 3, R of 5: 60 and 100 products.
    check(
        node("LSTM", "x w r", "y", &[]),
        "x 7x2x3, w 1x20x3, r 1x20x5, y 7x1x2x5",
        2.0 * 14.0 * 160.0,
        4.0 * (42.0 + 60.0 + 100.0 + 70.0),
    );
}

#[test]
fn moved_elements_cost_bytes_only() {
    check(node("Transpose", "x", "y", &[]), "x 2x3, y 3x2", 0.0, 48.0);
    // Two rows of a table are read, not all of it; an index counts as 4 bytes here.
    check(
        node("Gather", "x i", "y", &[]),
        "x 1000x8, i 2, y 2x8",
        0.0,
        4.0 * (16.0 + 2.0 + 16.0),
    );
    check(node("Reshape", "x s", "y", &[]), "x 2x3, s 1, y 6", 0.0, 0.0);
    check(node("Softmax", "x", "y", &[]), "x 2x3, y 2x3", 30.0, 48.0);
}

#[test]
fn without_a_shape_or_a_model_there_is_no_cost() {
    let cost = |operator, types| of_nodes(&named(vec![node(operator, "x", "y", &[])]), &shapes(types));
    assert_eq!(cost("Relu", "x 2"), [None]);
    assert_eq!(cost("NonZero", "x 2, y 1x2"), [None]);
}

#[test]
fn a_token_is_found_in_the_names_of_backends() {
    for (text, expected) in [
        ("~0~", &[0][..]),
        ("fused ~2~", &[2]),
        ("~1~/LayerNormFusion/~0~.einsum", &[1, 0]),
        ("~1~~2~", &[1, 2]),
        ("~7~ ~x~ ~ ~1", &[]),
        ("~1~2~", &[1, 2]),
        ("~99999999999999999999999~", &[]),
        ("ünï~2~", &[2]),
    ] {
        assert_eq!(tokens(text, 3), expected, "{text}");
    }
    let nodes = named(vec![node("Relu", "x", "y", &[])]).nodes;
    assert_eq!(readable("~0~_nchwc", &nodes), "y_nchwc");
}

#[test]
fn every_node_has_a_name_of_its_own() {
    let body = Graph {
        nodes: vec![node("Neg", "i", "o", &[])],
        ..Graph::default()
    };
    let body = AttributeValue::Graph(body.into());
    let named = named(vec![
        node("Loop", "m", "a", &[("body", body)]),
        node("Abs", "a", "y", &[]),
    ]);
    let found: Vec<_> = named
        .nodes
        .iter()
        .map(|node| (node.name.as_str(), node.operator.as_str(), node.parent))
        .collect();
    assert_eq!(
        found,
        [("a", "Loop", None), ("o", "Neg", Some(0)), ("y", "Abs", None)]
    );
    let again = name_nodes(&named.bytes).expect("a model");
    let names: Vec<String> = again.nodes.into_iter().map(|node| node.name).collect();
    assert_eq!(names, [token(0), token(1), token(2)]);
}

/// Conv → BatchNormalization → Relu → MaxPool → Identity.
fn network() -> NamedModel {
    named(vec![
        node("Conv", "x w", "c", &[]),
        node("BatchNormalization", "c s b m v", "n", &[]),
        node("Relu", "n", "r", &[]),
        node("MaxPool", "r", "p", &[]),
        node("Identity", "p", "y", &[]),
    ])
}

/// Steps as `name > outputs = nanoseconds`.
fn steps(texts: &[&str]) -> Vec<Step> {
    let step = |text: &&str| {
        let (head, time) = text.split_once(" = ").expect("a time");
        let (name, outputs) = head.split_once(" > ").unwrap_or((head, ""));
        let output = |name: &str| StepOutput {
            name: name.to_owned(),
            ..StepOutput::default()
        };
        Step {
            name: name.to_owned(),
            outputs: outputs.split_whitespace().map(output).collect(),
            nanoseconds: time.parse().expect("a time"),
            calls: 1,
            ..Step::default()
        }
    };
    texts.iter().map(step).collect()
}

#[track_caller]
fn assigned(texts: &[&str], expected: &[&[usize]]) {
    assert_eq!(assign(&network().nodes, &steps(texts)), expected);
}

#[test]
fn nodes_belong_to_the_steps_that_name_or_define_them() {
    // As the reference: one step for each node.
    assigned(
        &[
            "~0~ > c = 9",
            "~1~ > n = 1",
            "~2~ > r = 1",
            "~3~ > p = 1",
            "~4~ > y = 1",
        ],
        &[&[0], &[1], &[2], &[3], &[4]],
    );
    // As the native backend: the convolution has the name of its first node and the result of its last.
    assigned(&["~0~ > r = 9", "~3~ > p = 1"], &[&[0, 1, 2], &[3]]);
    // As ONNX Runtime: a reorder defines the result in the plain layout; the name of a fused node
    // has its first node.
    assigned(
        &[
            "ReorderInput > x_nchwc = 1",
            "fused ~0~_nchwc > r_nchwc = 9",
            "~3~_nchwc > p_nchwc = 2",
            "ReorderOutput > y = 3",
        ],
        &[&[], &[0, 1, 2], &[3], &[4]],
    );
    // Like tract, which does not report values: the nodes after a named one, if they have no
    // step of their own.
    assigned(
        &["~0~.im2col = 2", "~0~.matmul = 7", "~3~ = 1"],
        &[&[0], &[0, 1, 2], &[3, 4]],
    );
    // Nothing is known.
    assigned(&["kernel_17 = 5"], &[&[]]);
}

/// A residual: `r` is read by two nodes of different steps, so that it is a result of its own.
#[test]
fn a_node_whose_readers_are_apart_is_not_guessed() {
    let nodes = named(vec![
        node("Abs", "x", "a", &[]),
        node("Neg", "a", "b", &[]),
        node("Add", "a b", "y", &[]),
    ])
    .nodes;
    assert_eq!(
        assign(&nodes, &steps(&["~1~ > b = 1", "~2~ > y = 1"])),
        [vec![1], vec![2]]
    );
    assert_eq!(assign(&nodes, &steps(&["~2~ > y = 1"])), [vec![0, 1, 2]]);
}

/// A fused step reads `x` and `w` and writes `r`; what flows inside costs no bytes. Two runs with
/// one call each.
#[test]
fn a_fused_step_has_the_bytes_that_enter_and_leave() {
    let named = named(vec![node("MatMul", "x w", "c", &[]), node("Relu", "c", "r", &[])]);
    let mut nodes = named.nodes.clone();
    let shapes = shapes("x 2x3, w 3x5, c 2x5, r 2x5");
    for (node, cost) in nodes.iter_mut().zip(of_nodes(&named, &shapes)) {
        node.cost = cost;
    }
    let mut steps = steps(&["~0~ > r = 80"]);
    steps[0].calls = 2;
    let profile = Profile {
        nanoseconds: vec![50, 70],
        steps,
        omitted: 0,
    };
    let outputs = ["r"].into();
    let backend = measured(Default::default(), &profile, &nodes, &shapes, &outputs);
    let [step] = backend.steps.as_slice() else {
        panic!("{backend:?}")
    };
    assert_eq!((step.name.as_str(), step.nodes.as_slice()), ("c", &[0, 1][..]));
    assert_eq!((step.calls, step.own_ns), (1.0, 40.0));
    let expected = Cost {
        operations: 70.0,
        bytes: 4.0 * (6.0 + 15.0 + 10.0),
    };
    assert_eq!(step.cost, Some(expected));
}

/// A run that was interrupted makes the mean of a step longer and leaves its median.
#[test]
fn the_median_of_a_step_counts_if_the_backend_reports_one() {
    let nodes = named(vec![node("Relu", "x", "y", &[])]).nodes;
    let time = |median| {
        let mut steps = steps(&["~0~ > y = 900"]);
        steps[0].median = median;
        let profile = Profile {
            nanoseconds: vec![110, 120, 700],
            steps,
            omitted: 0,
        };
        let outputs = ["y"].into();
        let backend = measured(
            Default::default(),
            &profile,
            &nodes,
            &shapes("x 2, y 2"),
            &outputs,
        );
        backend.steps[0].own_ns
    };
    assert_eq!((time(None), time(Some(100))), (300.0, 100.0));
}

#[test]
fn an_initializer_has_a_shape() {
    let model = Model {
        ir_version: 10,
        opset_imports: Default::default(),
        graph: Graph {
            initializers: vec![("w".to_owned(), Value::from(Tensor::vector(vec![1_u8, 2, 3])))],
            ..Graph::default()
        }
        .into(),
        functions: Vec::new(),
        producer_name: String::new(),
        producer_version: String::new(),
        oddities: Vec::new(),
    };
    let shapes = Shapes::of_model(&model, &[]);
    assert_eq!(
        (shapes.bytes("w"), shapes.text("w")),
        (Some(3.0), "uint8[3]".to_owned())
    );
}
