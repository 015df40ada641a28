//! Convolutions, and the geometry of windows, which poolings share.

mod causal;
mod col2im;
mod conv;
mod deform;
mod transposed;
mod transposition;
mod window;

use super::Row;

pub const ROWS: &[&[Row]] = &[
    causal::ROWS,
    col2im::ROWS,
    conv::ROWS,
    deform::ROWS,
    transposed::ROWS,
];
pub use conv::{check_filters, integer_convolution};
pub use transposition::Transposition;
pub use window::{Rounding, Window, pads, steps, two_axes};
