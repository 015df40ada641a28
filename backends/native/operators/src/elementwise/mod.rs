//! Elementwise operators: arithmetic, comparison, logic, bits, functions of one variable, activations,
//! selection.

mod activation;
mod arithmetic;
mod bits;
mod compare;
mod select;
mod unary;

use super::Row;

pub use unary::map_floats;

pub const ROWS: &[&[Row]] = &[
    activation::ROWS,
    arithmetic::ROWS,
    bits::ROWS,
    compare::ROWS,
    select::ROWS,
    unary::ROWS,
];
