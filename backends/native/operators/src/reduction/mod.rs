//! Operators along axes: sums, extremes, softmax, positions of extremes, running sums.

mod arg;
mod cumulative;
mod lines;
mod reduce;
mod softmax;

use super::Row;

pub const ROWS: &[&[Row]] = &[arg::ROWS, cumulative::ROWS, reduce::ROWS, softmax::ROWS];
pub use lines::cut;
pub use reduce::Groups;
pub use softmax::softmax_rows;
