//! Functions of each element, with a bias along the last axis.

use onnx_tensor::DType;

use super::{Declaration, contrib, flag, only, text};
use crate::families::{full, shape, unary};
use crate::{Domain, Draft, Made};

pub(in super::super) const OPERATORS: &[Declaration] = &[
    contrib("BiasAdd", |d| {
        let shape = full(d, 3, 3);
        d.input(&shape, Domain::MODERATE)?;
        d.input(&shape[2..], Domain::MODERATE)?;
        d.input(&shape, Domain::MODERATE)?;
        Ok(())
    }),
    contrib("BiasGelu", |d| biased(d, true)),
    contrib("BiasSplitGelu", |d| {
        let mut shape = full(d, 3, 3);
        shape[2] *= 2;
        d.input(&shape, Domain::MODERATE)?;
        d.input(&shape[2..], Domain::MODERATE)?;
        Ok(())
    }),
    contrib("FastGelu", |d| {
        let bias = d.whether("bias");
        biased(d, bias)
    }),
    contrib("Gelu", |d| unary(d, Domain::MODERATE)),
    contrib("QuickGelu", |d| {
        d.scalar("alpha", &[1.0, -0.5]);
        unary(d, Domain::MODERATE)
    }),
    contrib("CDist", |d| {
        text(d, "metric", &["sqeuclidean", "euclidean"]);
        let (rows, others, width) = (1 + d.draws.below(4), 1 + d.draws.below(4), 1 + d.draws.below(5));
        d.input(&[rows, width], Domain::MODERATE)?;
        d.input(&[others, width], Domain::MODERATE)?;
        Ok(())
    }),
    contrib("SwiGLU", |d| {
        let mut shape = full(d, 1, 3);
        let apart = d.whether("two inputs");
        if !apart {
            *shape.last_mut().unwrap_or(&mut 0) *= 2;
        }
        d.scalar("activation_alpha", &[1.5]);
        d.scalar("activation_beta", &[1.0]);
        d.scalar("limit", &[2.0]);
        flag(d, "round_activation");
        d.input(&shape, Domain::MODERATE)?;
        if apart {
            d.input(&shape, Domain::MODERATE)?;
        }
        Ok(())
    }),
    contrib("LinearAttentionGate", |d| {
        only(d, "TF", DType::Float)?;
        let shape = full(d, 3, 3);
        d.input(&shape, Domain::MODERATE)?;
        d.input(&shape[2..], Domain::MODERATE)?;
        d.input(&shape[2..], Domain::MODERATE)?;
        d.input(&shape, Domain::MODERATE)?;
        Ok(())
    }),
];

fn biased(d: &mut Draft, bias: bool) -> Made {
    let shape = shape(d, 1, 4);
    d.input(&shape, Domain::MODERATE)?;
    if bias {
        d.input(&shape[shape.len() - 1..], Domain::MODERATE)?;
    }
    Ok(())
}
