//! AveragePool — the mean of each window.
//!
//! The sum in f64 (double-double for f64), divided in f64, rounded once (f64: within 2 ULP).
//!
//! Versions: 1 divides by the number of elements inside the input; 7 can count padding; 10 adds
//! `ceil_mode`; 11 changes only the text; 19 adds dilations and refers to a definition of `ceil_mode` that
//! omits windows which start in the padding at the end; 22 states this definition itself.
//!
//! Interpretation: positions that `ceil_mode` adds beyond the padded input never count. In 10 and 11, a
//! window that `ceil_mode` adds and that starts in the padding at the end is also omitted (deviation
//! `window-in-padding`). A window without a counted element has no mean: the node is an error.

use onnx_arithmetic::windows;
use onnx_tensor::{Accumulator, DType, Float, Tensor, dispatch};

use super::convolution::Reads;
use super::window::{Rounding, WindowAxis};
use super::{kernels, pooling};
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "AveragePool",
    &[
        v(1, First, |call| average_pool(call, Rounding::Floor, false)),
        v(7, Semantics, |call| {
            average_pool(call, Rounding::Floor, call.flag("count_include_pad")?)
        }),
        v(10, Semantics, |call| {
            by_mode(call, Rounding::ceil_unspecified(call))
        }),
        v(11, Wording, |call| {
            by_mode(call, Rounding::ceil_unspecified(call))
        }),
        v(19, Semantics, |call| by_mode(call, Rounding::CeilInside)),
        v(22, TypesOnly, |call| by_mode(call, Rounding::CeilInside)),
    ],
);

fn by_mode(call: &Call<'_>, ceil: Rounding) -> Result<Outputs, OpError> {
    let rounding = if call.flag("ceil_mode")? {
        ceil
    } else {
        Rounding::Floor
    };
    average_pool(call, rounding, call.flag("count_include_pad")?)
}

fn average_pool(call: &Call<'_>, rounding: Rounding, with_padding: bool) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call, rounding, with_padding))
}

fn typed<T: Float>(call: &Call<'_>, rounding: Rounding, with_padding: bool) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let (axes, shape) = pooling::prepare(call, rounding)?;
    let inside = !with_padding || axes.iter().all(|axis| (axis.begin, axis.end) == (0, 0));
    if T::DTYPE == DType::Float
        && inside
        && let Some(means) = of_floats(call, &axes, &shape)?
    {
        return one(means);
    }
    let means = pooling::pool(x, &axes, |_, plane, window| {
        let (mut sum, mut inside) = (T::Acc::default(), 0);
        window.visit(|place| {
            sum.add(plane[place]);
            inside += 1;
        });
        match if with_padding { window.padded } else { inside } {
            0 => Err(OpError::undefined("the mean of a window that covers nothing")),
            count => Ok(T::from_f64(sum.to_f64() / count as f64)),
        }
    })?;
    one(Tensor::new(&shape, means)?)
}

/// The means of the elements inside the input, of float, for all windows at a time. `None` if a window is
/// empty, or the reads are too many to be listed.
fn of_floats(call: &Call<'_>, axes: &[WindowAxis], shape: &[usize]) -> Result<Option<Tensor>, OpError> {
    if shape.contains(&0) {
        return Ok(None);
    }
    let count: usize = axes.iter().map(|axis| axis.output).product();
    let Some(reads) = Reads::of(axes) else {
        return Ok(None);
    };
    let counts = reads.counts(count);
    if counts.contains(&0) {
        return Ok(None);
    }
    let plane = axes.iter().map(|axis| axis.input).product::<usize>();
    let x = kernels::dense(call.array::<f32>(0)?);
    let (mut sums, mut result) = (vec![0.0; count], vec![0.0; shape.iter().product()]);
    for (x, means) in x.chunks(plane).zip(result.chunks_mut(count)) {
        sums.fill(0.0);
        reads.visit(|window, place, count| {
            windows::add(&x[place..], reads.step, &mut sums[window..window + count]);
        });
        for ((mean, sum), count) in means.iter_mut().zip(&sums).zip(&counts) {
            *mean = (sum / *count as f64) as f32;
        }
    }
    Ok(Some(Tensor::new(shape, result)?))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused_strictly, values};

    fn plane(shape: &[usize], elements: &[f32]) -> Tensor {
        Tensor::new(&[&[1, 1], shape].concat(), elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand: the divisor and the windows of each version.
    #[test]
    fn divisors_and_windows_by_version() {
        let pads = [attribute("kernel_shape", [2]), attribute("pads", [1, 0])];
        let counting = [&pads[..], &[attribute("count_include_pad", 1)]].concat();
        let ceil = [
            attribute("kernel_shape", [3]),
            attribute("strides", [2]),
            attribute("ceil_mode", 1),
        ];
        let outside = [
            attribute("kernel_shape", [1]),
            attribute("strides", [2]),
            attribute("pads", [0, 1]),
            attribute("ceil_mode", 1),
            attribute("count_include_pad", 1),
        ];
        let four: &[f32] = &[1.0, 2.0, 3.0, 4.0];
        let cases: &[(u32, &[_], &[f32], &[f32])] = &[
            (1, &pads, four, &[1.0, 1.5, 2.5, 3.5]),
            (7, &counting, four, &[0.5, 1.5, 2.5, 3.5]),
            (10, &ceil, four, &[2.0, 3.5]),
            (10, &outside[..4], &four[..2], &[1.0]),
            (11, &outside, &four[..2], &[1.0]),
            (19, &outside, &four[..2], &[1.0]),
        ];
        for (since, attributes, x, expected) in cases {
            let (x, y) = (plane(&[x.len()], x), plane(&[expected.len()], expected));
            exact(("", "AveragePool", *since), &[x], attributes, &[y]);
        }
        let x = values(&[plane(&[2], &four[..2])]);
        refused_strictly(("", "AveragePool", 10), &x, &outside[..4], "covers nothing");
    }
}
