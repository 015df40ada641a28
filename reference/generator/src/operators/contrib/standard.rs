//! Operators that move or count elements, sample images, or repeat an operator of ONNX.

use onnx_tensor::{DType, Tensor};

use super::{Declaration, contrib, flag, int32, text};
use crate::families::{full, shape, window};
use crate::{Domain, Draft, Made};

pub(in super::super) const OPERATORS: &[Declaration] = &[
    contrib("BifurcationDetector", |d| {
        let ids = |d: &mut Draft, count: usize| -> Vec<i64> {
            (0..count).map(|_| d.draws.below(3) as i64).collect()
        };
        let (source, current) = (ids(d, 4), ids(d, 3));
        d.give(Tensor::vector(source));
        d.give(Tensor::vector(current));
        d.give(Tensor::vector(vec![1_i64]));
        if d.whether("prediction") {
            let predicted = ids(d, 4);
            d.give(Tensor::vector(predicted));
        }
        Ok(())
    }),
    contrib("ConvTransposeWithDynamicPads", |d| {
        let window = window(d, false)?;
        let (channels, maps) = (1 + d.draws.below(3), 1 + d.draws.below(3));
        d.input(&[&[1, channels], &window.input[..]].concat(), Domain::MODERATE)?;
        d.input(
            &[&[channels, maps], &window.kernel[..]].concat(),
            Domain::MODERATE,
        )?;
        let pads = vec![0_i64; 2 * window.kernel.len()];
        d.give(Tensor::vector(pads));
        d.optional("bias", &[maps], Domain::MODERATE)?;
        Ok(())
    }),
    contrib("CropAndResize", |d| {
        text(d, "mode", &["bilinear", "nearest"]);
        d.scalar("extrapolation_value", &[2.5]);
        let (height, width) = (1 + d.draws.below(4), 1 + d.draws.below(4));
        d.input(&[2, 2, height, width], Domain::MODERATE)?;
        d.input(&[2, 4], Domain::from(-0.25, 1.25))?;
        int32(d, &[2], &[1, 0])?;
        let size = [1 + d.draws.below(3), 1 + d.draws.below(3)];
        int32(d, &[2], &size)
    }),
    contrib("ExpandDims", |d| {
        let shape = shape(d, 0, 4);
        d.input(&shape, Domain::ANY)?;
        let back = d.pick("axis", &["front", "back"]) == "back";
        d.give(Tensor::scalar(if back { -1_i32 } else { 0 }));
        Ok(())
    }),
    contrib("GatherBlockQuantized", gather),
    contrib("GatherND", |d| {
        let shape = full(d, 2, 3);
        d.input(&shape, Domain::ANY)?;
        let places: Vec<i64> = (0..3).map(|_| d.draws.below(shape[0]) as i64).collect();
        d.shaped_numbers(&[3, 1], &places)
    }),
    contrib("GridSample", |d| {
        let dtype = d.dtype("T1")?;
        d.require(dtype == d.dtype("T2")?, "the result has the type of the input")?;
        text(d, "mode", &["bilinear", "nearest", "bicubic"]);
        text(d, "padding_mode", &["zeros", "border", "reflection"]);
        flag(d, "align_corners");
        d.input(&[1, 2, 3, 4], Domain::MODERATE)?;
        d.input(&[1, 2, 3, 2], Domain::from(-1.25, 1.25))?;
        Ok(())
    }),
    contrib("NGramRepeatBlock", |d| {
        let (batch, length) = (1 + d.draws.below(2), 3 + d.draws.below(4));
        let size = 1 + d.draws.below(3);
        d.int("ngram_size", size as i64);
        let ids: Vec<i64> = (0..batch * length).map(|_| d.draws.below(3) as i64).collect();
        d.give(Tensor::new(&[batch, length], ids)?);
        d.input(&[batch, 4], Domain::MODERATE)?;
        Ok(())
    }),
    contrib("Pad", |d| {
        let shape = full(d, 1, 3);
        let mode = text(d, "mode", &["constant", "edge"]);
        d.input(&shape, Domain::ANY)?;
        let pads: Vec<i64> = (0..2 * shape.len()).map(|_| d.draws.below(3) as i64).collect();
        match d.pick("pads", &["vector", "row"]) {
            "row" => d.give(Tensor::new(&[1, pads.len()], pads)?),
            _ => d.give(Tensor::vector(pads)),
        }
        if mode == "constant" {
            d.optional("value", &[], Domain::MODERATE)?;
        }
        Ok(())
    }),
    contrib("Range", |d| {
        d.number(1)?;
        d.number(7)?;
        if d.whether("step") {
            let step = 1 + d.draws.below(3) as i64;
            d.number(step)?;
        }
        Ok(())
    }),
    contrib("Tokenizer", |d| {
        let marked = d.pick("mark", &["0", "1"]) == "1";
        d.int("mark", i64::from(marked));
        d.int("mincharnum", 1);
        d.text("pad_value", "#");
        match d.pick("tokens", &["characters", "separators", "words"]) {
            "characters" => d.texts("separators", &[""]),
            "separators" => d.texts("separators", &[" ", "b|bc", "[.,]+"]),
            _ => d.text("tokenexp", "[a-z]+|[A-Z][a-z]*"),
        }
        let texts = ["abc, Def", "", "é b.c", "bcb Bc", "  ", "x..y"];
        let count = 1 + d.draws.below(4);
        let texts = (0..count).map(|_| texts[d.draws.below(texts.len())].to_owned());
        let texts = texts.collect();
        let shape: &[usize] = match d.pick("axes", &["one", "two"]) {
            "one" => &[count],
            _ => &[1, count],
        };
        d.give(Tensor::new::<String>(shape, texts)?);
        Ok(())
    }),
    contrib("Trilu", |d| {
        let shape = shape(d, 2, 4);
        flag(d, "upper");
        d.input(&shape, Domain::ANY)?;
        if d.whether("k") {
            let k = d.draws.between(-2, 2);
            d.give(Tensor::scalar(k));
        }
        Ok(())
    }),
    contrib("UnfoldTensor", |d| {
        let mut shape = full(d, 1, 3);
        let axis = d.draws.below(shape.len());
        shape[axis] += 2;
        d.int("dim", axis as i64);
        d.int("size", 2);
        if d.pick("step", &["absent", "two"]) == "two" {
            d.int("step", 2);
        }
        d.input(&shape, Domain::ANY)?;
        Ok(())
    }),
    contrib("Unique", |d| {
        let count = d.draws.below(6);
        d.input(&[count], Domain::whole(0.0, 3.0))?;
        Ok(())
    }),
    contrib("DynamicQuantizeLSTM", dynamic_lstm),
];

