//! Kernels.
pub mod conv;
mod epilogue;
mod error;
pub mod gemm;
mod isa;
pub mod layout;
mod math;
mod memory;
mod scratch;
mod simd;
mod thread;

pub use epilogue::{Activation, Bias, Epilogue, Residual};
pub use error::{KernelError, Result};
pub use isa::Isa;
pub use memory::{ALIGNMENT, Buffer, Zeroable};
pub use thread::{Pool, PoolOptions};
