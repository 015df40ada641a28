//! Correct rounding: the value of an elementwise function, evaluated exactly and rounded once.
//!
//! [`FUNCTIONS`] are the unary operators with an evaluation in 320 bits; [`Format`] rounds a real
//! number to a binary format, to nearest, ties to even. [`correctly_rounded`] combines both by
//! Ziv's strategy: an evaluation in double decides if all numbers within its error round to the
//! same number, and only the other arguments are evaluated in 320 bits.
//!
//! This crate links no operator: operators and backends are compared with it.

mod fast;
mod format;
mod functions;
mod ziv;

pub use astro_float_num::{BigFloat, Consts};
pub use format::{BF16, F16, F32, F64, Format};
pub use functions::{BITS, FUNCTIONS, Function, NEAREST, number};
pub use ziv::correctly_rounded;
