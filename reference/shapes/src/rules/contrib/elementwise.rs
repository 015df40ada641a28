//! Operators on elements, and functions of a tensor plus a bias along its last axis.

use super::super::elementwise::same;
use super::super::{Row, row};
use super::{single, vector};
use crate::call::{Call, one};
use crate::extent::Expr;
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, known};

pub(super) const ROWS: &[Row] = &[
    row("BiasAdd", 1, |call| {
        let x = biased(call, 1)?;
        let skip = known(call.shape(2))?.unwrap_or_else(|| x.clone());
        one(call.same_shape(&x, &skip, "extents of the input and of `skip`")?)
    }),
    row("BiasDropout", 1, dropout),
    row("BiasGelu", 1, |call| one(biased(call, 1)?)),
    row("BiasSoftmax", 1, same),
    row("BiasSplitGelu", 1, |call| {
        let x = biased(call, 1)?;
        one(halved(call, x)?)
    }),
    row("BitmaskBiasDropout", 1, dropout),
    row("BitmaskDropout", 1, dropout),
    row("ComplexMul", 1, |call| broadcast(call, &[0, 1])),
    row("ComplexMulConj", 1, |call| broadcast(call, &[0, 1])),
    row("FastGelu", 1, |call| one(biased(call, 1)?)),
    row("Gelu", 1, same),
    row("Inverse", 1, |call| {
        let x = call.at_least_rank(0, 2)?;
        call.equal(&x[x.len() - 2], &x[x.len() - 1], "rows and columns")?;
        one(x)
    }),
    row("LinearAttentionGate", 1, |call| {
        let a = biased(call, 1)?;
        vector(
            call,
            2,
            &a[a.len() - 1],
            "elements of `decay_scale` and of the last axis,",
        )?;
        let beta = known(call.shape(3))?.map_or(Fact::Unknown, Fact::of);
        Ok(vec![Fact::of(a), beta])
    }),
    row("MulInteger", 1, |call| {
        single(call, &[1, 3])?;
        broadcast(call, &[0, 2])
    }),
    row("MurmurHash3", 1, same),
    row("QLinearAdd", 1, quantized_binary),
    row("QLinearLeakyRelu", 1, quantized),
    row("QLinearMul", 1, quantized_binary),
    row("QLinearSigmoid", 1, quantized),
    row("QLinearSoftmax", 1, |call| {
        single(call, &[1, 2, 3, 4])?;
        let x = call.shape(0)?;
        call.axis_attribute(x.len())?;
        one(x)
    }),
    row("QLinearWhere", 1, |call| {
        single(call, &[2, 3, 5, 6, 7, 8])?;
        broadcast(call, &[0, 1, 4])
    }),
    row("QOrderedGelu", 1, same),
    row("QuickGelu", 1, same),
    row("SampleOp", 1, same),
    row("ScaledSiLU", 1, same),
    row("SwiGLU", 1, |call| {
        let gate = call.at_least_rank(0, 1)?;
        match (call.given(1), known(call.shape(1))?) {
            (false, _) => one(halved(call, gate)?),
            (true, None) => one(gate),
            (true, Some(up)) => one(call.same_shape(&gate, &up, "extents of `gate` and `up`")?),
        }
    }),
];

/// The extents of the input, to whose last axis a vector belongs.
pub(super) fn biased(call: &mut Call<'_, '_>, bias: usize) -> Outcome<Shape> {
    let x = call.at_least_rank(0, 1)?;
    vector(
        call,
        bias,
        &x[x.len() - 1],
        "elements of the bias and of the last axis,",
    )?;
    Ok(x)
}

/// The extents with half of the last one.
fn halved(call: &mut Call<'_, '_>, mut x: Shape) -> Outcome<Shape> {
    if let Some(last) = x.pop() {
        x.push(call.multiple(&last, &2.into(), "a width of two halves")?);
    }
    Ok(x)
}

/// These inputs broadcast.
fn broadcast(call: &mut Call<'_, '_>, inputs: &[usize]) -> Outcome<Vec<Fact>> {
    let shapes: Vec<Shape> = inputs.iter().map(|&at| call.shape(at)).collect::<Outcome<_>>()?;
    one(call.broadcast(&shapes)?)
}

/// X, its scale and zero point, those of the result.
fn quantized(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    single(call, &[1, 2, 3, 4])?;
    same(call)
}

/// A and B, each with its scale and zero point, those of the result.
fn quantized_binary(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    single(call, &[1, 2, 4, 5, 6, 7])?;
    broadcast(call, &[0, 3])
}

/// The second output is the mask, in some operators with 32 elements in a number.
fn dropout(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.shape(0)?;
    let mask = match call.schema.name {
        "BiasDropout" => x.clone(),
        _ => {
            let count: Expr = call.product(&x);
            vec![call.ceil_div(&count, 32)]
        }
    };
    Ok(vec![Fact::of(x), Fact::of(mask)])
}
