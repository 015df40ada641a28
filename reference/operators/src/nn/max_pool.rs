//! MaxPool — the greatest element of each window, and its index; exact.
//!
//! Versions: 8 adds the output `Indices` and `storage_order`; 10 `ceil_mode` and dilations; 11 changes the
//! text; 12 adds 8-bit integers and refers to a definition of `ceil_mode` that omits windows which start in
//! the padding at the end; 22 states this definition itself.
//!
//! Interpretation: the first of equal elements in row-major order is selected; a NaN is greater than every
//! number (question `max-pool-nan`). With `storage_order` 1 the first spatial axis of an index varies
//! fastest; batch and channels stay outermost. In 10 and 11, a window that `ceil_mode` adds and that starts
//! in the padding at the end is also omitted: the text defines no element for it (deviation
//! `window-in-padding`). Any other window that covers only padding has no greatest element: the node is an
//! error.

use onnx_arithmetic::windows::greatest;
use onnx_tensor::{Array, DType, Real, Tensor, Value, dispatch};

use super::convolution::Reads;
use super::window::{Rounding, WindowAxis};
use super::{kernels, pooling};
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, op, v};

pub const OP: OpDef = op(
    "MaxPool",
    &[
        v(1, First, |call| max_pool(call, Rounding::Floor)),
        v(8, Semantics, |call| max_pool(call, Rounding::Floor)),
        v(10, Semantics, |call| {
            by_mode(call, Rounding::ceil_unspecified(call))
        }),
        v(11, Wording, |call| {
            by_mode(call, Rounding::ceil_unspecified(call))
        }),
        v(12, Semantics, |call| by_mode(call, Rounding::CeilInside)),
        v(22, TypesOnly, |call| by_mode(call, Rounding::CeilInside)),
    ],
);

