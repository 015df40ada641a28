//! IsInf — whether the element is infinite, of the signs that `detect_negative` and `detect_positive` select.
//!
//! Float8E4M3FN, Float8E4M3FNUZ and Float8E5M2FNUZ have no infinity: false throughout.

use super::classify::classify;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op("IsInf", &[v(10, First, is_inf), v(20, TypesOnly, is_inf)]);

fn is_inf(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (negative, positive) = (call.flag("detect_negative")?, call.flag("detect_positive")?);
    classify(call, |x| {
        (negative && x == f64::NEG_INFINITY) || (positive && x == f64::INFINITY)
    })
}
