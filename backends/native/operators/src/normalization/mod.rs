//! Normalization by mean and variance, by a norm, by neighbouring channels.

mod batch;
mod layer;
mod local;

use super::Row;

pub const ROWS: &[&[Row]] = &[batch::ROWS, layer::ROWS, local::ROWS];
