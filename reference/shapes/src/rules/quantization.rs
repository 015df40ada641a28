//! Quantization: scales and zero points beside the tensor.

use onnx_tensor::DType;

use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::{Compared, Expr};
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, conflict, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("QuantizeLinear", 10, granular),
    row("DequantizeLinear", 10, granular),
    row("DynamicQuantizeLinear", 11, |call| {
        let x = call.shape(0)?;
        Ok(vec![Fact::of(x), Fact::of(Vec::new()), Fact::of(Vec::new())])
    }),
];

/// These inputs, if they are given, have one element each.
pub(super) fn single(call: &mut Call<'_, '_>, inputs: &[usize]) -> Outcome<()> {
    for &at in inputs {
        if let Some(shape) = known(call.shape(at))? {
            let (count, name) = (call.product(&shape), call.formal(at));
            if call.state.symbols.compare(&count, &1.into()) == Compared::Different {
                return conflict(format!(
                    "`{name}` has {} elements, expected 1",
                    call.shown(&count)
                ));
            }
        }
    }
    Ok(())
}

/// The result has the extents of the tensor; a scale stands for the tensor, an index of the axis, or a
/// block.
pub(super) fn granular(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    if let (Some(stated @ 1..), Some(zero_point)) = (call.int("output_dtype"), call.dtype(2))
        && call.schema.name == "QuantizeLinear"
        && i64::from(zero_point.to_onnx()) != stated
    {
        return parameter(format!(
            "`output_dtype` is {stated}, but the zero point is of {zero_point}, {}",
            zero_point.to_onnx()
        ));
    }
    let x = call.shape(0)?;
    let Ok(scale) = call.shape(1) else {
        return one(x);
    };
    fitting(call, &x, &scale)?;
    if (call.schema.domain, call.schema.name) == ("", "DequantizeLinear")
        && call.dtype(0) == Some(DType::Int32)
        && let Some(zero_points) = known(call.numbers(2))?
        && zero_points.iter().any(|&value| value != 0)
    {
        return parameter("the zero point of int32 must be 0");
    }
    if let Ok(zero_point) = call.shape(2) {
        let alone = |shape: &[Expr]| shape.is_empty() || matches!(shape, [extent] if extent.is(1));
        if alone(&scale) && zero_point.len() == 1 {
            call.equal(
                &zero_point[0],
                &1.into(),
                "elements of the zero point and of the scale,",
            )?;
        } else if !(alone(&scale) && alone(&zero_point)) {
            call.same_shape(&scale, &zero_point, "extents of scale and zero point,")?;
        }
    }
    one(x)
}

fn fitting(call: &mut Call<'_, '_>, x: &Shape, scale: &Shape) -> Outcome<()> {
    match scale.as_slice() {
        [] => return Ok(()),
        [only] if only.is(1) => return Ok(()),
        _ => {}
    }
    let (axis, block) = (call.int("axis"), call.int("block_size").unwrap_or(0));
    if block > 0 && scale.len() == x.len() {
        let Some(axis) = axis else { return Ok(()) };
        let at = call.axis(axis, x.len())?;
        for other in 0..x.len() {
            let expected = if other == at {
                call.ceil_div(&x[other], block)
            } else {
                x[other].clone()
            };
            call.equal(
                &scale[other],
                &expected,
                "extents of the scale and of the blocks,",
            )?;
        }
        return Ok(());
    }
    match (scale.as_slice(), axis) {
        ([length], Some(axis)) => {
            // A vector with an axis out of range stands for the tensor if it has one element.
            if length.constant().is_none() {
                return Ok(());
            }
            let at = call.axis(axis, x.len())?;
            call.equal(length, &x[at], "elements of the scale and extent of its axis,")
                .map(drop)
        }
        ([length], None) => call
            .equal(
                length,
                &1.into(),
                "elements of the scale, which stands for the whole tensor, and 1,",
            )
            .map(drop),
        _ => conflict(format!(
            "a scale of rank {} is neither a scalar, a vector nor blocks of a tensor of rank {}",
            scale.len(),
            x.len()
        )),
    }
}