/// Nibbles of a type of their own, or packed into bytes.
fn gather(d: &mut Draft) -> Made {
    let dtype = d.dtype("T1")?;
    let integral = matches!(dtype, DType::Uint8 | DType::Int4 | DType::Uint4);
    let (rows, blocks) = (1 + d.draws.below(4), 1 + d.draws.below(2));
    d.int("block_size", 16);
    let mut per_byte = 1;
    if dtype == DType::Uint8 {
        let bits: usize = d.pick("bits", &["4", "8", "2"]).parse().unwrap_or(4);
        d.int("bits", bits as i64);
        per_byte = 8 / bits;
    }
    d.input(&[rows, 16 * blocks / per_byte], Domain::ANY)?;
    let indices: Vec<i64> = (0..3).map(|_| d.draws.below(rows) as i64).collect();
    d.numbers(&indices)?;
    super::super::matrices::scale(d, &[rows, blocks])?;
    if integral {
        d.optional("zero points", &[rows, blocks.div_ceil(per_byte)], Domain::ANY)?;
    }
    Ok(())
}

/// A batch of 1: ONNX Runtime quantizes the states of parts of a batch, one for each thread.
fn dynamic_lstm(d: &mut Draft) -> Made {
    let direction = text(d, "direction", &["forward", "reverse", "bidirectional"]);
    let directions = if direction == "bidirectional" { 2 } else { 1 };
    let (length, input, hidden) = (1 + d.draws.below(3), 1 + d.draws.below(3), 1 + d.draws.below(3));
    d.int("hidden_size", hidden as i64);
    flag(d, "input_forget");
    d.input(&[length, 1, input], Domain::UNIT)?;
    d.input(&[directions, input, 4 * hidden], Domain::ANY)?;
    d.input(&[directions, hidden, 4 * hidden], Domain::ANY)?;
    d.optional("bias", &[directions, 8 * hidden], Domain::UNIT)?;
    d.skip();
    d.optional("first state", &[directions, 1, hidden], Domain::UNIT)?;
    d.optional("first cell", &[directions, 1, hidden], Domain::UNIT)?;
    d.optional("peepholes", &[directions, 3 * hidden], Domain::UNIT)?;
    for _ in 0..2 {
        let scales = d.tensor(
            DType::Float,
            &[directions],
            Domain::from(0.001, 0.01).without_zero(),
        )?;
        d.give(scales);
        d.input(&[directions], Domain::from(-8.0, 8.0))?;
    }
    Ok(())
}
