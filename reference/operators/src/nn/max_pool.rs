//! MaxPool — the greatest element of each window, and where it stands; exact.
//!
//! Versions: 8 adds the output `Indices` and `storage_order`; 10 `ceil_mode` and dilations; 11 changes words; 12 adds 8-bit
//! integers and refers to a definition of `ceil_mode` that leaves out windows which start in the padding at the end, which
//! 22 then says itself.
//!
//! Readings: of equal elements the first in row-major order is chosen; a NaN is greater than all. With `storage_order` 1 the
//! spatial part of an index counts the first spatial axis fastest; batch and channels stay outermost. A window that covers
//! only padding has no greatest element: the node is refused.

use onnx_tensor::{Real, Tensor, Value, dispatch};

use super::pooling;
use super::window::{Rounding, WindowAxis};
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "MaxPool",
    &[
        v(1, First, |call| max_pool(call, Rounding::Floor)),
        v(8, Semantics, |call| max_pool(call, Rounding::Floor)),
        v(10, Semantics, |call| by_mode(call, Rounding::Ceil)),
        v(11, Wording, |call| by_mode(call, Rounding::Ceil)),
        v(12, Semantics, |call| by_mode(call, Rounding::CeilInside)),
        v(22, TypesOnly, |call| by_mode(call, Rounding::CeilInside)),
    ],
);

fn by_mode(call: &Call<'_>, ceil: Rounding) -> Result<Outputs, OpError> {
    max_pool(
        call,
        if call.flag("ceil_mode")? {
            ceil
        } else {
            Rounding::Floor
        },
    )
}

fn max_pool(call: &Call<'_>, rounding: Rounding) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => typed::<T>(call, rounding))
}

fn typed<T: Real>(call: &Call<'_>, rounding: Rounding) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let axes = pooling::windows(call, rounding)?;
    let shape = pooling::shape(x.shape(), &axes);
    call.reserve(&shape, T::DTYPE)?;
    let column_major = call.wants(1) && call.flag("storage_order")?;
    let plane_size: usize = axes.iter().map(|axis| axis.input).product();
    let (mut values, mut indices) = (Vec::new(), Vec::new());
    pooling::pool(x, &axes, |index, plane, window| {
        let mut best: Option<(T, usize)> = None;
        window.visit(&mut |at| {
            let value = plane[at];
            let replaces = match best {
                None => true,
                Some((best, _)) => value > best || value.is_nan() && !best.is_nan(),
            };
            if replaces {
                best = Some((value, at));
            }
        });
        let (value, at) = best.ok_or_else(|| OpError::undefined("the maximum of a window of padding"))?;
        values.push(value);
        if call.wants(1) {
            let at = if column_major {
                first_axis_fastest(&axes, at)
            } else {
                at
            };
            indices.push((index * plane_size + at) as i64);
        }
        Ok(())
    })?;
    let indices = match call.wants(1) {
        true => Some(Value::from(Tensor::new(&shape, indices)?)),
        false => None,
    };
    Ok(vec![Some(Tensor::new(&shape, values)?.into()), indices])
}

/// From a place in row-major order to that of the same element where the first axis counts fastest.
fn first_axis_fastest(axes: &[WindowAxis], mut place: usize) -> usize {
    let mut position = 0;
    for axis in axes.iter().rev() {
        position = position * axis.input + place % axis.input;
        place /= axis.input;
    }
    position
}
