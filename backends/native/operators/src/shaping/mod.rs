//! Operators on shapes, and operators that move elements without changing them.

mod blocks;
mod concat;
mod expand;
mod pad;
mod shape;
mod slice;
mod transpose;

use super::Row;

pub const ROWS: &[&[Row]] = &[
    blocks::ROWS,
    concat::ROWS,
    expand::ROWS,
    pad::ROWS,
    shape::ROWS,
    slice::ROWS,
    transpose::ROWS,
];
pub use concat::{concat, equal, split};
pub use pad::{Padded, padded, pads_of, spread as spread_pads, zero};
pub use shape::{listed_axes, reshaped};
pub use slice::{Selected, resolve as resolve_slice, selected};
pub use transpose::transpose;
