//! Scatter — like ScatterElements without a reduction; version 11 deprecates it in favour of that operator.
//!
//! Version 9 does not say that an index may be negative: it may be, except in a strict run (deviation
//! `negative-index`).

use super::indices::{from_either_end, older};
use super::scatter_elements::scatter;
use super::scattering::Reduction;
use crate::frame::Change::{First, Semantics};
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "Scatter",
    &[
        v(9, First, |call| scatter(call, older(call), Reduction::None)),
        v(11, Semantics, |call| {
            scatter(call, from_either_end, Reduction::None)
        }),
    ],
);

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused_strictly, values};

    #[test]
    fn a_negative_index_counts_from_the_back() {
        let inputs = [
            Tensor::vector(vec![1_f32, 2.0, 3.0]),
            Tensor::vector(vec![-1_i64]),
            Tensor::vector(vec![9_f32]),
        ];
        let result = [Tensor::vector(vec![1_f32, 2.0, 9.0])];
        for since in [9, 11] {
            exact(("", "Scatter", since), &inputs, &[], &result);
        }
        refused_strictly(("", "Scatter", 9), &values(&inputs), &[], "outside [0, 3)");
    }
}
