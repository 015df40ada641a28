//! Hardmax — 1 at the first greatest element of each lane, 0 elsewhere; exact. A NaN counts as greatest
//! (question `arg-nan`).

use onnx_tensor::{Real, Tensor, dispatch};

use crate::frame::Change::{First, Semantics, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::extremum::{Extremum, NanOrder, position};
use crate::shared::lanes::{self, Extent};

pub const OP: OpDef = op(
    "Hardmax",
    &[
        v(1, First, |call| hardmax(call, Extent::Flattened)),
        v(11, Wording, |call| hardmax(call, Extent::Flattened)),
        v(13, Semantics, |call| hardmax(call, Extent::Axis)),
    ],
);

fn hardmax(call: &Call<'_>, extent: Extent) -> Result<Outputs, OpError> {
    let nan = NanOrder::of(call);
    dispatch!(float, call.dtype(0)?, T => {
        one(Tensor::from(lanes::by_axis(call, extent, |lane: &[T], result: &mut [T]| {
            let greatest = position(lane, Extremum::Max, false, nan);
            for (index, y) in result.iter_mut().enumerate() {
                *y = if Some(index) == greatest { T::ONE } else { T::ZERO };
            }
        })?))
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    #[test]
    fn lanes_by_version() {
        let tensor = |values: [f32; 4]| Tensor::new(&[1, 2, 2], values.to_vec()).unwrap();
        let x = || tensor([1.0, 3.0, 3.0, 3.0]);
        exact(("", "Hardmax", 11), &[x()], &[], &[tensor([0.0, 1.0, 0.0, 0.0])]);
        exact(("", "Hardmax", 13), &[x()], &[], &[tensor([0.0, 1.0, 1.0, 0.0])]);
    }
}
