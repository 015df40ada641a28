//! Split — splits a tensor along `axis` into parts of given or equal lengths.
//!
//! Versions: in 1 the lengths are an attribute or an input of the tensor's own type; in 2 only an
//! attribute; 11 says that `axis` may be negative; in 13 lengths are an input; 18 adds `num_outputs`, with
//! a last part that may be smaller. Below 18, parts without lengths are equal, so an extent that the number
//! of outputs does not divide is an error.
//!
//! Interpretation: version 1 states no default for `axis`, so it is undefined if omitted. Version 2 does
//! not mention negative axes, but an official case of opset 6 (`test_GLU`) has one, so they count from the
//! back there too. Version 18 requires exactly one of lengths and `num_outputs`. An extent so small that
//! the last part would be negative is an error.

use onnx_tensor::{Real, Tensor, dispatch};

use crate::frame::Change::{First, Semantics, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op(
    "Split",
    &[
        v(1, First, split_1),
        v(2, Semantics, |call| {
            split(call, axes::axis, call.optional_ints("split")?, None)
        }),
        v(11, Wording, |call| {
            split(call, axes::axis, call.optional_ints("split")?, None)
        }),
        v(13, Semantics, |call| {
            split(call, axes::axis, call.optional_integers(1)?, None)
        }),
        v(18, Semantics, split_18),
    ],
);

fn split_1(call: &Call<'_>) -> Result<Outputs, OpError> {
    let lengths = match (call.optional_ints("split")?, call.optional_tensor(1)?) {
        (Some(_), Some(_)) => return Err(OpError::invalid("the lengths are both an attribute and an input")),
        (given, None) => given,
        (None, Some(tensor)) => Some(dispatch!(float, tensor.dtype(), T => {
            tensor.array::<T>()?.iter().map(|value| whole(value.to_f64())).collect::<Result<Vec<_>, OpError>>()
        })?),
    };
    if call.optional_int("axis")?.is_none() {
        return Err(OpError::undefined(
            "version 1 of Split states no default for `axis`",
        ));
    }
    split(call, axes::older(call), lengths, None)
}

/// Converts a length that is stored as a float.
fn whole(value: f64) -> Result<i64, OpError> {
    if value.fract() == 0.0 && value.abs() < 2_f64.powi(53) {
        return Ok(value as i64);
    }
    Err(OpError::invalid(format!("{value} is not a length")))
}

fn split_18(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (lengths, parts) = (call.optional_integers(1)?, call.optional_int("num_outputs")?);
    if lengths.is_some() == parts.is_some() {
        return Err(OpError::invalid(
            "exactly one of the input `split` and the attribute `num_outputs` must be present",
        ));
    }
    split(call, axes::axis, lengths, parts)
}

/// `parts` is set if the last part may be smaller.
fn split(
    call: &Call<'_>,
    read: fn(i64, usize) -> Result<usize, OpError>,
    lengths: Option<Vec<i64>>,
    parts: Option<i64>,
) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let axis = read(call.int("axis")?, x.rank())?;
    let extent = layout::extent(x, axis)?;
    let lengths = match (lengths, parts) {
        (Some(lengths), _) => layout::extents(&lengths)?,
        (None, Some(parts)) if usize::try_from(parts) != Ok(call.output_count()) => {
            return Err(OpError::invalid(format!(
                "`num_outputs` is {parts}, but the node has {} outputs",
                call.output_count()
            )));
        }
        (None, Some(parts)) => uneven(extent, parts)?,
        (None, None) => even(extent, call.output_count())?,
    };
    let total = lengths
        .iter()
        .try_fold(0_usize, |sum, &length| sum.checked_add(length));
    if total != Some(extent) || lengths.len() != call.output_count() {
        let outputs = call.output_count();
        return Err(OpError::invalid(format!(
            "the lengths {lengths:?} do not match {outputs} outputs and an extent of {extent}"
        )));
    }
    cut(x, axis, &lengths)
}

fn cut(x: &Tensor, axis: usize, lengths: &[usize]) -> Result<Outputs, OpError> {
    let mut start = 0;
    let part = |&length: &usize| {
        let part = layout::slice(x, axis, start, length, 1)?;
        start += length;
        Ok(Some(part.into()))
    };
    lengths.iter().map(part).collect()
}

fn even(extent: usize, parts: usize) -> Result<Vec<usize>, OpError> {
    if parts == 0 || !extent.is_multiple_of(parts) {
        return Err(OpError::invalid(format!(
            "an extent of {extent} cannot be split into {parts} equal parts"
        )));
    }
    Ok(vec![extent / parts; parts])
}

fn uneven(extent: usize, parts: i64) -> Result<Vec<usize>, OpError> {
    let parts = usize::try_from(parts).ok().filter(|&parts| parts > 0);
    let parts = parts.ok_or_else(|| OpError::invalid("`num_outputs` must be positive"))?;
    let length = extent.div_ceil(parts);
    let last = length
        .checked_mul(parts - 1)
        .and_then(|before| extent.checked_sub(before));
    let last = last.ok_or_else(|| {
        OpError::invalid(format!(
            "an extent of {extent} cannot be split into {parts} parts of {length} with a smaller last part"
        ))
    })?;
    let mut lengths = vec![length; parts - 1];
    lengths.push(last);
    Ok(lengths)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::{even, uneven};
    use crate::frame::testing::{attribute, exact, refused, values};

    #[test]
    fn parts_without_lengths() {
        assert_eq!(uneven(7, 3).unwrap(), [3, 3, 1]);
        assert_eq!(uneven(2, 2).unwrap(), [1, 1]);
        assert!(uneven(5, 4).is_err(), "2, 2, 2 leaves -1");
        assert!(uneven(5, 0).is_err());
        assert_eq!(even(6, 3).unwrap(), [2, 2, 2]);
        assert!(even(7, 3).is_err());
    }

    #[test]
    fn version_1_has_lengths_of_the_type_of_the_tensor() {
        let x = Tensor::vector(vec![1_f32, 2.0]);
        let inputs = [x.clone(), Tensor::vector(vec![2_f32])];
        exact(
            ("", "Split", 1),
            &inputs,
            &[attribute("axis", 0)],
            std::slice::from_ref(&x),
        );
        refused(("", "Split", 1), &values(&inputs), &[], "axis");
        refused(("", "Split", 18), &values(&[x]), &[], "num_outputs");
    }
}
