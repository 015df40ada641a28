//! Faults in the bodies of Scan and SequenceMap, and models with sequences, maps and optionals.

use std::sync::Arc;

use backend_api::Named;
use harness_investigate::given::Given;
use harness_investigate::locate::{Finding, Options, Team, locate};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Sequence, Tensor, Value, ValueType};

use super::faulty;
use super::inside::{body, node};
use super::networks::model;

fn typed(name: &str, dtype: DType) -> ValueInfo {
    of_type(name, ValueType::tensor(dtype))
}

fn of_type(name: &str, value_type: ValueType) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(value_type),
    }
}

fn ints(name: &str, values: &[i64]) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value: AttributeValue::Ints(values.to_vec()),
    }
}

fn int(name: &str, value: i64) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value: AttributeValue::Int(value),
    }
}

fn floats(shape: &[usize], values: &[f32]) -> Value {
    Tensor::new(shape, values.to_vec()).expect("a tensor").into()
}

/// Locates a fault; the node and the model are those of the test.
#[track_caller]
fn check(model: &Model, inputs: &[Named], fault: &str, path: &[&str]) {
    let (mut reference, mut backend) = (faulty("none"), faulty(fault));
    let mut team = Team {
        reference: &mut reference,
        backend: &mut backend,
        others: &mut [],
    };
    let location = locate(
        &Given::model(model, inputs.to_vec()),
        Options::default(),
        &mut team,
    )
    .expect("a location");
    match location.finding {
        Finding::Node(found) => assert_eq!(found.path, path, "{:?}", location.notes),
        other => panic!("{other:?} {:?}", location.notes),
    }
}

/// y, the final state, and z, the states of all iterations, of a Scan whose body computes
/// `next = state + (slice − 1)·step` and whose second factor is 0 before the state is 2.
fn scan(inputs: &[&str], attributes: Vec<Attribute>) -> Node {
    let mut scan = node("scan", "Scan", inputs, "y");
    scan.outputs.push("z".to_owned());
    scan.attributes = attributes;
    scan.attributes.push(int("num_scan_inputs", 1));
    scan.attributes.push(body(
        "body",
        Graph {
            inputs: vec![typed("state", DType::Float), typed("slice", DType::Float)],
            outputs: vec![typed("next", DType::Float), typed("seen", DType::Float)],
            nodes: vec![
                node("less", "Sub", &["slice", "one"], "lessened"),
                node("add", "Add", &["state", "lessened"], "next"),
                node("see", "Identity", &["next"], "seen"),
            ],
            initializers: vec![("one".to_owned(), Tensor::scalar(1.0_f32).into())],
            ..Graph::default()
        },
    ));
    scan
}

fn of_scan(scan: Node, opset: u32) -> Model {
    let mut model = model(Graph {
        inputs: vec![typed("s", DType::Float), typed("x", DType::Float)],
        outputs: vec![typed("y", DType::Float), typed("z", DType::Float)],
        nodes: vec![scan],
        ..Graph::default()
    });
    model.opset_imports.insert(String::new(), opset.into());
    model
}

/// The slices are 1, except for one of 5: only there does `slice − 1` differ from `1 − slice`.
#[test]
fn a_scan_over_any_axis_and_direction_is_entered() {
    let rows = floats(&[2, 3], &[1.0, 1.0, 5.0, 1.0, 1.0, 5.0]);
    let state = floats(&[2], &[0.0, 0.0]);
    let inputs = [("s".to_owned(), state), ("x".to_owned(), rows)];
    for (axis, direction, opset, iteration) in [
        (1, 0, 13, "iteration 2"),
        (1, 1, 13, "iteration 0"),
        (-1, 1, 11, "iteration 0"),
        (1, 1, 9, "iteration 0"),
    ] {
        let attributes = vec![
            ints("scan_input_axes", &[axis]),
            ints("scan_input_directions", &[direction]),
        ];
        let model = of_scan(scan(&["s", "x"], attributes), opset);
        check(&model, &inputs, "less:swap", &["scan", iteration, "less"]);
    }
}

#[test]
fn a_scan_with_a_batch_is_entered() {
    // The second sequence has only its first position, which is the last one backwards.
    let sequences = floats(&[2, 3, 1], &[1.0, 1.0, 1.0, 5.0, 9.0, 9.0]);
    let inputs = [
        ("s".to_owned(), floats(&[2, 1], &[0.0, 0.0])),
        ("x".to_owned(), sequences),
    ];
    for direction in [0, 1] {
        let mut model = of_scan(
            scan(&["lengths", "s", "x"], vec![ints("directions", &[direction])]),
            8,
        );
        let lengths = Tensor::vector(vec![3_i64, 1]);
        Arc::make_mut(&mut model.graph)
            .initializers
            .push(("lengths".to_owned(), lengths.into()));
        check(
            &model,
            &inputs,
            "less:swap",
            &["scan", "batch 1, iteration 0", "less"],
        );
    }
}

fn sequence(elements: &[&[f32]]) -> Value {
    Value::Sequence(Sequence {
        element: ValueType::tensor(DType::Float),
        values: elements
            .iter()
            .map(|element| Tensor::vector(element.to_vec()).into())
            .collect(),
    })
}

