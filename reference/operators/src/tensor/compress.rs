//! Compress — selects the slices along `axis` where the condition is true, or without `axis` elements of
//! the flattened input.
//!
//! The condition may be shorter than the axis; positions after its end are omitted. Interpretation: it must
//! not be longer. `axis` may be negative since version 11, and in version 9 except in a strict run
//! (deviation `negative-axis`).

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, Deviation, OpDef, OpError, Outputs, one, op, v};
use crate::shared::axes::{self, ReadAxis};
use crate::shared::layout;

pub const OP: OpDef = op(
    "Compress",
    &[
        v(9, First, |call| compress(call, axes::older(call))),
        v(11, Semantics, |call| compress(call, axes::axis)),
        v(28, TypesOnly, |call| compress(call, axes::axis)),
    ],
);

fn compress(call: &Call<'_>, read: ReadAxis) -> Result<Outputs, OpError> {
    let (input, condition) = (call.tensor(0)?, condition(call)?);
    let (x, axis) = match call.optional_int("axis")? {
        Some(axis) => (input.clone(), read(axis, input.rank())?),
        None => (input.reshape(&[input.len()])?, 0),
    };
    let extent = layout::extent(&x, axis)?;
    if condition.len() > extent {
        return Err(OpError::invalid(format!(
            "a condition of {} elements is longer than an axis of {extent}",
            condition.len()
        )));
    }
    let kept = (0..condition.len()).filter(|&at| condition[at]);
    one(layout::pick(&x, axis, kept)?)
}

/// The elements of the condition. It has rank 1; without `axis` another rank is flattened like the input
/// (deviation `condition-rank`).
fn condition(call: &Call<'_>) -> Result<Vec<bool>, OpError> {
    let condition = call.array::<bool>(1)?;
    if condition.ndim() != 1 {
        let refusal = OpError::invalid(format!(
            "the condition has shape {:?}, expected rank 1",
            condition.shape()
        ));
        if call.optional_int("axis")?.is_some() {
            return Err(refusal);
        }
        call.deviate(Deviation::ConditionRank, refusal)?;
    }
    Ok(condition.iter().copied().collect())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, refused_strictly, rows, values};

    #[test]
    fn errors() {
        let inputs = |condition: &[bool]| values(&[rows(&[[1.0, 2.0]]), Tensor::vector(condition.to_vec())]);
        refused(("", "Compress", 11), &inputs(&[true; 3]), &[], "axis of 2");
    }

    #[test]
    fn a_condition_of_another_rank_is_flattened_without_axis() {
        let condition = Tensor::new(&[2, 2], vec![false, true, true, false]).unwrap();
        let inputs = [rows(&[[1.0, 2.0], [3.0, 4.0]]), condition];
        exact(
            ("", "Compress", 11),
            &inputs,
            &[],
            &[Tensor::vector(vec![2_f32, 3.0])],
        );
        refused_strictly(("", "Compress", 11), &values(&inputs), &[], "shape [2, 2]");
        refused(
            ("", "Compress", 11),
            &values(&inputs),
            &[attribute("axis", 0)],
            "shape [2, 2]",
        );
    }
}
