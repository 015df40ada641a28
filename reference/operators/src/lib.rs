//! The operators of ONNX, one file each, at every version.
//!
//! # Overview of modules
//! - [`frame`]: the framework for operator files: [`OpDef`](frame::OpDef) with a row for every version,
//!   [`Call`](frame::Call) with inputs and attributes, [`OpError`](frame::OpError).
//! - [`shared`]: code that several groups of operators share (axes, broadcasting).
//! - `contrib`: the operators that ONNX Runtime adds to ONNX.
//! - One module per group of ONNX (`onnx/defs/…`): math, nn, tensor, logical, reduction, rnn, sequence,
//!   optional, text, image, quantization, generator, controlflow, objectdetection, ml, preview, training. A
//!   file with a `pub const OP` is an operator; a file without one is code that several operators of the
//!   group share.
//!
//! # Rules
//! - No operator reads its opset. Two versions that differ are two functions over one core with explicit
//!   parameters.
//! - Arity, type sets and attribute defaults come from the schema of the version; no operator repeats them.
//! - Real arithmetic uses f64 (compensated for f64 tensors) and rounds once; integers wrap as the
//!   specification says. Each file states its intermediate precision.
//! - A combination that the specification leaves undefined is an error, never a guess.
//!
//! # Scope
//! This crate does not bind nodes to versions, hold scopes or check types: `onnx-interpreter` does. It
//! reads no files.
//!
//! # Adding an operator
//! Write its file and run `cargo xtask generate index`, which lists the files of each group in its
//! `mod.rs`.

// Unit tests run the operators of the built crate (`frame::testing`). Nothing is public then, so that of this
// crate only what tests call by name is compiled a second time.
#![cfg_attr(
    test,
    allow(
        dead_code,
        unused_imports,
        reason = "the table of operators is that of the built crate"
    )
)]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "values that tests state need no equal bits"
    )
)]

#[cfg(test)]
mod frame;
#[cfg(not(test))]
pub mod frame;
#[cfg(test)]
mod shared;
#[cfg(not(test))]
pub mod shared;

#[cfg(test)]
mod accuracy;
mod contrib;
mod controlflow;
mod generator;
mod image;
#[cfg(test)]
mod interpolated_integers;
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

#[cfg(not(test))]
pub use contrib::mat_mul_n_bits_weights;
#[cfg(not(test))]
pub use nn::max_pool_windows;

use frame::OpDef;

/// No table: a test that asks for it here means that of the built crate.
#[cfg(test)]
fn all() -> std::iter::Empty<&'static OpDef> {
    panic!("unit tests run the operators of the built crate (`frame::testing`)")
}

/// Every operator, group by group.
#[cfg(not(test))]
pub fn all() -> impl Iterator<Item = &'static OpDef> {
    let chapters = [
        contrib::OPERATORS,
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
