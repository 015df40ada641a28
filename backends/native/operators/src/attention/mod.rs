//! Attention, linear attention and rotary embedding.

mod dot_product;
mod linear;
mod rotary;

use super::Row;

pub use dot_product::agree;

pub const ROWS: &[&[Row]] = &[dot_product::ROWS, linear::ROWS, rotary::ROWS];
