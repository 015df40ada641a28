//! Tile — repeats a tensor along its axes.
//!
//! Version 1 repeats along one axis; the count and the axis are inputs of the tensor's own floating type.
//! Version 6 has a count for each axis.

use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op(
    "Tile",
    &[
        v(1, First, tile_1),
        v(6, Semantics, tile_6),
        v(13, TypesOnly, tile_6),
    ],
);

fn tile_1(call: &Call<'_>) -> Result<Outputs, OpError> {
    let rank = call.tensor(0)?.rank();
    let axis = axes::axis_from_front(whole(call, 2)?, rank)?;
    let mut repeats = vec![1; rank];
    repeats[axis] = whole(call, 1)?;
    tile(call, &repeats)
}

fn tile_6(call: &Call<'_>) -> Result<Outputs, OpError> {
    tile(call, &call.integers(1)?)
}

/// The integer in an input with one floating-point element.
fn whole(call: &Call<'_>, index: usize) -> Result<i64, OpError> {
    let value =
        dispatch!(float, call.dtype(index)?, T => Ok::<_, OpError>(call.scalar::<T>(index)?.to_f64()))?;
    if value.fract() == 0.0 && value.abs() < 2_f64.powi(53) {
        return Ok(value as i64);
    }
    Err(OpError::invalid(format!(
        "input {index} must be a whole number, got {value}"
    )))
}

fn tile(call: &Call<'_>, repeats: &[i64]) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let (repeats, rank) = (layout::extents(repeats)?, x.rank());
    if repeats.len() != rank {
        return Err(OpError::invalid(format!(
            "expected one repeat for each of {rank} axes, got {0}",
            repeats.len()
        )));
    }
    let extents = x
        .shape()
        .iter()
        .zip(&repeats)
        .map(|(&extent, &times)| extent.checked_mul(times));
    let shape = extents.collect::<Option<Vec<_>>>();
    let shape =
        shape.ok_or_else(|| OpError::invalid(format!("{:?} times {repeats:?} overflows", x.shape())))?;
    call.reserve(&shape, x.dtype())?;
    if shape.contains(&0) {
        return one(layout::empty(x.dtype(), &shape)?);
    }
    let map = |(&extent, &times): (&usize, &usize)| -> layout::AxisMap {
        std::iter::repeat_n(0..extent, times)
            .flatten()
            .map(Some)
            .collect()
    };
    let maps: Vec<_> = x.shape().iter().zip(&repeats).map(map).collect();
    one(layout::remap(x, &maps, None)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, rows, values};

    #[test]
    fn version_1_repeats_along_one_axis() {
        let inputs = [
            rows(&[[1.0], [2.0]]),
            Tensor::scalar(2_f32),
            Tensor::scalar(1_f32),
        ];
        exact(("", "Tile", 1), &inputs, &[], &[rows(&[[1.0, 1.0], [2.0, 2.0]])]);
        let half = [rows(&[[1.0]]), Tensor::scalar(1.5_f32), Tensor::scalar(1_f32)];
        refused(("", "Tile", 1), &values(&half), &[], "whole");
    }

    #[test]
    fn sizes_are_reserved_before_allocation() {
        let tile = |x: Tensor, repeats: [i64; 2]| values(&[x, Tensor::vector(repeats.to_vec())]);
        refused(
            ("", "Tile", 13),
            &tile(rows(&[[1.0]]), [1 << 40, 1]),
            &[],
            "budget",
        );
        refused(
            ("", "Tile", 13),
            &tile(rows(&[[1.0, 2.0, 3.0]]), [1, i64::MAX]),
            &[],
            "overflows",
        );
        refused(
            ("", "Tile", 13),
            &tile(rows(&[[1.0]]), [1, -1]),
            &[],
            "not an extent",
        );
    }
}
