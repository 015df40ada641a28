//! Sequences and optionals.

mod list;
mod optional;

use super::Row;

pub const ROWS: &[&[Row]] = &[list::ROWS, optional::ROWS];
