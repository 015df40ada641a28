//! Compares the derivatives of Gradient with central differences of the interpreter's evaluation in f64.
//!
//! Each operator's first output is multiplied by fixed coefficients, so that no derivative vanishes by
//! symmetry.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_interpreter::{Limits, run};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{Tensor, Value};

/// The step of the differences. Their error is about its square.
const STEP: f64 = 1e-5;
const NEAR: f64 = 1e-7;

/// An input of the operator under test.
#[derive(Clone)]
enum Input {
    /// A differentiation variable with this shape and elements spread over an interval.
    Varies(&'static [usize], f64, f64),
    Fixed(Tensor),
    Omitted,
}
use Input::{Fixed, Omitted};

/// Elements between −1.5 and 1.5.
fn x(shape: &'static [usize]) -> Input {
    Input::Varies(shape, -1.5, 1.5)
}

/// Elements of one sign, away from 0.
fn positive(shape: &'static [usize]) -> Input {
    Input::Varies(shape, 0.3, 0.9)
}

fn integers(values: &[i64]) -> Input {
    Fixed(Tensor::vector(values.to_vec()))
}

fn ints<const N: usize>(name: &str, values: [i64; N]) -> Attribute {
    attribute(name, AttributeValue::Ints(values.to_vec()))
}

fn int(name: &str, value: i64) -> Attribute {
    attribute(name, AttributeValue::Int(value))
}

fn string(name: &str, value: &str) -> Attribute {
    attribute(name, AttributeValue::String(value.into()))
}

fn float(name: &str, value: f32) -> Attribute {
    attribute(name, AttributeValue::Float(value))
}

fn attribute(name: &str, value: AttributeValue) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value,
    }
}

/// Distinct numbers that are spread over an interval.
fn spread(count: usize, seed: usize, low: f64, high: f64) -> Vec<f64> {
    let part = |index: usize| ((index + 1) as f64 * 0.618_033_988_75 + seed as f64 * 0.37).fract();
    (0..count).map(|index| low + (high - low) * part(index)).collect()
}

fn infos(names: &[String]) -> Vec<ValueInfo> {
    let info = |name: &String| ValueInfo {
        name: name.clone(),
        value_type: None,
    };
    names.iter().map(info).collect()
}

/// Runs nodes on named values. Returns the outputs of the names in `wanted`.
fn evaluate(opset: i64, nodes: &[Node], values: &[(String, Value)], wanted: &[String]) -> Vec<Tensor> {
    let names: Vec<String> = values.iter().map(|(name, _)| name.clone()).collect();
    let graph = Graph {
        inputs: infos(&names),
        outputs: infos(wanted),
        nodes: nodes.to_vec(),
        ..Graph::default()
    };
    let training = "ai.onnx.preview.training".to_owned();
    let model = Model {
        ir_version: 8,
        opset_imports: BTreeMap::from([(String::new(), opset), (training, 1)]),
        graph: Arc::new(graph),
        functions: Vec::new(),
        producer_name: String::new(),
        producer_version: String::new(),
        oddities: Vec::new(),
    };
    let outputs = run(&model, values, Limits::default()).unwrap_or_else(|error| panic!("{error}"));
    let tensor = |(_, value): (String, Value)| value.as_tensor().cloned().expect("a tensor");
    outputs.into_iter().map(tensor).collect()
}

