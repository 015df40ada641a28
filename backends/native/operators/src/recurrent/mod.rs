//! RNN, GRU and LSTM.

mod activation;
mod cells;
mod layers;

pub use activation::{Function, activations};

use super::Row;

pub const ROWS: &[&[Row]] = &[cells::ROWS];
