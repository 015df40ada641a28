//! The loops of the reference: sums of products, and functions of real numbers, over slices.
//!
//! This crate knows numbers and slices. It does not know ONNX, tensors or operators. Each function states
//! the order in which it adds; that order depends neither on the instruction set ([`isa`]) nor on the
//! number of threads ([`threads`]).
//!
//! - [`product`] multiplies matrices, and what can be read as one (the patches of a convolution).
//! - [`functions`] evaluates functions of one number.
//! - [`moments`] has means, variances, and what is normalised by them.
//! - [`errors`] has the sizes of the rounding errors of compositions.
//! - [`quantized`] converts bytes.
//! - [`nan`] has the one NaN of the results.
//! - [`sums`] adds numbers and their squares.
//! - [`perturbation`] moves numbers at random.
//! - [`element`] widens elements to factors, and rounds sums to elements.
#![allow(
    clippy::needless_range_loop,
    reason = "an index into several arrays is clearer than zipped iterators"
)]

pub mod errors;
pub mod functions;
mod isa;
pub mod moments;
pub mod nan;
pub mod pairs;
pub mod perturbation;
pub mod product;
pub mod quantized;
pub mod sums;
pub mod threads;
pub mod windows;

pub use product::element;
pub use product::element::Element;
