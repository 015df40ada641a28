//! Gather — the slices of a tensor along `axis` that the indices select, in place of that axis.
//!
//! Since version 11 an index may be negative. Version 1 says only "within bounds": there a negative index
//! counts from the back, except in a strict run (deviation `negative-index`); its `axis` may be negative.

use super::indices::{ReadIndex, from_either_end, older};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op(
    "Gather",
    &[
        v(1, First, |call| gather(call, older(call))),
        v(11, Semantics, |call| gather(call, from_either_end)),
        v(13, TypesOnly, |call| gather(call, from_either_end)),
    ],
);

fn gather(call: &Call<'_>, read: ReadIndex) -> Result<Outputs, OpError> {
    let (x, indices) = (call.tensor(0)?, call.tensor(1)?);
    let axis = axes::axis(call.int("axis")?, x.rank())?;
    let (outer, rest) = x.shape().split_at(axis);
    let (extent, inner) = (layout::extent(x, axis)?, &rest[1..]);
    let shape = [outer, indices.shape(), inner].concat();
    call.reserve(&shape, x.dtype())?;
    let picked = call
        .integers(1)?
        .iter()
        .map(|&index| read(index, extent))
        .collect::<Result<Vec<_>, _>>()?;
    if !layout::is_dense(x)? && picked.len() < extent {
        // The others need not be brought into order.
        return one(layout::select(x, &shape, axis, &picked)?);
    }
    let length = layout::count(inner);
    let starts =
        (0..layout::count(outer)).flat_map(|row| picked.iter().map(move |&at| (row * extent + at) * length));
    one(layout::runs(x, &shape, &starts.collect::<Vec<_>>(), length)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, refused_strictly, strings, values};

    #[test]
    fn negative_indices_by_version() {
        let inputs = [strings(&["a", "b", "c"]), Tensor::scalar(-1_i32)];
        exact(
            ("", "Gather", 13),
            &inputs,
            &[],
            &[Tensor::scalar("c".to_owned())],
        );
        let last = [Tensor::scalar("c".to_owned())];
        exact(("", "Gather", 1), &inputs, &[], &last);
        refused_strictly(("", "Gather", 1), &values(&inputs), &[], "outside [0, 3)");
        let outside = [strings(&["a"]), Tensor::scalar(-2_i64)];
        refused(("", "Gather", 11), &values(&outside), &[], "outside [-1, 1)");
    }
}
