//! Attention and rotary embedding.

mod dot_product;
mod rotary;

use super::Row;

pub const ROWS: &[&[Row]] = &[dot_product::ROWS, rotary::ROWS];
