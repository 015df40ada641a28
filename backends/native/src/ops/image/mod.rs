//! Sampling: Resize, Upsample, GridSample.

mod grid;
mod interpolate;
mod resize;

use super::Row;

pub const ROWS: &[&[Row]] = &[grid::ROWS, resize::ROWS];
pub use resize::between;
