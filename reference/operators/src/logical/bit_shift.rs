//! BitShift — shifts the bits of an integer, elementwise.
//!
//! Version 28 adds signed types, whose right shift copies the sign bit, and defines a shift by a negative
//! amount or by the bit width or more: only copies of the sign bit (RIGHT) or zeros (LEFT). Version 11 does
//! not define the latter. Interpretation: the same, because no bit is left.

use onnx_tensor::{Int, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::Multidirectional;
use crate::shared::elementwise::binary;

pub const OP: OpDef = op(
    "BitShift",
    &[v(11, First, bit_shift), v(28, TypesOnly, bit_shift)],
);

fn bit_shift(call: &Call<'_>) -> Result<Outputs, OpError> {
    let shift = match call.string("direction")? {
        "LEFT" => |value: i128, amount: u32| value << amount,
        "RIGHT" => |value: i128, amount: u32| value >> amount,
        other => {
            return Err(OpError::invalid(format!(
                "`direction` is `{other}`, expected `LEFT` or `RIGHT`"
            )));
        }
    };
    dispatch!(int, call.dtype(0)?, T => {
        binary(call, Multidirectional, |x: &T, y: &T| {
            // 64 shifts out every bit of every type, and i128 still holds the widest result.
            let amount = u32::try_from(y.to_i128()).ok().filter(|&amount| amount < T::BITS).unwrap_or(64);
            Ok(T::wrap_i128(shift(x.to_i128(), amount)))
        })
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// The rules of version 28 for signed values and for amounts outside [0, 8).
    #[test]
    fn signed_values_and_amounts_out_of_range() {
        let x = Tensor::vector(vec![-128_i8, 65, -1, -1, -1, 5]);
        let amounts = Tensor::vector(vec![1_i8, 1, 8, -1, 7, -1]);
        for (direction, expected) in [
            ("RIGHT", [-64_i8, 32, -1, -1, -1, 0]),
            ("LEFT", [0, -126, 0, 0, -128, 0]),
        ] {
            let direction = [attribute("direction", direction)];
            let expected = [Tensor::vector(expected.to_vec())];
            exact(
                ("", "BitShift", 28),
                &[x.clone(), amounts.clone()],
                &direction,
                &expected,
            );
        }
    }
}
