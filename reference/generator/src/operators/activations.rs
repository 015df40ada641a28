//! Activation functions.

use onnx_tensor::{DType, Tensor};

use super::{Declaration, of};
use crate::families::{axis, broadcastable, full, shape, unary};
use crate::{Domain, Draft, Made};

pub(super) const OPERATORS: &[Declaration] = &[
    of("Celu", |d| {
        d.scalar("alpha", &[0.5, 2.0]);
        any(d)
    }),
    of("Elu", |d| {
        d.scalar("alpha", &[0.5, 2.0]);
        any(d)
    }),
    of("Gelu", |d| {
        d.mode("approximate");
        any(d)
    }),
    of("HardSigmoid", |d| {
        d.scalar("alpha", &[0.5]);
        d.scalar("beta", &[0.25]);
        any(d)
    }),
    of("HardSwish", any),
    of("Hardmax", one_axis),
    of("LeakyRelu", |d| {
        d.scalar("alpha", &[0.5, 2.0, -0.5]);
        any(d)
    }),
    of("LogSoftmax", one_axis),
    of("Mish", any),
    of("PRelu", prelu),
    of("Relu", any),
    of("Selu", |d| {
        d.scalar("alpha", &[0.5]);
        d.scalar("gamma", &[2.0]);
        any(d)
    }),
    of("Shrink", |d| {
        d.scalar("bias", &[1.5]);
        d.scalar("lambd", &[1.0, 0.0]);
        unary(d, Domain::SUM)
    }),
    of("Sigmoid", any),
    of("Softmax", one_axis),
    of("Softplus", any),
    of("Softsign", any),
    of("SwiGLU", |d| {
        d.scalar("alpha", &[0.5, 2.0]);
        let shape = shape(d, 0, 4);
        d.input(&shape, Domain::MODERATE)?;
        d.input(&shape, Domain::MODERATE)?;
        Ok(())
    }),
    of("Swish", |d| {
        d.scalar("alpha", &[0.5, 2.0]);
        any(d)
    }),
    of("ThresholdedRelu", |d| {
        d.scalar("alpha", &[0.5, 2.0]);
        any(d)
    }),
];

fn any(d: &mut Draft) -> Made {
    unary(d, Domain::ANY)
}

/// Along one axis, or before version 13 along all from it on. The maximum beside NaN is undefined.
fn one_axis(d: &mut Draft) -> Made {
    let shape = full(d, 1, 5);
    d.input(&shape, Domain::from(-20.0, 20.0))?;
    if d.whether("axis given") {
        let (given, _) = axis(d, shape.len(), 11);
        d.int("axis", given);
    } else {
        // The default was 1 before version 13.
        d.require(
            d.since() >= 13 || shape.len() > 1,
            "the default axis is outside the shape",
        )?;
    }
    Ok(())
}

/// The slope is broadcast to the input; before version 7 it is one number or one for each channel.
fn prelu(d: &mut Draft) -> Made {
    let first = d.since() < 7;
    let shape = if first { full(d, 2, 4) } else { shape(d, 0, 5) };
    let slope = match first {
        true if d.whether("slope shared") => vec![1],
        true => vec![shape[1]],
        false => broadcastable(d, "slope", &shape),
    };
    match (d.dtype("T")?, shape.iter().product::<usize>()) {
        // Neighbouring integers that are one number in double.
        (DType::Int64, count) if d.whether("beyond double") => {
            let odd = (0..count).map(|_| (1_i64 << 53) + 1 + 2 * d.draws.below(1000) as i64);
            let odd: Vec<i64> = odd.collect();
            d.give(Tensor::new(&shape, odd)?);
        }
        _ => {
            d.input(&shape, Domain::MODERATE)?;
        }
    }
    d.input(&slope, Domain::MODERATE)?;
    Ok(())
}