/// The elements of each window, for each element of the result in row-major order: pairs of the position in
/// X and the index that the output `Indices` has for it.
///
/// # Errors
/// The attributes do not fit X.
pub fn windows(call: &Call<'_>) -> Result<Vec<Vec<(usize, i64)>>, OpError> {
    let ceil = call.schema().since >= 10 && call.flag("ceil_mode")?;
    let rounding = match call.schema().since {
        _ if !ceil => Rounding::Floor,
        ..=11 => Rounding::ceil_unspecified(call),
        _ => Rounding::CeilInside,
    };
    let (axes, _) = pooling::prepare(call, rounding)?;
    let column_major = call.schema().since >= 8 && call.flag("storage_order")?;
    let plane_size: usize = axes.iter().map(|axis| axis.input).product();
    let places = Array::<u8>::zeros(call.tensor(0)?.shape());
    pooling::pool(&places, &axes, |index, _, window| {
        let mut elements = Vec::new();
        window.visit(|at| {
            let named = if column_major {
                first_axis_fastest(&axes, at)
            } else {
                at
            };
            elements.push((index * plane_size + at, (index * plane_size + named) as i64));
        });
        Ok(elements)
    })
}

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
    let (axes, shape) = pooling::prepare(call, rounding)?;
    if T::DTYPE == DType::Float
        && let Some(values) = of_floats(call, &axes, &shape)?
    {
        return Ok(vec![Some(values.into()), None]);
    }
    if call.wants(1) {
        call.reserve(&shape, DType::Int64)?;
    }
    let column_major = call.wants(1) && call.flag("storage_order")?;
    let ignored = call.takes(Reading::MaxPoolNanIgnored);
    let plane_size: usize = axes.iter().map(|axis| axis.input).product();
    let (mut values, mut indices) = (Vec::new(), Vec::new());
    pooling::pool(x, &axes, |index, plane, window| {
        let mut best: Option<(T, usize)> = None;
        window.visit(|at| {
            let value = plane[at];
            let replaces = match best {
                None => true,
                Some((best, _)) if ignored => value > best || best.is_nan() && !value.is_nan(),
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
    let indices = if call.wants(1) {
        Some(Value::from(Tensor::new(&shape, indices)?))
    } else {
        None
    };
    Ok(vec![Some(Tensor::new(&shape, values)?.into()), indices])
}

/// The values alone, of float, for all windows at a time. `None` if the indices are wanted, another reading
/// applies, a window is empty, or the reads are too many to be listed.
fn of_floats(call: &Call<'_>, axes: &[WindowAxis], shape: &[usize]) -> Result<Option<Tensor>, OpError> {
    if call.wants(1) || call.takes(Reading::MaxPoolNanIgnored) || shape.contains(&0) {
        return Ok(None);
    }
    let count: usize = axes.iter().map(|axis| axis.output).product();
    let Some(reads) = Reads::of(axes).filter(|reads| !reads.counts(count).contains(&0)) else {
        return Ok(None);
    };
    let plane = axes.iter().map(|axis| axis.input).product::<usize>();
    let x = kernels::dense(call.array::<f32>(0)?);
    let mut result = vec![f32::NEG_INFINITY; shape.iter().product()];
    for (x, best) in x.chunks(plane).zip(result.chunks_mut(count)) {
        reads.visit(|window, place, count| {
            greatest(&x[place..], reads.step, &mut best[window..window + count]);
        });
    }
    Ok(Some(Tensor::new(shape, result)?))
}

/// Converts a row-major position to the position of the same element with the first axis varying fastest.
fn first_axis_fastest(axes: &[WindowAxis], mut place: usize) -> usize {
    let mut position = 0;
    for axis in axes.iter().rev() {
        position = position * axis.input + place % axis.input;
        place /= axis.input;
    }
    position
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused_strictly, values};

    fn plane(shape: &[usize], elements: &[f32]) -> Tensor {
        Tensor::new(&[&[1, 1], shape].concat(), elements.to_vec()).expect("the elements fill the shape")
    }

    fn indices(shape: &[usize], elements: &[i64]) -> Tensor {
        Tensor::new(&[&[1, 1], shape].concat(), elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand.
    #[test]
    fn padding_by_auto_pad() {
        for (auto_pad, expected) in [
            ("SAME_LOWER", vec![1.0, 3.0, 3.0]),
            ("SAME_UPPER", vec![3.0, 3.0, 2.0]),
            ("VALID", vec![3.0, 3.0]),
        ] {
            let attributes = [attribute("kernel_shape", [2]), attribute("auto_pad", auto_pad)];
            let y = plane(&[expected.len()], &expected);
            exact(
                ("", "MaxPool", 1),
                &[plane(&[3], &[1.0, 3.0, 2.0])],
                &attributes,
                &[y],
            );
        }
    }

    /// By hand: 5 is in row 1, column 1; 9 is in row 0, column 2.
    #[test]
    fn indices_in_both_storage_orders() {
        let x = plane(&[2, 3], &[1.0, 2.0, 9.0, 4.0, 5.0, 6.0]);
        for (order, places) in [(0, [4, 2]), (1, [3, 4])] {
            let attributes = [
                attribute("kernel_shape", [2, 2]),
                attribute("storage_order", order),
            ];
            let expected = [plane(&[1, 2], &[5.0, 9.0]), indices(&[1, 2], &places)];
            exact(
                ("", "MaxPool", 8),
                std::slice::from_ref(&x),
                &attributes,
                &expected,
            );
        }
    }

    /// A window that starts in the padding at the end is omitted; in a strict run up to 11 it is undefined.
    #[test]
    fn windows_in_the_padding() {
        let attributes = [
            attribute("kernel_shape", [1]),
            attribute("strides", [2]),
            attribute("pads", [0, 1]),
            attribute("ceil_mode", 1),
        ];
        let x = plane(&[2], &[7.0, 8.0]);
        refused_strictly(
            ("", "MaxPool", 11),
            &values(std::slice::from_ref(&x)),
            &attributes,
            "window of padding",
        );
        let expected = [plane(&[1], &[7.0]), indices(&[1], &[0])];
        for since in [10, 11, 12, 22] {
            exact(
                ("", "MaxPool", since),
                std::slice::from_ref(&x),
                &attributes,
                &expected,
            );
        }
    }
}
