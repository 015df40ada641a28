//! Numeric kernels of the native backend.
//!
//! This crate knows slices, sizes and strides. It does not know ONNX, graphs, names or shapes of operators:
//! `backend-native` interprets attributes, selects the kernel of a node, and selects the layout of its
//! tensors. It depends on no other crate of the workspace.
//!
//! # Contents
//!
//! - [`Isa`] is the instruction set, detected at run time: AVX-512, AVX2 with FMA, or plain Rust. `simd` has
//!   one trait for the three; each kernel is written once, generic over it.
//! - [`Pool`] holds the threads and the instruction set; every kernel takes one. Work is divided statically,
//!   and no result depends on the number of threads.
//! - [`gemm`] has the micro-kernel, which keeps a tile of sums in registers while it iterates over packed
//!   weights. Matrix products, [`attention`] and all of [`conv`] except the depthwise convolution use it.
//! - [`Epilogue`] defines the operations on a sum before it is stored: bias, residual, [`Activation`].
//! - [`conv`] works on the blocked layout (`[batch][⌈channels / c⌉][height][width][c]`, `c` =
//!   [`Isa::lanes`]); [`layout`] converts from and to the plain layout. The padding of the last block is
//!   zero, and every kernel that writes the layout keeps it zero.
//! - [`elementwise`], [`reduce`], [`norm`], [`pool`], [`resize`] process rows and images; the errors of their
//!   elementary functions are stated in ULP.
//! - [`recurrent`] runs RNN, GRU and LSTM over whole sequences.
//! - [`peak`] measures the peak rates of the processor, with which kernels are compared.
//! - [`int8`] multiplies bytes exactly, and has the other operations on bytes: scales, poolings, layouts.
//!   [`half`] converts narrow floating-point formats.
//! - [`keep_freed_memory`] sets the allocator of a worker.
//!
//! # Errors of elementary functions
//!
//! The largest error over all 2³² arguments, in units in the last place (ULP) of the f32 result, on any
//! instruction set (measured value in brackets): `exp` below 1.02 (1.010), `log` 1 (0.822), `erf` 1.5
//! (1.309), `tanh` 2.5 (2.424), `sigmoid` 2.5, `elu` 1, `celu` 2.5, `softplus` 2, `selu` 2.5, `mish` 4 (64
//! where its exponential is subnormal); `gelu` below 7 (in its far negative tail); `swish` below 3, and
//! below 64 where its sigmoid is subnormal; `sin`, `cos`, `asin`, `acos` and `atan` 0.501 (on the sample).
//! `examples/ulp.rs` measures them, a test samples them.
//!
//! # Safety
//!
//! The public interface is safe: each function checks the lengths of its slices once and returns a
//! [`KernelError`] before it writes. Only kernel files contain `unsafe`, each block with its argument; a
//! value of a SIMD type is the proof that the processor has the instructions.

#![allow(
    clippy::excessive_precision,
    reason = "coefficients are the results of a fit, rounded by the compiler"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "an index into several arrays is clearer than zipped iterators"
)]

mod allocator;
pub mod attention;
pub mod conv;
pub mod elementwise;
mod epilogue;
mod error;
pub mod gemm;
pub mod half;
pub mod int8;
mod isa;
pub mod layout;
mod math;
mod memory;
pub mod norm;
pub mod peak;
pub mod pool;
pub mod recurrent;
pub mod reduce;
pub mod resize;
mod scratch;
mod simd;
mod thread;

pub use allocator::keep_freed_memory;
pub use epilogue::{Activation, Bias, Epilogue, Residual};
pub use error::{KernelError, Result};
pub use isa::Isa;
pub use memory::{ALIGNMENT, Buffer, Zeroable};
pub use thread::{Pool, PoolOptions};
