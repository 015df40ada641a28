//! Updates of optimizers, and predictors.

use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

use super::order::drawn;
use super::{Case, Evaluate, check, string};

const N: usize = 6;

fn update(name: &'static str, roles: usize, outputs: usize, case: Case) -> Case {
    let mut inputs = vec![Some(vec![]), Some(vec![])];
    inputs.resize(2 + roles, Some(vec![N]));
    let accumulated: Vec<f32> = drawn(9, N).iter().map(|x| x * x).collect();
    Case {
        operator: name,
        inputs,
        given: vec![
            (0, Tensor::scalar(0.125_f32)),
            (1, Tensor::scalar(7_i64)),
            (1 + roles, Tensor::vector(accumulated)),
        ],
        outputs,
        ..case
    }
}

fn case(attributes: &[(&'static str, f32)], evaluate: Evaluate) -> Case {
    let float = |&(name, value): &(&'static str, f32)| (name, AttributeValue::Float(value));
    Case {
        operator: "",
        attributes: attributes.iter().map(float).collect(),
        inputs: Vec::new(),
        given: Vec::new(),
        outputs: 1,
        evaluate,
    }
}

/// The results of `f` for each element, output by output.
fn each<const OUT: usize>(f: impl Fn(usize) -> [f32; OUT]) -> Vec<Vec<f32>> {
    let all: Vec<[f32; OUT]> = (0..N).map(f).collect();
    (0..OUT)
        .map(|output| all.iter().map(|values| values[output]).collect())
        .collect()
}

#[test]
fn optimizers() {
    let adagrad = case(
        &[
            ("norm_coefficient", 0.01),
            ("decay_factor", 0.1),
            ("epsilon", 1e-5),
        ],
        |inputs, _| {
            each(|at| {
                let gradient = 0.01 * inputs[2][at] + inputs[3][at];
                let squares = inputs[4][at] + gradient * gradient;
                let rate = inputs[0][0] / (1.0 + 7.0 * 0.1);
                [inputs[2][at] - rate * gradient / (squares.sqrt() + 1e-5), squares]
            })
        },
    );
    check(&update("ai.onnx.preview.training:Adagrad", 3, 2, adagrad));
    let adam = case(
        &[("alpha", 0.95), ("beta", 0.85), ("epsilon", 1e-2)],
        |inputs, _| {
            each(|at| {
                let (x, gradient) = (inputs[2][at], inputs[3][at]);
                let average = 0.95 * inputs[4][at] + (1.0 - 0.95) * gradient;
                let squares = 0.85 * inputs[5][at] + (1.0 - 0.85) * gradient * gradient;
                let rate = inputs[0][0] * (1.0 - 0.85_f32.powi(7)).sqrt() / (1.0 - 0.95_f32.powi(7));
                [x - rate * average / (squares.sqrt() + 1e-2), average, squares]
            })
        },
    );
    check(&update("ai.onnx.preview.training:Adam", 4, 3, adam));
    let mut momentum = case(
        &[("alpha", 0.9), ("beta", 0.5), ("norm_coefficient", 0.01)],
        |inputs, _| {
            each(|at| {
                let gradient = 0.01 * inputs[2][at] + inputs[3][at];
                let momentum = 0.9 * inputs[4][at] + 0.5 * gradient;
                [
                    inputs[2][at] - inputs[0][0] * (gradient + 0.9 * momentum),
                    momentum,
                ]
            })
        },
    );
    momentum.attributes.push(("mode", string("nesterov")));
    check(&update("ai.onnx.preview.training:Momentum", 3, 2, momentum));
}

/// The numbers of features, rows, and rows of coefficients or support vectors.
const WIDTH: usize = 5;
const ROWS: usize = 3;
const MODELS: usize = 4;

fn predictor(operator: &'static str, attributes: Vec<(&'static str, AttributeValue)>, case: Case) -> Case {
    Case {
        operator,
        attributes,
        inputs: vec![Some(vec![ROWS, WIDTH])],
        ..case
    }
}

fn rows(x: &[f32], f: impl Fn(&[f32]) -> Vec<f32>) -> Vec<Vec<f32>> {
    vec![x.chunks(WIDTH).flat_map(f).collect()]
}

#[test]
fn predictors() {
    let floats = |seed: u64, count: usize| AttributeValue::Floats(drawn(seed, count));
    let linear = case(&[], |inputs, order| {
        let (weights, intercepts) = (drawn(20, MODELS * WIDTH), drawn(21, MODELS));
        rows(&inputs[0], |x| {
            let score = |(weights, intercept): (&[f32], &f32)| {
                1.0 / (1.0 + (-(order.dot(weights, x.iter().copied()) + intercept)).exp())
            };
            weights.chunks(WIDTH).zip(&intercepts).map(score).collect()
        })
    });
    let attributes = vec![
        ("coefficients", floats(20, MODELS * WIDTH)),
        ("intercepts", floats(21, MODELS)),
        ("targets", AttributeValue::Int(MODELS as i64)),
        ("post_transform", string("LOGISTIC")),
    ];
    check(&predictor("ai.onnx.ml:LinearRegressor", attributes, linear));
    let support = case(&[], |inputs, order| {
        let (vectors, weights) = (drawn(22, MODELS * WIDTH), drawn(23, MODELS));
        rows(&inputs[0], |x| {
            let kernel = |vector: &[f32]| {
                let squares = x.iter().zip(vector).map(|(x, v)| (x - v) * (x - v));
                (-0.75 * order.sum(&squares.collect::<Vec<f32>>())).exp()
            };
            let kernels: Vec<f32> = vectors.chunks(WIDTH).map(kernel).collect();
            vec![order.dot(&kernels, weights.iter().copied()) + 0.25]
        })
    });
    let attributes = vec![
        ("kernel_type", string("RBF")),
        ("kernel_params", AttributeValue::Floats(vec![0.75, 0.0, 0.0])),
        ("support_vectors", floats(22, MODELS * WIDTH)),
        ("coefficients", floats(23, MODELS)),
        ("rho", AttributeValue::Floats(vec![0.25])),
        ("n_supports", AttributeValue::Int(MODELS as i64)),
    ];
    check(&predictor("ai.onnx.ml:SVMRegressor", attributes, support));
    let normalizer = case(&[], |inputs, order| {
        rows(&inputs[0], |x| {
            let norm = order.dot(x, x.iter().copied()).sqrt();
            x.iter().map(|x| x / norm).collect()
        })
    });
    check(&predictor(
        "ai.onnx.ml:Normalizer",
        vec![("norm", string("L2"))],
        normalizer,
    ));
    let scaler = case(&[], |inputs, _| {
        let (offset, scale) = (drawn(24, WIDTH), drawn(25, WIDTH));
        let feature = |(x, (offset, scale)): (&f32, (&f32, &f32))| (x - offset) * scale;
        rows(&inputs[0], |x| {
            x.iter().zip(offset.iter().zip(&scale)).map(feature).collect()
        })
    });
    let attributes = vec![("offset", floats(24, WIDTH)), ("scale", floats(25, WIDTH))];
    check(&predictor("ai.onnx.ml:Scaler", attributes, scaler));
}
