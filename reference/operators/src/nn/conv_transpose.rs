//! ConvTranspose — the transposed convolution: each input element adds a scaled kernel to the output.
//!
//! Each output is one sum in f64 (double-double for f64) that starts at the bias, rounded once. Only
//! products of input elements are computed: there is no element between the strides of the input, and so no
//! 0 · ∞.
//!
//! Versions: 1 puts the odd element of generated padding at the beginning for SAME_UPPER, 11 and later at
//! the beginning for every other `auto_pad`, as the equations of the two versions say; 22 only adds bf16.
//!
//! Interpretation: with `auto_pad` SAME and no `output_shape`, the result has input · stride elements on
//! each axis, as if `output_shape` were set to that. If generated padding is negative, no input reaches the
//! elements at the end of the output, and they hold the bias (question `conv-transpose-shortfall`).
//! `output_shape` may have leading entries for batch and channels, which some exporters of version 1 write.

use onnx_tensor::{DType, Float, Tensor, dispatch};

use super::convolution::{Convolution, Run};
use super::kernels;
use super::window::{Padding, WindowAxis, check_extents, check_kernel, per_axis, size};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, one, op, v};
use crate::shared::layout;
use crate::shared::matrix_product::Product;

pub const OP: OpDef = op(
    "ConvTranspose",
    &[
        v(1, First, |call| conv_transpose(call, OddPad::ByVersion1)),
        v(11, Semantics, |call| conv_transpose(call, OddPad::ByVersion11)),
        v(22, TypesOnly, |call| conv_transpose(call, OddPad::ByVersion11)),
    ],
);

/// The side that gets the odd element of generated padding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OddPad {
    /// The beginning for SAME_UPPER, otherwise the end.
    ByVersion1,
    /// The end for SAME_UPPER, otherwise the beginning.
    ByVersion11,
}

fn conv_transpose(call: &Call<'_>, odd_pad: OddPad) -> Result<Outputs, OpError> {
    // Questions `conv-transpose-1-odd-pad` and `conv-transpose-odd-pad`.
    let other = match odd_pad {
        OddPad::ByVersion1 => (Reading::ConvTransposeOddPadAttribute, OddPad::ByVersion11),
        OddPad::ByVersion11 => (Reading::ConvTransposeOddPadEquations, OddPad::ByVersion1),
    };
    let odd_pad = if call.takes(other.0) { other.1 } else { odd_pad };
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call, odd_pad))
}

fn typed<T: Float + Product>(call: &Call<'_>, odd_pad: OddPad) -> Result<Outputs, OpError> {
    let (x, w) = (call.array::<T>(0)?, call.array::<T>(1)?);
    let convolution = transposed(call, x.shape(), w.shape(), odd_pad)?;
    let shape = convolution.shape();
    let start = kernels::bias::<T>(call.optional_array(2)?, convolution.maps)?;
    if shape.contains(&0) {
        return one(layout::empty(T::DTYPE, &shape)?);
    }
    let (x, w) = (kernels::dense(x), kernels::dense(w));
    let finish = |_, sums: &[T::Sum], result: &mut [T]| T::finish_all(sums, result);
    // With finite weights a product with zero adds nothing.
    let result = if w.iter().all(|w| w.to_f64().is_finite()) {
        convolution.run_transposed::<T, T>(&x, &w, &start, &finish)?
    } else {
        convolution.run_transposed_by_element::<T, T>(&x, &w, &start, &finish)
    };
    one(Tensor::new(&shape, result)?)
}

fn transposed(call: &Call<'_>, x: &[usize], w: &[usize], odd_pad: OddPad) -> Result<Convolution, OpError> {
    let ([batch, channels, input @ ..], [kernels, group_maps, kernel @ ..]) = (x, w) else {
        return Err(OpError::invalid(format!(
            "shapes {x:?} and {w:?} must have a batch and a channel axis"
        )));
    };
    let groups = kernels::positive(call, "group")?;
    let fits = !input.is_empty() && input.len() == kernel.len() && !kernel.contains(&0);
    if !fits || kernels != channels || channels % groups != 0 {
        return Err(OpError::invalid(format!(
            "shapes {x:?} and {w:?} do not agree for a transposed convolution with {groups} groups"
        )));
    }
    kernels::agree(call, kernel)?;
    // A kernel without channels has no elements, but its extents can be arbitrary.
    call.reserve(kernel, DType::Double)?;
    let axes = axes(call, input, kernel, odd_pad)?;
    let maps = group_maps.checked_mul(groups);
    let convolution = Convolution {
        batch: *batch,
        channels: *channels,
        maps: maps.ok_or_else(|| {
            OpError::invalid(format!(
                "{group_maps} output channels in each of {groups} groups are too many"
            ))
        })?,
        groups,
        input: input.to_vec(),
        output: axes.iter().map(|axis| axis.output).collect(),
        runs: axes
            .iter()
            .map(|axis| (0..axis.kernel).map(|k| Run::transposed(axis, k)).collect())
            .collect(),
    };
    convolution.charge(call, channels / groups)?;
    Ok(convolution)
}

