//! Shrink — x + bias below −lambd, x − bias above lambd, else 0; sums correctly rounded.
//!
//! Integers are compared and shifted exactly. If `bias` is not integral, the result is truncated toward
//! zero, like Cast, and wraps (the specification does not say how the sum becomes an integer). NaN becomes
//! 0, as the text says.

use onnx_tensor::{Int, dispatch};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::{float, map};

pub const OP: OpDef = op("Shrink", &[v(9, First, shrink)]);

fn shrink(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (bias, lambd) = (f64::from(call.float("bias")?), f64::from(call.float("lambd")?));
    if call.dtype(0)?.is_float() {
        return float(call, |x| match x {
            _ if x < -lambd => x + bias,
            _ if x > lambd => x - bias,
            _ => 0.0,
        });
    }
    if !bias.is_finite() || lambd.is_nan() {
        return Err(OpError::undefined(format!(
            "bias {bias} and lambd {lambd} with integer tensors"
        )));
    }
    dispatch!(int, call.dtype(0)?, T => map(call, |x: &T| T::wrap_i128(shrink_integer(x.to_i128(), bias, lambd))))
}

fn shrink_integer(x: i128, bias: f64, lambd: f64) -> i128 {
    // An integer is below −lambd if it is below the next greater integer; the conversion saturates beyond
    // every type.
    if x < (-lambd).ceil() as i128 {
        truncated_sum(x, bias)
    } else if x > lambd.floor() as i128 {
        truncated_sum(x, -bias)
    } else {
        0
    }
}

/// x + y, truncated toward zero.
fn truncated_sum(x: i128, y: f64) -> i128 {
    let whole = x.saturating_add(y.trunc() as i128);
    let rest = y.fract();
    if rest > 0.0 && whole < 0 {
        whole + 1
    } else if rest < 0.0 && whole > 0 {
        whole - 1
    } else {
        whole
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    #[test]
    fn integers_shift_exactly_and_truncate() {
        let x = Tensor::vector(vec![i64::MAX, 3, 2, 0, -2, -3]);
        let attributes = [attribute("lambd", 2.0), attribute("bias", 1.5)];
        exact(
            ("", "Shrink", 9),
            &[x],
            &attributes,
            &[Tensor::vector(vec![i64::MAX - 2, 1, 0, 0, 0, -1])],
        );
    }
}
