//! RNN, GRU and LSTM.

mod activation;
mod cells;
mod layers;

use super::Row;

pub const ROWS: &[&[Row]] = &[cells::ROWS];
