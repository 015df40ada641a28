//! Models that generated cases do not cover: each gives the same before and after, and the value
//! that its comment derives.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_interpreter::{Limits, run};
use onnx_model::{Attribute, AttributeKind, AttributeValue, Function, Graph, Model, Node, ValueInfo};
use onnx_tensor::{Tensor, Value};
use onnx_upgrade::{Targets, UpgradeError, upgrade};

fn attribute(name: &str, value: AttributeValue) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value,
    }
}

fn ints(name: &str, values: &[i64]) -> Attribute {
    attribute(name, AttributeValue::Ints(values.to_vec()))
}

fn int(name: &str, value: i64) -> Attribute {
    attribute(name, AttributeValue::Int(value))
}

fn text(name: &str, value: &str) -> Attribute {
    attribute(name, AttributeValue::String(value.as_bytes().to_vec()))
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{prefix}{index}")).collect()
}

/// A model of one node, whose inputs are constants and whose outputs declare no types.
fn model(
    (domain, operator, opset): (&str, &str, i64),
    inputs: &[Tensor],
    attributes: &[Attribute],
    outputs: usize,
) -> Model {
    let node = Node {
        domain: domain.to_owned(),
        operator: operator.to_owned(),
        inputs: names("x", inputs.len()),
        outputs: names("y", outputs),
        attributes: attributes.to_vec(),
        ..Node::default()
    };
    let initializers = node
        .inputs
        .iter()
        .cloned()
        .zip(inputs.iter().cloned().map(Value::from))
        .collect();
    of_nodes((domain, opset), initializers, vec![node], outputs)
}

fn of_nodes(
    (domain, opset): (&str, i64),
    initializers: Vec<(String, Value)>,
    nodes: Vec<Node>,
    outputs: usize,
) -> Model {
    let info = |name: String| ValueInfo {
        name,
        value_type: None,
    };
    let graph = Graph {
        name: "g".to_owned(),
        outputs: names("y", outputs).into_iter().map(info).collect(),
        initializers,
        nodes,
        ..Graph::default()
    };
    let mut opset_imports = BTreeMap::from([(String::new(), 10)]);
    opset_imports.insert(domain.to_owned(), opset);
    Model {
        ir_version: 8,
        opset_imports,
        graph: Arc::new(graph),
        functions: Vec::new(),
        producer_name: String::new(),
        producer_version: String::new(),
        oddities: Vec::new(),
    }
}

fn outputs(model: &Model) -> Vec<Tensor> {
    let outputs = run(model, &[], Limits::default()).expect("the model runs");
    outputs
        .into_iter()
        .filter_map(|(_, value)| value.as_tensor().cloned())
        .collect()
}

fn targets(domain: &str, to: u32) -> Targets {
    Targets::from([(domain.to_owned(), to)])
}

/// Converts the model, and compares both models with the expected outputs.
#[track_caller]
fn check(model: &Model, (domain, to): (&str, u32), expected: &[Tensor]) -> Model {
    let converted = upgrade(model, &targets(domain, to)).expect("it converts").model;
    for (which, model) in [("before", model), ("after", &converted)] {
        let found = outputs(model);
        let same = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| a.same_bits(b));
        assert!(same, "{which}: {found:?}, expected {expected:?}");
    }
    converted
}

#[track_caller]
fn refused(model: &Model, (domain, to): (&str, u32), reason: &str) {
    let error = upgrade(model, &targets(domain, to))
        .expect_err("it is refused")
        .to_string();
    assert!(error.contains(reason), "{error}");
}