/// Compares the derivatives of an operator with respect to each varying input with central differences.
#[track_caller]
fn check(opset: i64, operator: &str, inputs: &[Input], attributes: &[Attribute]) {
    let mut values: Vec<(String, Value)> = Vec::new();
    let (mut names, mut varying) = (Vec::new(), Vec::new());
    for (index, input) in inputs.iter().enumerate() {
        let name = format!("x{index}");
        let tensor = match input {
            Omitted => {
                names.push(String::new());
                continue;
            }
            Fixed(tensor) => tensor.clone(),
            Input::Varies(shape, low, high) => {
                varying.push((values.len(), name.clone()));
                let elements = spread(shape.iter().product(), index, *low, *high);
                Tensor::new(shape, elements).expect("as many elements as the shape has")
            }
        };
        values.push((name.clone(), tensor.into()));
        names.push(name);
    }
    let node = |operator: &str, inputs: &[String], output: &str, attributes: &[Attribute]| Node {
        operator: operator.to_owned(),
        inputs: inputs.to_vec(),
        outputs: vec![output.to_owned()],
        attributes: attributes.to_vec(),
        ..Node::default()
    };
    let tested = node(operator, &names, "y", attributes);
    let y = evaluate(opset, std::slice::from_ref(&tested), &values, &["y".to_owned()]);
    let coefficients = Tensor::new(y[0].shape(), spread(y[0].len(), 7, 0.5, 2.0)).expect("the shape of y");
    values.push(("c".to_owned(), coefficients.into()));
    let weighed = node("Mul", &["y".to_owned(), "c".to_owned()], "z", &[]);
    let nodes = [tested, weighed];
    let sum = |values: &[(String, Value)]| -> f64 {
        let z = evaluate(opset, &nodes, values, &["z".to_owned()]);
        z[0].array::<f64>().expect("doubles").sum()
    };
    for (at, (place, target)) in varying.iter().enumerate() {
        let found = derivative(opset, &nodes, &values, target);
        let Value::Tensor(original) = values[*place].1.clone() else {
            panic!("a tensor")
        };
        let elements = original.to_vec::<f64>().expect("doubles");
        for (index, &have) in found.iter().enumerate() {
            let mut shifted = |step: f64| {
                let mut elements = elements.clone();
                elements[index] += step;
                values[*place].1 = Tensor::new(original.shape(), elements)
                    .expect("the same shape")
                    .into();
                sum(&values)
            };
            let want = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
            let near = (have - want).abs() <= NEAR * (1.0 + want.abs());
            assert!(
                near,
                "{operator} at opset {opset}: input {at}, element {index} has {have}, differences give {want}"
            );
        }
        values[*place].1 = original.into();
    }
}

/// The derivative of the sum of `z` with respect to `target`, computed by Gradient.
fn derivative(opset: i64, nodes: &[Node], values: &[(String, Value)], target: &str) -> Vec<f64> {
    let others: Vec<String> = values
        .iter()
        .map(|(name, _)| name.clone())
        .filter(|name| name != target)
        .collect();
    let bytes =
        |names: &[String]| AttributeValue::Strings(names.iter().map(|name| name.as_str().into()).collect());
    let xs = [target.to_owned()];
    let gradient = Node {
        operator: "Gradient".to_owned(),
        domain: "ai.onnx.preview.training".to_owned(),
        inputs: [&xs[..], &others].concat(),
        outputs: vec!["d".to_owned()],
        attributes: vec![
            attribute("xs", bytes(&xs)),
            attribute("zs", bytes(&others)),
            string("y", "z"),
        ],
        ..Node::default()
    };
    let nodes = [nodes, &[gradient]].concat();
    let found = evaluate(opset, &nodes, values, &["d".to_owned()]);
    found[0].to_vec().expect("doubles")
}

