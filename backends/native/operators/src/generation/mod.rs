//! Operators that generate values: Constant, ConstantOfShape, Range, windows.

mod constant;
mod range;
mod window;

use super::Row;

pub const ROWS: &[&[Row]] = &[constant::ROWS, range::ROWS, window::ROWS];
