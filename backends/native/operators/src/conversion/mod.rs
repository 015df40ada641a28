//! Conversions of element types: Cast, CastLike, BitCast.

mod bitcast;
mod cast;
mod half;
mod literal;
mod wide;

use super::Row;

pub const ROWS: &[&[Row]] = &[bitcast::ROWS, cast::ROWS];
