//! Sigmoid — 1 / (1 + e⁻ˣ), elementwise; evaluated in f64 and rounded once.

use std::cmp::Ordering;

use onnx_arithmetic::functions::Function;
use onnx_tensor::DType;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::activation;
use crate::shared::elementwise::{estimated_with_rest, float};

pub const OP: OpDef = op(
    "Sigmoid",
    &[
        v(1, First, sigmoid),
        v(6, Wording, sigmoid),
        v(13, TypesOnly, sigmoid),
    ],
);

fn sigmoid(call: &Call<'_>) -> Result<Outputs, OpError> {
    match call.dtype(0)? {
        DType::Double => float(call, activation::sigmoid),
        _ => estimated_with_rest(call, Function::Sigmoid, value, beyond, &[]),
    }
}

/// 1/2 + x/4, the value near zero without its third and further terms. Exact for an x of 24 bits unless x is
/// far below the distance of 1/2 to the next tie of f32.
fn tangent(x: f64) -> f64 {
    0.5 + x / 4.0
}

/// The value, or the tangent if f64 does not tell them apart.
fn value(x: f64) -> f64 {
    let y = activation::sigmoid(x);
    if (y - tangent(x)).abs() <= 4.0 * f64::EPSILON {
        tangent(x)
    } else {
        y
    }
}

/// σ(x) = 1/2 + x/4 − x³/48 + …: the value lies between the tangent and 1/2.
fn beyond(x: f64, y: f64) -> Ordering {
    if y == tangent(x) && x != 0.0 {
        0.0_f64.total_cmp(&x)
    } else {
        Ordering::Equal
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// 1/2 + x/4 is a tie of f32 where x/4 is an odd multiple of 2⁻²⁵ (above 1/2) or 2⁻²⁶ (below). The
    /// value lies nearer to 1/2, so that each tie rounds toward it.
    #[test]
    fn a_tie_of_the_tangent_rounds_toward_a_half() {
        let unit = 2.0_f32.powi(-24);
        let odd = [1.0_f32, 3.0, 5.0, 7.0, 11.0];
        let x = odd.map(|odd| [2.0 * odd * unit, -odd * unit]).concat();
        let steps = odd.map(|odd| (odd - 1.0) / 2.0);
        let y = steps
            .map(|steps| [0.5 + steps * unit, 0.5 - steps * unit / 2.0])
            .concat();
        exact(
            ("", "Sigmoid", 13),
            &[Tensor::vector(x)],
            &[],
            &[Tensor::vector(y)],
        );
    }
}
