//! Values of ONNX: element types, tensors, and what is built of them.
//!
//! The lowest crate of the project. It knows what a value *is*; it knows nothing of files, graphs, operators or backends.
//!
//! # The way through it
//! - [`DType`]: the 28 element types of `TensorProto.DataType`, with their names and widths.
//! - [`minifloat`]: the one place where a real number becomes a pattern of bits, for f16 and bf16 as well as for
//!   fp8, fp6, fp4 and e8m0. Everything narrower than f32 is rounded here, once, directly from f64.
//! - [`small_float`], [`small_int`]: newtypes for the formats that Rust lacks ([`F8E4M3Fn`], [`I4`], …).
//! - [`element`]: the traits operators are generic over. [`Element`] (can be stored), [`Real`] (is a number),
//!   [`Float`], [`Int`], [`Accumulate`] (how sums and products are carried).
//! - [`Tensor`]: one variant for each element type, each an [`Array`] of `ndarray`, which brings views, broadcasting
//!   and slicing; `Arc` inside, so that cloning a tensor costs nothing.
//! - [`SparseTensor`]: as files store one, and the dense tensor that it stands for.
//! - [`footprint()`]: the one rule by which the size of a tensor is bounded.
//! - [`Value`] and [`ValueType`]: tensors, sparse tensors, sequences, maps and optionals.
//! - [`dispatch!`]: from a [`DType`] known at run time to a Rust type `T`, for a named group of types.
//!
//! # Invariants
//! - An array may be a view with any strides; whoever needs row-major bytes asks for them ([`Tensor::to_standard`]).
//! - Two values are *the same* only by [`Tensor::same_bits`]; `PartialEq` of floats is never used for a verdict.
//! - i64 and u64 never pass through f64 in arithmetic; only an explicit conversion does that.
//! - A sub-byte element occupies one byte in memory; packing is a matter of the file format (`onnx-model`).

mod dispatch;
mod dtype;
pub mod element;
mod error;
mod footprint;
pub mod minifloat;
pub mod small_float;
pub mod small_int;
mod sparse;
mod tensor;
mod value;

pub use dtype::{DType, UnknownDType};
pub use element::{Accumulate, Accumulator, Element, Float, Int, Real};
pub use error::TensorError;
pub use footprint::{count, footprint, footprint_bytes};
pub use half::{bf16, f16};
pub use num_complex::{Complex32, Complex64};
pub use small_float::{F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0, RoundMode};
pub use small_int::{I2, I4, U2, U4};
pub use sparse::SparseTensor;
pub use tensor::{Array, Tensor};
pub use value::{Dim, Map, MapKey, Sequence, Value, ValueType};
