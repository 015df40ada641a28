//! Poolings: the maximum, the mean or the norm of a window.

mod average;
mod max;
mod roi;
mod unpool;

use super::Row;

pub use unpool::unpooled;

pub const ROWS: &[&[Row]] = &[average::ROWS, max::ROWS, roi::ROWS, unpool::ROWS];
