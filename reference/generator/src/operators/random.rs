//! Random operators: only types and shapes of their outputs are expected, unless nothing is drawn.

use onnx_tensor::{DType, Tensor};

use super::{Declaration, of};
use crate::families::shape;
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    of("Bernoulli", |d| like(d, Domain::PROBABILITY)),
    of("Dropout", dropout),
    of("Multinomial", |d| {
        d.random = true;
        let to = d.output_dtype(0)?;
        if to != DType::Int32 || d.whether("dtype") {
            d.int("dtype", to as i64);
        }
        if d.whether("sample_size") {
            d.int("sample_size", 5);
        }
        seed(d);
        let shape = [1 + d.draws.below(3), 1 + d.draws.below(4)];
        d.input(&shape, Domain::MODERATE)?;
        Ok(())
    }),
    of("RandomNormal", |d| {
        d.scalar("mean", &[1.0, -3.0]);
        d.scalar("scale", &[2.0]);
        shaped(d)
    }),
    of("RandomNormalLike", |d| {
        d.scalar("mean", &[1.0]);
        d.scalar("scale", &[2.0]);
        like(d, Domain::MODERATE)
    }),
    of("RandomUniform", |d| {
        d.scalar("low", &[-1.0]);
        d.scalar("high", &[2.0]);
        shaped(d)
    }),
    of("RandomUniformLike", |d| {
        d.scalar("low", &[-1.0]);
        d.scalar("high", &[2.0]);
        like(d, Domain::MODERATE)
    }),
];

fn seed(d: &mut Draft) {
    if d.whether("seed") {
        d.float("seed", 7.0);
    }
}

fn shaped(d: &mut Draft) -> Made {
    d.random = true;
    seed(d);
    let to = d.output_dtype(0)?;
    if to != DType::Float || d.whether("dtype") {
        d.int("dtype", to as i64);
    }
    let shape = crate::families::full(d, 1, 4);
    d.ints("shape", &super::movement::signed(&shape));
    Ok(())
}

fn like(d: &mut Draft, domain: Domain) -> Made {
    d.random = true;
    seed(d);
    let (from, to) = (d.input_dtype(0)?, d.output_dtype(0)?);
    if from != to || d.whether("dtype") {
        d.int("dtype", to as i64);
    }
    let shape = shape(d, 0, 4);
    d.input(&shape, domain)?;
    Ok(())
}

/// Without training, or with a ratio of 0, nothing is dropped.
fn dropout(d: &mut Draft) -> Made {
    let shape = shape(d, 0, 4);
    if d.since() < 12 {
        d.random = d.mode("is_test") == "0";
        d.scalar("ratio", &[0.25]);
        d.input(&shape, Domain::ANY)?;
        // Without training the mask is undefined before version 12.
        let data = onnx_tensor::ValueType::tensor(d.output_dtype(0)?);
        d.results(vec![data]);
        return Ok(());
    }
    d.input(&shape, Domain::ANY)?;
    let ratio = d.pick("ratio", &["absent", "zero", "half"]);
    match ratio {
        "zero" => {
            d.input(&[], Domain::from(0.0, 0.0))?;
        }
        "half" => {
            d.input(&[], Domain::from(0.5, 0.5))?;
        }
        _ => d.skip(),
    }
    match d.pick("training_mode", &["absent", "false", "true"]) {
        "false" => d.give(Tensor::scalar(false)),
        "true" => {
            d.random = ratio != "zero";
            d.give(Tensor::scalar(true));
        }
        _ => d.skip(),
    }
    if d.whether("seed") {
        d.int("seed", 3);
    }
    Ok(())
}
