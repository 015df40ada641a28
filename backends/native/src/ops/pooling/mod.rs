//! Poolings: the greatest, the mean or the norm of a window.

mod average;
mod max;
mod roi;

use super::Row;

pub const ROWS: &[&[Row]] = &[average::ROWS, max::ROWS, roi::ROWS];
