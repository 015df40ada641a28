//! Div — elementwise quotient; correctly rounded for floats, truncated toward zero for integers.
//!
//! The quotient of an integer by zero is undefined and is an error; the least integer divided by −1 wraps
//! to itself.

use onnx_arithmetic::pairs::Pair;
use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::{self, Legacy, Multidirectional};
use crate::shared::elementwise::binary;
use crate::shared::pairs::floats;

pub const OP: OpDef = op(
    "Div",
    &[
        v(1, First, |call| quotient(call, Legacy)),
        v(6, TypesOnly, |call| quotient(call, Legacy)),
        v(7, Semantics, |call| quotient(call, Multidirectional)),
        v(13, TypesOnly, |call| quotient(call, Multidirectional)),
        v(14, TypesOnly, |call| quotient(call, Multidirectional)),
    ],
);

fn quotient(call: &Call<'_>, broadcasting: Broadcasting) -> Result<Outputs, OpError> {
    if let Some(outputs) = floats(call, broadcasting, Pair::Div)? {
        return Ok(outputs);
    }
    dispatch!(real, call.dtype(0)?, T => binary(call, broadcasting, |x: &T, y: &T| {
        x.div(*y).ok_or_else(|| OpError::undefined("an integer divided by zero"))
    }))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, values};

    #[test]
    fn integers_truncate_wrap_and_reject_division_by_zero() {
        let (a, b) = (
            Tensor::vector(vec![-7_i8, 7, i8::MIN]),
            Tensor::vector(vec![2_i8, -2, -1]),
        );
        exact(
            ("", "Div", 14),
            &[a, b],
            &[],
            &[Tensor::vector(vec![-3_i8, -3, i8::MIN])],
        );
        refused(
            ("", "Div", 7),
            &values(&[Tensor::scalar(1), Tensor::scalar(0)]),
            &[],
            "divided by zero",
        );
    }
}
