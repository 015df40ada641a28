//! Sequences and optionals.

mod list;
mod optional;

pub use list::{lengths_of_parts, position as position_in_list};

use super::Row;

pub const ROWS: &[&[Row]] = &[list::ROWS, optional::ROWS];