fn axes(
    call: &Call<'_>,
    input: &[usize],
    kernel: &[usize],
    odd_pad: OddPad,
) -> Result<Vec<WindowAxis>, OpError> {
    let rank = input.len();
    check_extents(input)?;
    check_kernel(kernel)?;
    let strides = per_axis(call, "strides", rank, 1)?;
    let dilations = per_axis(call, "dilations", rank, 1)?;
    let extra = if call.has_attribute("output_padding") {
        per_axis(call, "output_padding", rank, 0)?
    } else {
        vec![0; rank]
    };
    let padding = Padding::read(call, rank)?;
    let wanted = output_shape(call, rank)?;
    (0..rank)
        .map(|index| {
            let (stride, dilation) = (strides[index], dilations[index]);
            if odd_pad == OddPad::ByVersion11 && extra[index] >= stride.max(dilation) {
                return Err(OpError::invalid(
                    "`output_padding` must be less than the stride or the dilation",
                ));
            }
            let (input, kernel) = (input[index], kernel[index]);
            let axis = WindowAxis {
                input,
                output: 0,
                kernel,
                stride,
                dilation,
                begin: 0,
                end: 0,
            };
            let wanted = wanted.as_ref().map(|shape| shape[index]);
            sized(call, axis, extra[index], wanted, &padding.of_axis(index), odd_pad)
        })
        .collect()
}

/// `axis` with its output and pads, by the equations of the specification.
fn sized(
    call: &Call<'_>,
    axis: WindowAxis,
    extra: usize,
    wanted: Option<i64>,
    padding: &Padding,
    odd_pad: OddPad,
) -> Result<WindowAxis, OpError> {
    // Each factor is below 2^31, so that i64 holds the products.
    let last = (axis.input as i64 - 1) * axis.stride as i64;
    let span = ((axis.kernel - 1) * axis.dilation + 1) as i64;
    let full = last.saturating_add(extra as i64).saturating_add(span);
    let same = matches!(padding, Padding::SameUpper | Padding::SameLower);
    let wanted = wanted.or_else(|| same.then(|| (axis.input * axis.stride) as i64));
    let (output, begin, end) = match (wanted, padding) {
        (Some(output), _) => {
            let split = call.takes(Reading::ConvTransposeShortfallSplit);
            let total = full.saturating_sub(output).max(if split { i64::MIN } else { 0 });
            let (less, more) = (total / 2, total - total / 2);
            let more_first = (*padding == Padding::SameUpper) == (odd_pad == OddPad::ByVersion1);
            let (begin, end) = if more_first { (more, less) } else { (less, more) };
            (output, begin, end)
        }
        (None, Padding::Explicit(pads)) => {
            let (begin, end) = pads.first().copied().unwrap_or_default();
            let (begin, end) = (begin as i64, end as i64);
            (full - begin - end, begin, end)
        }
        (None, _) => (full, 0, 0),
    };
    let output = size("extents of the output", output, 0)?;
    Ok(WindowAxis {
        output,
        begin,
        end,
        ..axis
    })
}

/// The attribute `output_shape`: the spatial extents.
fn output_shape(call: &Call<'_>, rank: usize) -> Result<Option<Vec<i64>>, OpError> {
    let Some(entries) = call.optional_ints("output_shape")? else {
        return Ok(None);
    };
    let spatial = match entries.len().checked_sub(rank) {
        Some(extra @ (0 | 2)) => &entries[extra..],
        _ => {
            return Err(OpError::invalid(format!(
                "`output_shape` is {entries:?} for {rank} spatial axes"
            )));
        }
    };
    let least = |&entry: &i64| size("output_shape", entry, 0).map(|_| entry);
    spatial.iter().map(least).collect::<Result<_, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    fn plane(shape: &[usize], elements: &[f32]) -> Tensor {
        Tensor::new(&[&[1, 1], shape].concat(), elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand: x = [1, 2] and w = [1, 10, 100] with stride 2 result in [1, 10, 102, 20, 200], of which one
    /// element is removed. The two versions remove it at opposite ends.
    #[test]
    fn the_odd_element_of_padding_by_version() {
        let inputs = [plane(&[2], &[1.0, 2.0]), plane(&[3], &[1.0, 10.0, 100.0])];
        let (head, tail) = ([1.0, 10.0, 102.0, 20.0], [10.0, 102.0, 20.0, 200.0]);
        let stride = attribute("strides", [2]);
        for (since, padding, expected) in [
            (1, attribute("auto_pad", "SAME_UPPER"), tail),
            (1, attribute("auto_pad", "SAME_LOWER"), head),
            (1, attribute("output_shape", [4]), head),
            (11, attribute("auto_pad", "SAME_UPPER"), head),
            (11, attribute("auto_pad", "SAME_LOWER"), tail),
            (11, attribute("output_shape", [4]), tail),
        ] {
            let attributes = [stride.clone(), padding];
            exact(
                ("", "ConvTranspose", since),
                &inputs,
                &attributes,
                &[plane(&[4], &expected)],
            );
        }
        let attributes = [stride, attribute("output_padding", [2])];
        refused(
            ("", "ConvTranspose", 11),
            &values(&inputs),
            &attributes,
            "`output_padding`",
        );
    }
}
