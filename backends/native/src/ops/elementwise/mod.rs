//! Elementwise operators: arithmetic, comparison, logic, bits, functions of one variable, activations,
//! selection.

pub mod activation;
mod arithmetic;
mod bits;
mod compare;
mod select;
mod unary;

use super::Row;

pub const ROWS: &[&[Row]] = &[
    activation::ROWS,
    arithmetic::ROWS,
    bits::ROWS,
    compare::ROWS,
    select::ROWS,
    unary::ROWS,
];
