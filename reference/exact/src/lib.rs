//! Correct rounding: what an elementwise function gives if it is evaluated exactly and rounded once.
//!
//! [`FUNCTIONS`] are the unary operators with an evaluation in 320 bits; [`Format`] rounds a real number to a binary format, to nearest,
//! ties to even. [`correctly_rounded`] joins them by Ziv's strategy: an evaluation in double decides where all numbers within its
//! error round alike, and only the others are evaluated in 320 bits.
//!
//! It links no operator: it is the standard that operators and backends are held against.

mod format;
mod functions;
mod ziv;

pub use astro_float_num::{BigFloat, Consts};
pub use format::{BF16, F16, F32, F64, Format};
pub use functions::{BITS, FUNCTIONS, Function, NEAREST, number};
pub use ziv::correctly_rounded;
