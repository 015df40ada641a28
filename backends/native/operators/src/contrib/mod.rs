//! Operators that ONNX Runtime adds, in its domain `com.microsoft` and in that of ONNX: compositions of
//! operators of ONNX. docs/contrib.md has the interpretations where their text is silent.
//!
//! Floats of 16 bits are computed in 32, so only results are rounded.

mod activation;
mod attention;
mod convolution;
mod crop;
mod delta_net;
mod elementwise;
pub mod experts;
mod group_query;
mod heads;
mod integer;
mod inverse;
mod linear_attention;
mod lstm;
mod mask;
mod matrices;
mod n_bits;
mod normalization;
mod quantized;
mod rotary;
mod standard;

use crate::Row;
use crate::compose::Compose;

/// The rows of all files.
pub const ROWS: &[&[Row]] = &[
    attention::ROWS,
    convolution::ROWS,
    crop::ROWS,
    delta_net::ROWS,
    elementwise::ROWS,
    experts::ROWS,
    group_query::ROWS,
    integer::ROWS,
    inverse::ROWS,
    linear_attention::ROWS,
    lstm::ROWS,
    matrices::ROWS,
    n_bits::ROWS,
    normalization::ROWS,
    quantized::ROWS,
    rotary::ROWS,
    standard::ROWS,
];

/// Makes a row of the domain of ONNX Runtime.
const fn contrib(name: &'static str, compose: Compose) -> Row {
    super::composed(onnx_schema::CONTRIB_DOMAIN, name, compose)
}
