//! The operators of ONNX, one file each, at every version.
//!
//! # The way through it
//! - [`frame`]: what an operator file is written against: [`OpDef`](frame::OpDef) with a row for every version,
//!   [`Call`](frame::Call) with inputs and attributes, [`OpError`](frame::OpError).
//! - [`shared`]: what several chapters share (axes, broadcasting).
//! - The chapters follow ONNX's own (`onnx/defs/…`): math, nn, tensor, logical, reduction, rnn, sequence, optional,
//!   text, image, quantization, generator, controlflow, objectdetection, ml, preview, training. In each, a file with a
//!   `pub const OP` is an operator; a file without is a core that several operators of the chapter share.
//!
//! # Rules
//! - No operator asks for its opset. What differs between versions is two functions over one core with explicit parameters.
//! - Arity, type sets and attribute defaults come from the schema of the version; no operator repeats them.
//! - Real arithmetic happens in f64, compensated for f64 itself, and is rounded once; integers wrap as the specification
//!   says. Each file states its intermediate precision.
//! - A combination to which the specification gives no meaning is an error, never a guess.
//!
//! # What it is not
//! It does not bind nodes to versions, hold scopes or check types: that is `onnx-interpreter`. It knows nothing of files.
//!
//! # Adding an operator
//! Write its file; run `cargo xtask generate index`, which lists the files of each chapter in its `mod.rs`.

pub mod frame;
pub mod shared;

#[cfg(test)]
mod accuracy;
mod controlflow;
mod generator;
mod image;
mod logical;
mod math;
mod ml;
mod nn;
mod objectdetection;
mod optional;
mod preview;
mod quantization;
mod reduction;
mod rnn;
mod sequence;
mod tensor;
mod text;
mod training;

use frame::OpDef;

/// Every operator, chapter by chapter.
pub fn all() -> impl Iterator<Item = &'static OpDef> {
    let chapters = [
        controlflow::OPERATORS,
        generator::OPERATORS,
        image::OPERATORS,
        logical::OPERATORS,
        math::OPERATORS,
        ml::OPERATORS,
        nn::OPERATORS,
        objectdetection::OPERATORS,
        optional::OPERATORS,
        preview::OPERATORS,
        quantization::OPERATORS,
        reduction::OPERATORS,
        rnn::OPERATORS,
        sequence::OPERATORS,
        tensor::OPERATORS,
        text::OPERATORS,
        training::OPERATORS,
    ];
    chapters.into_iter().flatten().copied()
}
