//! Quantized values, and operators on them.

mod bytes;
mod linear;
mod qlinear;

use super::Row;

pub use bytes::{Quantized, Sums, convolution as byte_convolution, product as byte_product};

pub const ROWS: &[&[Row]] = &[linear::ROWS, qlinear::ROWS];
