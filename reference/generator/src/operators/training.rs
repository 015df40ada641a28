//! Losses and optimizers.

use onnx_model::Node;
use onnx_tensor::ValueType;

use super::{Declaration, of};
use crate::{Domain, Draft, Made};

const TRAINING: &str = "ai.onnx.preview.training";

pub(super) const OPERATORS: &[Declaration] = &[
    of("NegativeLogLikelihoodLoss", loss),
    of("SoftmaxCrossEntropyLoss", loss),
    Declaration {
        domain: TRAINING,
        operator: "Adagrad",
        build: |d| {
            d.scalar("decay_factor", &[0.5]);
            optimizer(d, 3)
        },
    },
    Declaration {
        domain: TRAINING,
        operator: "Adam",
        build: |d| {
            d.scalar("alpha", &[0.5]);
            d.scalar("beta", &[0.75]);
            d.scalar("norm_coefficient_post", &[0.25]);
            optimizer(d, 4)
        },
    },
    Declaration {
        domain: TRAINING,
        operator: "Gradient",
        build: gradient,
    },
    Declaration {
        domain: TRAINING,
        operator: "Momentum",
        build: |d| {
            d.mode("mode");
            d.scalar("alpha", &[0.5]);
            d.scalar("beta", &[0.75]);
            optimizer(d, 3)
        },
    },
];

/// Classes on axis 1; at least one label is not ignored, so that a mean is defined.
fn loss(d: &mut Draft) -> Made {
    let (batch, classes) = (1 + d.draws.below(3), 2 + d.draws.below(3));
    let rest: usize = d.pick("rest", &["0", "1", "2"]).parse().unwrap_or(0);
    let rest: Vec<usize> = (0..rest).map(|_| 1 + d.draws.below(3)).collect();
    d.mode("reduction");
    d.input(
        &[vec![batch, classes], rest.clone()].concat(),
        Domain::from(-3.0, 0.0),
    )?;
    let count = batch * rest.iter().product::<usize>();
    let ignored = d.pick("ignore_index", &["absent", "class", "outside"]);
    let mut labels: Vec<i64> = (0..count).map(|_| d.draws.below(classes) as i64).collect();
    match ignored {
        "class" => {
            d.int("ignore_index", 0);
            labels[0] = 1;
        }
        "outside" => {
            d.int("ignore_index", -1);
            for label in labels.iter_mut().skip(1) {
                if d.draws.one_in(3) {
                    *label = -1;
                }
            }
        }
        _ => {}
    }
    d.shaped_numbers(&[vec![batch], rest].concat(), &labels)?;
    if d.whether("weight") {
        d.input(&[classes], Domain::POSITIVE)?;
    }
    Ok(())
}

/// A rate, a step count, and for each tensor `parts` values: itself, its gradient, its state.
fn optimizer(d: &mut Draft, parts: usize) -> Made {
    d.scalar("epsilon", &[0.01]);
    d.scalar("norm_coefficient", &[0.5, 0.0]);
    let count: usize = d.pick("tensors", &["1", "2"]).parse().unwrap_or(1);
    let (rate, kind) = (d.dtype("T1")?, d.dtype("T3")?);
    d.give(crate::whole(rate, &[], &[1])?);
    let steps = [0, 1, 3][d.draws.below(3)];
    d.number(steps)?;
    let shapes: Vec<Vec<usize>> = (0..count).map(|_| crate::families::full(d, 0, 2)).collect();
    for part in 0..parts {
        for shape in &shapes {
            // The last are sums of squares: they are not negative.
            let domain = if part + 1 == parts {
                Domain::POSITIVE
            } else {
                Domain::MODERATE
            };
            let tensor = d.tensor(kind, shape, domain)?;
            d.give(tensor);
        }
    }
    d.results(vec![ValueType::tensor(kind); count * (parts - 1)]);
    Ok(())
}

/// The derivatives of a product by its two factors, with a third input of any type.
fn gradient(d: &mut Draft) -> Made {
    let (kind, given) = (d.dtype("T1")?, d.dtype("T2")?);
    d.texts("xs", &["x0", "x1"]);
    d.texts("zs", &["x2"]);
    d.text("y", "product");
    let shape = crate::families::full(d, 0, 3);
    for _ in 0..2 {
        let tensor = d.tensor(given, &shape, Domain::MODERATE)?;
        d.give(tensor);
    }
    // The product does not depend on this input.
    let other = d.tensor(kind, &shape, Domain::MODERATE)?;
    d.give(other);
    d.nodes.push(Node {
        operator: "Mul".to_owned(),
        inputs: vec!["x0".to_owned(), "x1".to_owned()],
        outputs: vec!["product".to_owned()],
        ..Node::default()
    });
    d.results(vec![ValueType::tensor(given); 2]);
    Ok(())
}
