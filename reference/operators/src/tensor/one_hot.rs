//! OneHot — along a new axis of extent `depth`, the on-value at each index and the off-value elsewhere.
//!
//! Indices and depth of a floating type are truncated to int64; one outside int64 is undefined. Version 9
//! accepts indices in `[0, depth)`, version 11 in `[-depth, depth)`; for any other index all values are the
//! off-value. In version 9 the only negative `axis` is −1, the innermost; others count from the back except
//! in a strict run (deviation `negative-axis`).

use super::integral::to_i128;
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op(
    "OneHot",
    &[
        v(9, First, one_hot_9),
        v(11, Semantics, one_hot_11),
        v(28, TypesOnly, one_hot_11),
    ],
);

fn one_hot_9(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (axis, rank) = (call.int("axis")?, call.tensor(0)?.rank());
    let axis = match axis {
        -1 => rank,
        axis => axes::older(call)(axis, rank + 1)?,
    };
    one_hot(call, axis, |index, depth| {
        (0..depth).contains(&index).then_some(index)
    })
}

fn one_hot_11(call: &Call<'_>) -> Result<Outputs, OpError> {
    let axis = axes::axis(call.int("axis")?, call.tensor(0)?.rank() + 1)?;
    one_hot(call, axis, |index, depth| {
        (-depth..depth).contains(&index).then(|| index.rem_euclid(depth))
    })
}

fn one_hot(call: &Call<'_>, axis: usize, place: fn(i128, i128) -> Option<i128>) -> Result<Outputs, OpError> {
    let (indices, values) = (call.tensor(0)?, call.tensor(2)?);
    let depth = match to_i128(call.tensor(1)?)?.as_slice() {
        [depth] => usize::try_from(*depth).map_err(|_| OpError::invalid(format!("`depth` is {depth}")))?,
        several => {
            return Err(OpError::invalid(format!(
                "`depth` must have one element, got {}",
                several.len()
            )));
        }
    };
    let mut shape = indices.shape().to_vec();
    shape.insert(axis, depth);
    call.reserve(&shape, values.dtype())?;
    if values.shape() != [2] {
        return Err(OpError::invalid("`values` must have two elements, off and on"));
    }
    // The new axis is between the axes of the indices before it and after it.
    let inner = layout::count(&shape[axis + 1..]);
    let on = to_i128(indices)?
        .into_iter()
        .enumerate()
        .filter_map(|(at, index)| {
            let place = place(index, depth as i128)? as usize;
            Some((at / inner * depth + place) * inner + at % inner)
        });
    let off = layout::filled(&shape, &layout::slice(values, 0, 0, 1, 1)?)?;
    one(layout::put(
        &off,
        &on.collect::<Vec<_>>(),
        &layout::slice(values, 0, 1, 1, 1)?,
    )?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, refused_strictly, values};

    #[test]
    fn negative_indices_and_axes_by_version() {
        let inputs = [
            Tensor::vector(vec![1.9_f32, -1.0]),
            Tensor::scalar(2_i64),
            Tensor::vector(vec![0_u8, 1]),
        ];
        let rows = |elements: [u8; 4]| [Tensor::new(&[2, 2], elements.to_vec()).unwrap()];
        exact(("", "OneHot", 9), &inputs, &[], &rows([0, 1, 0, 0]));
        exact(("", "OneHot", 11), &inputs, &[], &rows([0, 1, 0, 1]));
        exact(
            ("", "OneHot", 11),
            &inputs,
            &[attribute("axis", -2)],
            &rows([0, 0, 1, 1]),
        );
        let outer = [attribute("axis", -2)];
        exact(("", "OneHot", 9), &inputs, &outer, &rows([0, 0, 1, 0]));
        refused_strictly(("", "OneHot", 9), &values(&inputs), &outer, "outside");
        let infinite = [
            Tensor::vector(vec![f32::INFINITY]),
            inputs[1].clone(),
            inputs[2].clone(),
        ];
        refused(("", "OneHot", 11), &values(&infinite), &[], "int64");
    }
}
