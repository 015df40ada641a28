//! Kernels against plain loops, on every instruction set of this machine.

mod by_channel;
mod byte_pairs;
mod common;
mod conv;
mod gemm;
mod images;
mod int8;
mod math;
mod peak;
mod quantized;
mod recurrent;
mod rows;
mod ulp;
mod volume;
mod windows;
