//! Products of matrices: MatMul, Gemm, MatMulInteger, Einsum, Det.

mod determinant;
mod einsum;
mod gemm;
mod matmul;

use super::Row;

pub const ROWS: &[&[Row]] = &[determinant::ROWS, einsum::ROWS, gemm::ROWS, matmul::ROWS];
pub use matmul::{MatMulShape, quantized_product, without_zero_point};