#[test]
fn functions_and_activations() {
    for name in [
        "Abs",
        "Asinh",
        "Atan",
        "Cos",
        "Cosh",
        "Elu",
        "Erf",
        "Exp",
        "HardSigmoid",
        "HardSwish",
        "LeakyRelu",
        "Mish",
        "Neg",
        "Relu",
        "Selu",
        "Shrink",
        "Sigmoid",
        "Sin",
        "Sinh",
        "Softplus",
        "Softsign",
        "Tan",
        "Tanh",
        "ThresholdedRelu",
    ] {
        check(22, name, &[x(&[7])], &[]);
    }
    for name in ["Acos", "Asin", "Atanh", "Log", "Reciprocal", "Sqrt"] {
        check(22, name, &[positive(&[5])], &[]);
    }
    check(28, "Celu", &[x(&[7])], &[float("alpha", 2.0)]);
    check(22, "Acosh", &[Input::Varies(&[5], 1.2, 3.0)], &[]);
    check(24, "Swish", &[x(&[5])], &[float("alpha", 1.5)]);
    check(20, "Gelu", &[x(&[5])], &[]);
    check(20, "Gelu", &[x(&[5])], &[string("approximate", "tanh")]);
    check(16, "PRelu", &[x(&[2, 3]), positive(&[3])], &[]);
    check(6, "Clip", &[x(&[9])], &[float("min", -0.5), float("max", 0.7)]);
    check(
        13,
        "Clip",
        &[
            x(&[9]),
            Input::Varies(&[], -0.6, -0.3),
            Input::Varies(&[], 0.3, 0.6),
        ],
        &[],
    );
}

#[test]
fn arithmetic() {
    for name in ["Add", "Mul", "Sub", "Div", "Max", "Min", "Mean", "Sum"] {
        check(13, name, &[x(&[2, 3]), positive(&[3])], &[]);
    }
    check(13, "Pow", &[positive(&[2, 2]), x(&[2, 1])], &[]);
    check(13, "MatMul", &[x(&[2, 1, 2, 3]), x(&[2, 3, 2])], &[]);
    check(13, "MatMul", &[x(&[3]), x(&[3, 2])], &[]);
    check(
        13,
        "Gemm",
        &[x(&[3, 2]), x(&[4, 3]), x(&[4])],
        &[
            int("transA", 1),
            int("transB", 1),
            float("alpha", 0.5),
            float("beta", 2.0),
        ],
    );
    for (equation, inputs) in [
        ("bij,bjk->bik", vec![x(&[2, 2, 3]), x(&[2, 3, 2])]),
        ("...ii->...i", vec![x(&[2, 3, 3])]),
        ("i,i,j->", vec![x(&[2]), x(&[2]), x(&[3])]),
    ] {
        check(12, "Einsum", &inputs, &[string("equation", equation)]);
    }
}

#[test]
fn reductions() {
    for name in [
        "ReduceMax",
        "ReduceMean",
        "ReduceMin",
        "ReduceL1",
        "ReduceL2",
        "ReduceSumSquare",
        "ReduceLogSumExp",
    ] {
        check(18, name, &[x(&[2, 3, 2]), integers(&[1])], &[int("keepdims", 0)]);
    }
    check(13, "ReduceSum", &[x(&[2, 3]), integers(&[-1])], &[]);
    check(11, "ReduceLogSum", &[positive(&[2, 3])], &[ints("axes", [0])]);
    for name in ["Softmax", "LogSoftmax"] {
        check(11, name, &[x(&[2, 2, 3])], &[int("axis", 1)]);
        check(13, name, &[x(&[2, 2, 3])], &[int("axis", 1)]);
    }
    check(
        11,
        "CumSum",
        &[x(&[2, 3]), Fixed(Tensor::scalar(1_i64))],
        &[int("exclusive", 1)],
    );
}

#[test]
fn layout() {
    check(13, "Gather", &[x(&[3, 2]), integers(&[2, 0, 2])], &[]);
    check(
        13,
        "Slice",
        &[
            x(&[5]),
            integers(&[4]),
            integers(&[0]),
            integers(&[0]),
            integers(&[-2]),
        ],
        &[],
    );
    check(13, "Expand", &[x(&[2, 1]), integers(&[2, 3])], &[]);
    check(13, "Concat", &[x(&[2, 1]), x(&[2, 2])], &[int("axis", 1)]);
    check(13, "Split", &[x(&[4])], &[]);
    check(14, "Trilu", &[x(&[3, 3])], &[]);
    let condition = Tensor::vector(vec![true, false, true]);
    check(9, "Where", &[Fixed(condition), x(&[2, 3]), x(&[3])], &[]);
    for mode in ["constant", "reflect", "edge"] {
        check(13, "Pad", &[x(&[3]), integers(&[2, 1])], &[string("mode", mode)]);
    }
    check(13, "Pad", &[x(&[3]), integers(&[1, 2]), x(&[])], &[]);
    let rows = Tensor::new(&[2, 1], vec![2_i64, 0]).expect("two elements");
    check(16, "ScatterND", &[x(&[3, 2]), Fixed(rows), x(&[2, 2])], &[]);
    check(13, "Dropout", &[x(&[3])], &[]);
}

