//! Values of ONNX: element types, tensors, and the types built from them.
//!
//! This is the lowest crate of the project. It defines values; it does not know files, graphs, operators or
//! backends.
//!
//! # Contents
//! - [`DType`]: the 28 element types of `TensorProto.DataType`, with their names and widths.
//! - [`minifloat`]: the only place where a real number is rounded to a format narrower than f32 (f16, bf16,
//!   fp8, fp6, fp4, e8m0): once, directly from f64.
//! - [`small_float`], [`small_int`]: newtypes for the formats that Rust does not have ([`F8E4M3Fn`], [`I4`],
//!   …).
//! - [`element`]: the traits that operators are generic over: [`Element`] (any type), [`Real`] (numbers),
//!   [`Float`], [`Int`], [`Accumulate`] (how sums and products are accumulated).
//! - [`Tensor`]: one variant for each element type. Each holds an [`Array`] of `ndarray`, with views,
//!   broadcasting and slicing. It is reference-counted, so cloning a tensor copies no element.
//! - [`SparseTensor`]: a sparse tensor as files store it, and its conversion to a dense tensor.
//! - [`StoredTensor`]: a tensor whose elements stay in a file until they are needed.
//! - [`footprint()`]: the rule that bounds the size of a tensor.
//! - [`Value`] and [`ValueType`]: tensors, sparse tensors, sequences, maps and optionals.
//! - The traits of the crate `approx`, by which tests compare tensors and values.
//! - [`dispatch!`]: maps a [`DType`] known at run time to a Rust type `T`, for a named group of types.
//!
//! # Invariants
//! - An array may be a view with any strides. Code that needs row-major elements calls
//!   [`Tensor::to_standard`].
//! - Two tensors are the same if [`Tensor::same_bits`] says so, which is also their `PartialEq`; `PartialEq`
//!   of floats decides no verdict.
//! - i64 and u64 never pass through f64 in arithmetic, only in an explicit conversion.
//! - A sub-byte element occupies one byte in memory; packing belongs to the file format (`onnx-model`).

mod approximate;
mod dispatch;
mod dtype;
mod error;
mod footprint;
mod halves;
pub mod minifloat;
pub mod small_float;
pub mod small_int;
mod sparse;
mod stored;
mod tensor;
mod value;

pub use dtype::{DType, UnknownDType};
pub use error::TensorError;
pub use footprint::{count, footprint, footprint_bytes};
pub use half::{bf16, f16};
pub use num_complex::{Complex32, Complex64};
pub use small_float::{F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0, RoundMode};
pub use small_int::{I2, I4, U2, U4};
pub use sparse::SparseTensor;
pub use stored::StoredTensor;
pub use tensor::element::{Accumulate, Accumulator, Element, Float, Int, Real};
pub use tensor::{Array, Tensor, element, row_major};
pub use value::{Dim, Map, MapKey, Sequence, Value, ValueType};