fn sequence_type() -> ValueType {
    ValueType::Sequence(Box::new(ValueType::tensor(DType::Float)))
}

#[test]
fn a_sequence_map_is_entered() {
    let mut map = node("map", "SequenceMap", &["xs", "w"], "ys");
    map.attributes.push(body(
        "body",
        Graph {
            inputs: vec![typed("element", DType::Float), typed("weight", DType::Float)],
            outputs: vec![typed("out", DType::Float)],
            nodes: vec![
                node("positive", "Relu", &["element"], "kept"),
                node("difference", "Sub", &["kept", "weight"], "out"),
            ],
            ..Graph::default()
        },
    ));
    let mut model = model(Graph {
        inputs: vec![of_type("xs", sequence_type()), typed("w", DType::Float)],
        outputs: vec![of_type("ys", sequence_type())],
        nodes: vec![map],
        ..Graph::default()
    });
    model.opset_imports.insert(String::new(), 17);
    // The difference of equal values is 0 in both directions.
    let inputs = [
        ("xs".to_owned(), sequence(&[&[2.0], &[2.0], &[7.0]])),
        ("w".to_owned(), floats(&[1], &[2.0])),
    ];
    check(
        &model,
        &inputs,
        "difference:swap",
        &["map", "iteration 2", "difference"],
    );
}

/// Values of every kind cross the cuts of the search.
#[test]
fn a_fault_between_sequences_and_optionals_is_located() {
    let optional = ValueType::Optional(Box::new(sequence_type()));
    let mut model = model(Graph {
        inputs: vec![of_type("xs", sequence_type()), typed("w", DType::Float)],
        outputs: vec![of_type("out", optional)],
        initializers: vec![("first".to_owned(), Tensor::scalar(0_i64).into())],
        nodes: vec![
            node("at", "SequenceAt", &["xs", "first"], "x"),
            node("less", "Sub", &["x", "w"], "y"),
            node("into", "SequenceInsert", &["xs", "y"], "longer"),
            node("again", "SequenceInsert", &["longer", "y"], "longest"),
            node("wrap", "Optional", &["longest"], "out"),
        ],
        ..Graph::default()
    });
    model.opset_imports.insert(String::new(), 18);
    let inputs = [
        ("xs".to_owned(), sequence(&[&[3.0], &[2.0]])),
        ("w".to_owned(), floats(&[1], &[2.0])),
    ];
    check(&model, &inputs, "less:swap", &["less"]);
}

#[test]
fn a_fault_before_maps_is_located() {
    let mut zip = node("zip", "ZipMap", &["y"], "maps");
    zip.domain = "ai.onnx.ml".to_owned();
    zip.attributes.push(ints("classlabels_int64s", &[7, 9]));
    let map = ValueType::Map {
        key: DType::Int64,
        value: Box::new(ValueType::tensor(DType::Float)),
    };
    let mut model = model(Graph {
        inputs: vec![typed("x", DType::Float), typed("w", DType::Float)],
        outputs: vec![of_type("maps", ValueType::Sequence(Box::new(map)))],
        nodes: vec![
            node("positive", "Relu", &["x"], "p"),
            node("less", "Sub", &["p", "w"], "y"),
            zip,
        ],
        ..Graph::default()
    });
    model.opset_imports.insert("ai.onnx.ml".to_owned(), 1);
    let inputs = [
        ("x".to_owned(), floats(&[1, 2], &[3.0, 4.0])),
        ("w".to_owned(), floats(&[1, 2], &[1.0, 1.0])),
    ];
    check(&model, &inputs, "less:swap", &["less"]);
}

#[test]
fn a_loop_that_carries_a_sequence_is_entered() {
    let mut wrapped = node("loop", "Loop", &["count", "", "xs"], "ys");
    wrapped.attributes.push(body(
        "body",
        Graph {
            inputs: vec![
                typed("i", DType::Int64),
                typed("go", DType::Bool),
                of_type("carried", sequence_type()),
            ],
            outputs: vec![typed("on", DType::Bool), of_type("next", sequence_type())],
            nodes: vec![
                node("keep", "Identity", &["go"], "on"),
                node("at", "SequenceAt", &["carried", "i"], "x"),
                node("less", "Sub", &["x", "one"], "y"),
                node("into", "SequenceInsert", &["carried", "y"], "next"),
            ],
            ..Graph::default()
        },
    ));
    let mut model = model(Graph {
        inputs: vec![of_type("xs", sequence_type())],
        outputs: vec![of_type("ys", sequence_type())],
        initializers: vec![
            ("count".to_owned(), Tensor::scalar(2_i64).into()),
            ("one".to_owned(), Tensor::scalar(1.0_f32).into()),
        ],
        nodes: vec![wrapped],
        ..Graph::default()
    });
    model.opset_imports.insert(String::new(), 13);
    // The first element is equal to the subtrahend.
    let inputs = [("xs".to_owned(), sequence(&[&[1.0], &[5.0]]))];
    check(&model, &inputs, "less:swap", &["loop", "iteration 1", "less"]);
}
