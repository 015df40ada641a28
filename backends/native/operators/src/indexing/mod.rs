//! Reading and writing elements by index.

mod gather;
mod onehot;
mod scatter;

use super::Row;

pub use gather::index;
pub use onehot::whole;

pub const ROWS: &[&[Row]] = &[gather::ROWS, onehot::ROWS, scatter::ROWS];
