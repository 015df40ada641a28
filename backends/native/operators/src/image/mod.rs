//! Sampling of images: Resize, Upsample, GridSample, AffineGrid.

mod affine;
mod extents;
mod grid;
mod interpolate;
mod number;
mod resize;

use super::Row;

pub const ROWS: &[&[Row]] = &[affine::ROWS, grid::ROWS, resize::ROWS];
pub use grid::{Sampled, Sampler};
pub use resize::{Neighbours, between, neighbours};
