//! SplitToSequence — splits a tensor along an axis into a sequence.
//!
//! Without `split` every part has extent 1, and loses the axis if `keepdims` is 0; with `split`, `keepdims`
//! is ignored, as the text says. Interpretation: the text asks for positive lengths in one place and for
//! lengths of at least 0 in another; a scalar, which is the length of each part, must be positive; an entry
//! of a list may be 0.

use onnx_tensor::{DType, Sequence, Tensor, Value, ValueType};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op("SplitToSequence", &[v(11, First, split), v(24, TypesOnly, split)]);

fn split(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let axis = axes::axis(call.int("axis")?, x.rank())?;
    let extent = layout::extent(x, axis)?;
    // There are at most as many parts as positions or entries, and each is a separate value.
    call.reserve(&[extent, size_of::<Value>()], DType::Uint8)?;
    let (lengths, squeeze) = match call.optional_integers(1)? {
        None => (vec![1; extent], !call.flag("keepdims")?),
        Some(given) => (lengths(extent, call.tensor(1)?.rank(), &given)?, false),
    };
    let mut start = 0;
    let mut values = Vec::with_capacity(lengths.len());
    for length in lengths {
        let part = layout::slice(x, axis, start, length, 1)?;
        start += length;
        values.push(Value::Tensor(if squeeze {
            without_axis(&part, axis)?
        } else {
            part
        }));
    }
    one(Value::Sequence(Sequence {
        element: ValueType::tensor(x.dtype()),
        values,
    }))
}

/// The lengths of the parts of an axis of `extent`, from the tensor `split` of rank `rank`.
fn lengths(extent: usize, rank: usize, split: &[i64]) -> Result<Vec<usize>, OpError> {
    let split = layout::extents(split)?;
    match (rank, split.as_slice()) {
        (0, &[length]) if length > 0 => {
            let whole = std::iter::repeat_n(length, extent / length);
            let rest = Some(extent % length).filter(|&rest| rest > 0);
            Ok(whole.chain(rest).collect())
        }
        (0, _) => Err(OpError::invalid("a scalar `split` must be positive")),
        (1, list) => {
            let total = list
                .iter()
                .try_fold(0_usize, |sum, &length| sum.checked_add(length));
            if total != Some(extent) {
                return Err(OpError::invalid(format!(
                    "the lengths {list:?} do not sum to {extent}"
                )));
            }
            Ok(split)
        }
        _ => Err(OpError::invalid(format!(
            "`split` has rank {rank}, expected at most 1"
        ))),
    }
}

fn without_axis(part: &Tensor, axis: usize) -> Result<Tensor, OpError> {
    let mut shape = part.shape().to_vec();
    shape.remove(axis);
    Ok(part.reshape(&shape)?)
}
