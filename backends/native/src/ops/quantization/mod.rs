//! Quantized values, and operators on them.

mod linear;
mod qlinear;

use super::Row;

pub const ROWS: &[&[Row]] = &[linear::ROWS, qlinear::ROWS];
