//! Kernels.
pub mod attention;
pub mod conv;
pub mod elementwise;
mod epilogue;
mod error;
pub mod gemm;
pub mod half;
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