/// −1 and 5 are out of [0, 3) in version 9: all values are off-values.
#[test]
fn negative_indices_of_one_hot() {
    let inputs = [
        Tensor::vector(vec![1_i64, -1, 5]),
        Tensor::scalar(3_i64),
        Tensor::vector(vec![0.0_f32, 1.0]),
    ];
    let expected = Tensor::new(&[3, 3], vec![0.0_f32, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
    check(&model(("", "OneHot", 9), &inputs, &[], 1), ("", 28), &[expected]);
}

/// The lengths of version 1 are floats.
#[test]
fn lengths_of_split() {
    let inputs = [
        Tensor::vector(vec![1.0_f32, 2.0, 3.0]),
        Tensor::vector(vec![2.0_f32, 1.0]),
    ];
    let expected = [Tensor::vector(vec![1.0_f32, 2.0]), Tensor::vector(vec![3.0_f32])];
    check(
        &model(("", "Split", 1), &inputs, &[int("axis", 0)], 2),
        ("", 28),
        &expected,
    );
    refused(
        &model(("", "Split", 1), &inputs, &[], 2),
        ("", 28),
        "states no default",
    );
}

/// If a key is repeated, the first is used.
#[test]
fn repeated_keys_of_a_label_encoder() {
    let encoder = |keys: Attribute| {
        let values = ints("values_int64s", &[1, 2, 3]);
        move |x: Tensor| {
            model(
                ("ai.onnx.ml", "LabelEncoder", 2),
                &[x],
                &[keys.clone(), values.clone()],
                1,
            )
        }
    };
    let strings = AttributeValue::Strings(vec![b"a".to_vec(), b"b".to_vec(), b"a".to_vec()]);
    let x = Tensor::vector(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]);
    let by_text = encoder(attribute("keys_strings", strings))(x);
    check(&by_text, ("ai.onnx.ml", 4), &[Tensor::vector(vec![1_i64, 2, -1])]);
    let zero = encoder(attribute(
        "keys_floats",
        AttributeValue::Floats(vec![0.0, 1.0, 2.0]),
    ));
    refused(
        &zero(Tensor::vector(vec![-0.0_f32])),
        ("ai.onnx.ml", 4),
        "by value in version 4",
    );
}

/// Training over [1, 3] in one channel: mean 2, variance 1; the running values with momentum 0.5
/// from 0 and 3.
#[test]
fn training_of_a_batch_normalization() {
    let x = Tensor::new(&[2, 1], vec![1.0_f32, 3.0]).unwrap();
    let vector = |value: f32| Tensor::vector(vec![value]);
    let inputs = [x, vector(1.0), vector(10.0), vector(0.0), vector(3.0)];
    let attributes = [
        attribute("epsilon", AttributeValue::Float(0.0)),
        attribute("momentum", AttributeValue::Float(0.5)),
    ];
    let y = Tensor::new(&[2, 1], vec![9.0_f32, 11.0]).unwrap();
    let expected = [y, vector(1.0), vector(2.0)];
    check(
        &model(("", "BatchNormalization", 9), &inputs, &attributes, 3),
        ("", 28),
        &expected,
    );
    let saved = model(("", "BatchNormalization", 9), &inputs, &attributes, 5);
    refused(&saved, ("", 14), "saved_mean");
}

/// The mask of version 7 has the type of the data.
#[test]
fn the_mask_of_a_dropout() {
    let x = Tensor::vector(vec![5.0_f32, 6.0]);
    let expected = [x.clone(), Tensor::vector(vec![1.0_f32, 1.0])];
    check(&model(("", "Dropout", 7), &[x], &[], 2), ("", 28), &expected);
}

/// Two groups of two channels with one element each: (−1, 1) in each; scales 10 and 20, biases 1 and 2.
#[test]
fn groups_become_channels() {
    let x = Tensor::new(&[1, 4, 1], vec![0.0_f32, 2.0, 4.0, 6.0]).unwrap();
    let inputs = [
        x,
        Tensor::vector(vec![10.0_f32, 20.0]),
        Tensor::vector(vec![1.0_f32, 2.0]),
    ];
    let attributes = [
        int("num_groups", 2),
        attribute("epsilon", AttributeValue::Float(0.0)),
    ];
    let expected = Tensor::new(&[1, 4, 1], vec![-9.0_f32, 11.0, -18.0, 22.0]).unwrap();
    let model = model(("", "GroupNormalization", 18), &inputs, &attributes, 1);
    let converted = upgrade(&model, &targets("", 28)).unwrap().model;
    let found = outputs(&converted);
    assert!(found[0].same_bits(&expected), "{found:?}");
}

/// Sizes beside scales without elements.
#[test]
fn resize_leaves_out_what_has_no_meaning() {
    let empty = || Tensor::vector(Vec::<f32>::new());
    let x = Tensor::vector(vec![1.0_f32, 2.0]);
    let inputs = [x, empty(), empty(), Tensor::vector(vec![4_i64])];
    let attributes = [
        text("coordinate_transformation_mode", "asymmetric"),
        text("nearest_mode", "floor"),
    ];
    let expected = [Tensor::vector(vec![1.0_f32, 1.0, 2.0, 2.0])];
    let converted = check(
        &model(("", "Resize", 11), &inputs, &attributes, 1),
        ("", 13),
        &expected,
    );
    assert_eq!(converted.graph.nodes[0].inputs, ["x0", "", "", "x3"]);
}

/// Version 10 rounds positions up along an axis that shrinks, and down along one that grows.
#[test]
fn resize_of_axes_that_grow_and_shrink() {
    let x = Tensor::new(&[3, 2], vec![0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    // Rows: ⌊3 · 0.7⌋ = 2 at 0 and ⌈1 / 0.7⌉ = 2; columns: 0, 0, 1, 1.
    let expected = Tensor::new(&[2, 4], vec![0.0_f32, 0.0, 1.0, 1.0, 4.0, 4.0, 5.0, 5.0]).unwrap();
    let inputs = [x, Tensor::vector(vec![0.7_f32, 2.0])];
    check(&model(("", "Resize", 10), &inputs, &[], 1), ("", 28), &[expected]);
}

/// A Constant with the attribute of a function makes it an input; without a default it could be missing.
#[test]
fn attributes_of_functions() {
    let whole = |defaults: Vec<Attribute>, attributes: Vec<String>| {
        let squeeze = Node {
            operator: "Squeeze".to_owned(),
            inputs: vec!["a".to_owned()],
            outputs: vec!["b".to_owned()],
            attributes: vec![attribute(
                "axes",
                AttributeValue::Reference("along".to_owned(), Some(AttributeKind::Ints)),
            )],
            ..Node::default()
        };
        let function = Function {
            domain: "local".to_owned(),
            name: "Narrow".to_owned(),
            inputs: vec!["a".to_owned()],
            outputs: vec!["b".to_owned()],
            attributes,
            attribute_defaults: defaults,
            opset_imports: BTreeMap::from([(String::new(), 12)]),
            nodes: vec![squeeze],
            ..Function::default()
        };
        let call = Node {
            domain: "local".to_owned(),
            operator: "Narrow".to_owned(),
            inputs: vec!["x0".to_owned()],
            outputs: vec!["y0".to_owned()],
            attributes: vec![ints("along", &[1])],
            ..Node::default()
        };
        let x = Tensor::new(&[1, 1, 2], vec![1.0_f32, 2.0]).unwrap();
        let mut model = of_nodes(("", 12), vec![("x0".to_owned(), x.into())], vec![call], 1);
        model.opset_imports.insert("local".to_owned(), 1);
        model.functions.push(Arc::new(function));
        model.ir_version = 9;
        model
    };
    let expected = [Tensor::new(&[1, 2], vec![1.0_f32, 2.0]).unwrap()];
    let converted = check(&whole(vec![ints("along", &[0])], Vec::new()), ("", 28), &expected);
    assert_eq!(converted.functions[0].opset_imports[""], 28);
    refused(
        &whole(Vec::new(), vec!["along".to_owned()]),
        ("", 28),
        "attribute `along` of the function",
    );
}

/// Models of IR version 3 list initializers as inputs; an added constant is not listed.
#[test]
fn the_format_is_raised_where_it_must_be() {
    let squeeze = |ir_version| {
        let x = Tensor::new(&[1, 2], vec![1.0_f32, 2.0]).unwrap();
        let mut model = model(("", "Squeeze", 1), &[x], &[ints("axes", &[0])], 1);
        model.ir_version = ir_version;
        model
    };
    let version = |ir, to| upgrade(&squeeze(ir), &targets("", to)).unwrap().model.ir_version;
    assert_eq!([version(3, 7), version(3, 13), version(12, 13)], [3, 7, 12]);
}

#[test]
fn targets_that_cannot_be() {
    let squeeze = model(("", "Abs", 13), &[Tensor::scalar(1.0_f32)], &[], 1);
    refused(
        &squeeze,
        ("", 12),
        "imports opset 13 of domain `ai.onnx`, and the target is 12",
    );
    refused(
        &squeeze,
        ("", 29),
        "opset 29 of domain `ai.onnx` does not exist: the newest is 28",
    );
    refused(&squeeze, ("ai.onnx.ml", 3), "does not import domain `ai.onnx.ml`");
    refused(&squeeze, ("com.microsoft", 1), "is not one of ONNX");
    let upgraded = upgrade(&squeeze, &targets("", 13)).unwrap();
    assert_eq!((upgraded.changes, upgraded.unchanged), (Vec::new(), 0));
}

/// Nodes of the domain of ONNX Runtime stay as they are, those around them are converted: Squeeze gets its
/// axes as an input.
#[test]
fn contrib_operators_stay() {
    let squeeze = Node {
        operator: "Squeeze".to_owned(),
        inputs: vec!["x0".to_owned()],
        outputs: vec!["a".to_owned()],
        attributes: vec![ints("axes", &[0])],
        ..Node::default()
    };
    let gelu = Node {
        domain: "com.microsoft".to_owned(),
        operator: "QuickGelu".to_owned(),
        inputs: vec!["a".to_owned()],
        outputs: vec!["y0".to_owned()],
        ..Node::default()
    };
    let x = Tensor::new(&[1, 1], vec![0.0_f32]).expect("one element");
    let initializers = vec![("x0".to_owned(), Value::from(x))];
    let model = of_nodes(("com.microsoft", 1), initializers, vec![squeeze, gelu.clone()], 1);
    let converted = check(&model, ("", 13), &[Tensor::vector(vec![0.0_f32])]);
    let last = converted.graph.nodes.last().expect("a node");
    let identity = |node: &Node| (node.domain.clone(), node.operator.clone(), node.inputs.clone());
    assert_eq!(identity(last), identity(&gelu));
    assert_eq!(converted.opset_imports.get("com.microsoft"), Some(&1));
}

/// Every refusal is reported, with the node and the step.
#[test]
fn all_refusals_of_a_model() {
    let node = |name: &str, output: &str| Node {
        name: name.to_owned(),
        operator: "Erf".to_owned(),
        inputs: vec!["x0".to_owned()],
        outputs: vec![output.to_owned()],
        ..Node::default()
    };
    let x = Value::from(Tensor::scalar(1_i32));
    let model = of_nodes(
        ("", 9),
        vec![("x0".to_owned(), x)],
        vec![node("first", "y0"), node("", "y1")],
        2,
    );
    let Err(UpgradeError::NoAdapter(refusals)) = upgrade(&model, &targets("", 28)) else {
        panic!("it converts");
    };
    let shown: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "main graph: node `first` (Erf-9) to version 13: elements of type int32 are no longer taken",
            "main graph: node `y1` (Erf-9) to version 13: elements of type int32 are no longer taken",
        ]
    );
}
