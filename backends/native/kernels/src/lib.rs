//! Kernels of the native backend: what turns numbers into numbers, fast.
//!
//! This crate knows slices, sizes and strides. It does not know ONNX, graphs, names or shapes of operators: what an
//! attribute means, which kernel a node becomes and in which layout its tensors stand is `backend-native`'s
//! business. It depends on no other crate of the workspace.
//!
//! # The way through
//!
//! - [`Isa`] is the instruction set, found at run time: AVX-512, AVX2 with FMA, or plain Rust. `simd` puts the three
//!   behind one trait; a kernel is written once, generic over it.
//! - [`Pool`] holds the threads and the instruction set; every kernel takes one. Work is cut statically, and no result
//!   depends on the number of threads.
//! - [`gemm`] is the heart: one micro-kernel, which keeps a tile of sums in registers while it walks over packed
//!   weights. Matrix products, [`attention`] and all of [`conv`] but the depthwise kind run on it.
//! - [`Epilogue`] is what products and convolutions do to a sum before they store it: bias, residual, [`Activation`].
//! - [`conv`] works on the blocked layout (`[batch][⌈channels / c⌉][height][width][c]`, `c` = [`Isa::lanes`]), between
//!   which and the plain one [`layout`] converts. What fills up the last block is zero, and every kernel that writes
//!   the layout keeps it so.
//! - [`elementwise`], [`reduce`], [`norm`], [`pool`], [`resize`] are rows and images of single values; their elementary
//!   functions state their error in ULP.
//! - [`int8`] multiplies bytes, exactly, and knows what else happens to them between f32 and f32: scales, poolings, layouts;
//!   [`half`] converts narrow floating-point formats at the edges.
//!
//! # Errors of elementary functions
//!
//! Largest error over all 2³² arguments, in units of the last place of the f32 result, on any instruction set (in brackets
//! what was measured): `exp` below 1.02 (1.010), `log` 1 (0.822), `erf` 1.5 (1.309), `tanh` 2.5 (2.424), `sigmoid` 2.5,
//! `elu` 1, `softplus` 2; `gelu` below 7 (in its far negative tail); `swish` below 3, and below 64 where its sigmoid is
//! subnormal. `examples/ulp.rs` measures them, a test samples them.
//!
//! # Safety
//!
//! The public interface is safe: each entry checks the lengths of its slices once and answers a [`KernelError`] before
//! anything is written. `unsafe` stands in kernel files only, each block with its argument; a value of a SIMD type is the
//! proof that the processor has the instructions.

#![allow(
    clippy::excessive_precision,
    reason = "coefficients stand as the fit gave them, and are rounded by the compiler"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "an index into several arrays at once says more than zipped iterators"
)]

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
pub mod pool;
pub mod reduce;
pub mod resize;
mod scratch;
mod simd;
mod thread;

pub use epilogue::{Activation, Bias, Epilogue, Residual};
pub use error::{KernelError, Result};
pub use isa::Isa;
pub use memory::{ALIGNMENT, Buffer, Zeroable};
pub use thread::{Pool, PoolOptions};