#[test]
fn normalizations() {
    let epsilon = float("epsilon", 0.1);
    let statistics = [x(&[3]), x(&[3]), x(&[3]), positive(&[3])];
    let batch = [&[x(&[2, 3, 2])], &statistics[..]].concat();
    check(9, "BatchNormalization", &batch, std::slice::from_ref(&epsilon));
    check(
        15,
        "BatchNormalization",
        &batch,
        &[epsilon.clone(), int("training_mode", 1)],
    );
    check(
        17,
        "LayerNormalization",
        &[x(&[2, 3, 2]), x(&[3, 2]), x(&[2])],
        &[int("axis", 1), int("stash_type", 11)],
    );
    check(
        6,
        "InstanceNormalization",
        &[x(&[2, 3, 4]), x(&[3]), x(&[3])],
        std::slice::from_ref(&epsilon),
    );
    let groups = [int("num_groups", 2), int("stash_type", 11)];
    check(
        21,
        "GroupNormalization",
        &[x(&[2, 4, 2]), x(&[4]), x(&[4])],
        &groups,
    );
    check(
        23,
        "RMSNormalization",
        &[x(&[2, 3]), x(&[3])],
        &[epsilon, int("stash_type", 11)],
    );
    check(
        13,
        "MeanVarianceNormalization",
        &[x(&[2, 2, 3])],
        &[ints("axes", [0, 2])],
    );
    check(
        13,
        "LRN",
        &[x(&[1, 4, 2])],
        &[int("size", 2), float("alpha", 0.7)],
    );
    for p in [1, 2] {
        check(13, "LpNormalization", &[x(&[2, 3])], &[int("p", p)]);
    }
}

#[test]
fn windows() {
    let strided = [
        ints("strides", [2, 1]),
        ints("pads", [1, 0, 0, 1]),
        ints("dilations", [1, 2]),
        int("group", 2),
    ];
    check(
        11,
        "Conv",
        &[x(&[2, 4, 4, 4]), x(&[2, 2, 2, 2]), x(&[2])],
        &strided,
    );
    check(
        11,
        "ConvTranspose",
        &[x(&[2, 4, 2, 2]), x(&[4, 1, 2, 2]), x(&[2])],
        &strided,
    );
    let pool = [
        ints("kernel_shape", [2, 2]),
        ints("strides", [2, 1]),
        ints("pads", [1, 0, 0, 1]),
    ];
    for (opset, name) in [
        (8, "MaxPool"),
        (22, "MaxPool"),
        (7, "AveragePool"),
        (19, "AveragePool"),
    ] {
        check(opset, name, &[x(&[2, 2, 3, 4])], &pool);
    }
    for name in ["GlobalAveragePool", "GlobalMaxPool"] {
        check(22, name, &[x(&[2, 2, 3])], &[]);
    }
    let scales = Fixed(Tensor::vector(vec![1.0_f32, 2.0]));
    check(
        13,
        "Resize",
        &[x(&[2, 3]), Omitted, scales],
        &[string("mode", "linear")],
    );
}

#[test]
fn losses() {
    let classes = Fixed(Tensor::new(&[3, 2], vec![0_i64, 2, 1, -1, 2, 2]).expect("six elements"));
    for reduction in ["none", "sum", "mean"] {
        let attributes = [string("reduction", reduction), int("ignore_index", -1)];
        for name in ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"] {
            check(
                13,
                name,
                &[x(&[3, 3, 2]), classes.clone(), positive(&[3])],
                &attributes,
            );
        }
    }
}
