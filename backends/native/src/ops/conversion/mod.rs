//! From one element type to another: Cast, CastLike, BitCast.

mod bitcast;
mod cast;
mod half;
mod literal;

use super::Row;

pub const ROWS: &[&[Row]] = &[bitcast::ROWS, cast::ROWS];
