//! Reading and writing elements by index.

mod gather;
mod onehot;
mod places;
mod scatter;

use super::Row;

pub use gather::index;
pub use onehot::whole;
pub use places::Places;
pub use scatter::scatter_floats;

pub const ROWS: &[&[Row]] = &[gather::ROWS, onehot::ROWS, scatter::ROWS];
