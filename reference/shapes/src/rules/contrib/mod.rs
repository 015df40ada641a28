//! The operators that ONNX Runtime adds, in its own domain and in that of ONNX. The texts of their schemas
//! are the source; where they are silent, the extents are those that `onnx-operators` computes.

mod attention;
mod elementwise;
mod images;
mod indexing;
mod matrices;
mod normalization;
mod packed;

use super::Row;
use super::quantization::single;
use crate::call::Call;
use crate::extent::Expr;
use crate::finding::{Outcome, known};

/// The families of the domain `com.microsoft`.
pub(super) const FAMILIES: &[&[Row]] = &[
    attention::ROWS,
    elementwise::ROWS,
    images::ROWS,
    indexing::ROWS,
    matrices::ROWS,
    normalization::ROWS,
    packed::ROWS,
];

/// The families that ONNX Runtime adds to the domain of ONNX.
pub(super) const STANDARD: &[&[Row]] = &[normalization::STANDARD, images::STANDARD];

/// An input, if it is given and its rank is known, has this many elements on its only axis.
fn vector(call: &mut Call<'_, '_>, at: usize, length: &Expr, what: &'static str) -> Outcome<()> {
    if let Some([found]) = known(call.ranked::<1>(at))? {
        call.equal(&found, length, what)?;
    }
    Ok(())
}
