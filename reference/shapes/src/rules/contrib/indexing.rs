//! Operators that select, count or insert, and text.

use onnx_tensor::DType;

use super::super::indexing::{gather_nd, negative};
use super::super::movement::{concatenated, pad};
use super::super::quantization::granular;
use super::super::reductions::reduce;
use super::super::windows::positive;
use super::super::{Row, generators, row};
use super::single;
use crate::call::{Call, one};
use crate::extent::Expr;
use crate::fact::Fact;
use crate::finding::{Outcome, Stop, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("BifurcationDetector", 1, bifurcation_detector),
    row("DequantizeLinear", 1, granular),
    row("DequantizeWithOrder", 1, |call| one(call.shape(0)?)),
    row("ExpandDims", 1, expand_dims),
    row("GatherBlockQuantized", 1, gather_block_quantized),
    row("GatherND", 1, gather_nd),
    row("NGramRepeatBlock", 1, |call| {
        let [rows, words] = call.ranked::<2>(1)?;
        if let Some([batch, _]) = known(call.ranked::<2>(0))? {
            call.equal(&batch, &rows, "sequences and rows of scores,")?;
        }
        call.drawn_within(0, &0.into(), &words);
        one(vec![rows, words])
    }),
    row("Pad", 1, pad),
    row("QLinearConcat", 1, |call| {
        single(call, &[0, 1])?;
        let last = call.inputs.len();
        for at in (2..last).step_by(3) {
            // A float is quantized as it is.
            if call.dtype(at).is_some_and(|dtype| dtype != DType::Float) {
                single(call, &[at + 1, at + 2])?;
            }
        }
        if last < 5 || last % 3 != 2 {
            let parts = last.saturating_sub(2);
            return parameter(format!(
                "each part is a tensor, a scale and a zero point, but {parts} inputs are given"
            ));
        }
        one(concatenated(call, (2..last).step_by(3))?.0)
    }),
    row("QLinearReduceMean", 1, |call| {
        single(call, &[1, 2, 3, 4])?;
        reduce(call)
    }),
    row("QuantizeLinear", 1, granular),
    row("QuantizeWithOrder", 1, |call| one(call.shape(0)?)),
    row("Range", 1, generators::range),
    row("ReduceSumInteger", 1, reduce),
    row("Tokenizer", 1, tokenizer),
    row("TorchEmbedding", 1, |call| {
        let [rows, width] = call.ranked::<2>(0)?;
        call.indices(1, &0.into(), &rows)?;
        let mut shape = call.shape(1)?;
        shape.push(width);
        one(shape)
    }),
    row("Trilu", 1, |call| one(call.at_least_rank(0, 2)?)),
    row("UnfoldTensor", 1, unfold_tensor),
    row("Unique", 1, |call| {
        let count = call.length(0)?;
        let distinct = call.up_to(&count);
        let vector = |extent: &Expr| Fact::of(vec![extent.clone()]);
        Ok(vec![vector(&distinct), vector(&count), vector(&distinct)])
    }),
];

/// The tokens with those of the prediction that are taken, of which there is at least one; and a position.
fn bifurcation_detector(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let current = call.length(1)?;
    let tokens = match (call.given(3), known(call.length(3))?) {
        (false, _) => current,
        (true, Some(predicted)) => {
            let taken = call.up_to(&predicted);
            call.add(&current, &taken)
        }
        (true, None) => call.unknown(),
    };
    Ok(vec![Fact::of(vec![tokens]), Fact::of(vec![1.into()])])
}

/// An axis of extent 1 is inserted.
fn expand_dims(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut shape = call.shape(0)?;
    match known(call.only(1))?.and_then(|axis| axis.constant()) {
        Some(axis) => {
            let at = call.axis(axis, shape.len() + 1)?;
            shape.insert(at, 1.into());
        }
        None => shape = call.unknowns(shape.len() + 1),
    }
    one(shape)
}

/// Bytes hold several elements of the last axis. Scales and zero points belong to blocks of an axis.
fn gather_block_quantized(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut data = call.at_least_rank(0, 1)?;
    let in_byte = match call.dtype(0) {
        None => return Err(Stop::Unknown),
        Some(DType::Uint8) => match call.int("bits") {
            Some(bits @ (2 | 4 | 8)) => 8 / bits,
            Some(bits) => return parameter(format!("`bits` is {bits}")),
            None => return Err(Stop::Unknown),
        },
        Some(_) => 1,
    };
    if let Some(last) = data.pop() {
        data.push(call.mul(&last, &in_byte.into()));
    }
    let gathered = call.axis(call.int("gather_axis").unwrap_or(0), data.len())?;
    let blocked = call.axis(call.int("quantize_axis").unwrap_or(1), data.len())?;
    if let (Some(scales), Some(block @ 1..)) = (known(call.shape(2))?, call.int("block_size")) {
        if scales.len() != data.len() {
            return call.wrong_rank(2, scales.len(), &data.len().to_string());
        }
        let blocks = call.ceil_div(&data[blocked], block);
        for (at, (scale, extent)) in scales.iter().zip(&data).enumerate() {
            let expected = if at == blocked { &blocks } else { extent };
            if at == blocked || !call.simple(scale).is(1) {
                call.equal(scale, expected, "extents of the scale and of the blocks,")?;
            }
        }
    }
    let (least, end) = (negative(&data[gathered]), data[gathered].clone());
    // An index outside gives zeros.
    call.drawn_within(1, &least, &end);
    let indices = call.shape(1)?;
    one([&data[..gathered], &indices, &data[gathered + 1..]].concat())
}

/// The tokens of the strings are on a new axis, unless there is no string.
fn tokenizer(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut shape = call.at_least_rank(0, 1)?;
    if shape.len() > 2 {
        return call.wrong_rank(0, shape.len(), "1 or 2");
    }
    let strings = call.product(&shape);
    match call.state.symbols.bounds(&strings) {
        (_, 0) => {
            shape.pop();
            shape.push(0.into());
        }
        (1.., _) => shape.push(call.unknown()),
        _ => return Err(Stop::Unknown),
    }
    one(shape)
}

/// The slices of an axis, whose elements are on a new last axis.
fn unfold_tensor(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut shape = call.at_least_rank(0, 1)?;
    let at = call.axis(call.int("dim").unwrap_or(-1), shape.len())?;
    let (size, step): (Expr, Expr) = (positive(call, "size")?.into(), positive(call, "step")?.into());
    call.at_least(&shape[at], &size, "the extent of the axis of slices")?;
    let rest = call.sub(&shape[at], &size);
    let steps = call.floor_div(&rest, &step);
    shape[at] = call.add(&steps, &1.into());
    shape.push(size);
    one(shape)
}
