//! Values out of attributes: Constant, ConstantOfShape, Range.

mod constant;
mod range;

use super::Row;

pub const ROWS: &[&[Row]] = &[constant::ROWS, range::ROWS];
