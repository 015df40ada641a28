//! Operators that sort or select: TopK, Unique, NonMaxSuppression.

mod keys;
mod suppression;
mod topk;
mod unique;

use super::Row;

pub const ROWS: &[&[Row]] = &[suppression::ROWS, topk::ROWS, unique::ROWS];
