//! ConvTranspose — the transposed convolution: each input element adds a scaled kernel to the output.
//!
//! Each output is one sum in f64 (double-double for f64) that begins at the bias, rounded once.
//!
//! Versions: 1 gives the odd element of generated padding to the beginning for SAME_UPPER, 11 and later to the beginning for
//! every other `auto_pad` — as the equations of the two versions say; 22 only added bf16.
//!
//! Readings: with `auto_pad` SAME and no `output_shape` the result has input · stride elements on each axis, which is
//! `output_shape` set to that. Where generated padding comes out negative, the output has elements that no input reaches
//! at its end, which hold the bias. `output_shape` may have leading entries for batch and channels, as some exporters
//! of version 1 write.

use ndarray::Array2;
use onnx_tensor::{Array, DType, Float, Tensor, dispatch};

use super::convolution::{Convolution, Run};
use super::kernels;
use super::window::{Padding, WindowAxis, check_extents, per_axis, size};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::matrix_product::Product;

pub const OP: OpDef = op(
    "ConvTranspose",
    &[
        v(1, First, |call| conv_transpose(call, OddPad::ByVersion1)),
        v(11, Semantics, |call| conv_transpose(call, OddPad::ByVersion11)),
        v(22, TypesOnly, |call| conv_transpose(call, OddPad::ByVersion11)),
    ],
);

/// Which side gets the odd element of generated padding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OddPad {
    /// The beginning for SAME_UPPER, else the end.
    ByVersion1,
    /// The end for SAME_UPPER, else the beginning.
    ByVersion11,
}

fn conv_transpose(call: &Call<'_>, odd: OddPad) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call, odd))
}

fn typed<T: Float + Product>(call: &Call<'_>, odd: OddPad) -> Result<Outputs, OpError> {
    let (x, w) = (call.array::<T>(0)?, call.array::<T>(1)?);
    let convolution = transposed(call, x.shape(), w.shape(), odd)?;
    let shape = convolution.shape();
    call.reserve(&shape, T::DTYPE)?;
    let start = kernels::bias::<T>(call.optional_array(2)?, convolution.maps)?;
    let kernels = rows_of_maps::<T>(w, convolution.groups)?;
    let x: Vec<T::Factor> = kernels::factors::<T>(x);
    let result = convolution.run::<T, T>(&x, &kernels, &start, |_, sum| T::finish(sum))?;
    one(Tensor::new(&shape, result)?)
}

/// The kernels of each group with a row for each output channel; `w` is C × M/group × …
fn rows_of_maps<T: Product>(w: &Array<T>, groups: usize) -> Result<Vec<Array2<T::Factor>>, OpError> {
    let &[channels, group_maps, ref kernel @ ..] = w.shape() else {
        return Err(OpError::invalid(format!("kernels of shape {:?}", w.shape())));
    };
    let taps: usize = kernel.iter().product();
    let group_channels = channels / groups;
    let dense = w.as_standard_layout();
    let kernels = dense
        .view()
        .into_shape_with_order((groups, group_channels, group_maps, taps))?;
    kernels
        .outer_iter()
        .map(|kernels| {
            let by_map = kernels.permuted_axes([1, 0, 2]).mapv(T::factor);
            let row_major = by_map.as_standard_layout().into_owned();
            Ok(row_major.into_shape_with_order((group_maps, group_channels * taps))?)
        })
        .collect()
}

fn transposed(call: &Call<'_>, x: &[usize], w: &[usize], odd: OddPad) -> Result<Convolution, OpError> {
    let ([batch, channels, input @ ..], [kernels, group_maps, kernel @ ..]) = (x, w) else {
        return Err(OpError::invalid(format!(
            "shapes {x:?} and {w:?} have no batch and channels"
        )));
    };
    let groups = kernels::groups(call, "group")?;
    let fits = !input.is_empty() && input.len() == kernel.len() && !kernel.contains(&0);
    if !fits || kernels != channels || channels % groups != 0 {
        return Err(OpError::invalid(format!(
            "shapes {x:?} and {w:?} do not fit a transposed convolution of {groups} groups"
        )));
    }
    kernels::agree(call, kernel)?;
    // A kernel without channels has no elements, yet its extents may be anything.
    call.reserve(kernel, DType::Double)?;
    let axes = axes(call, input, kernel, odd)?;
    let maps = group_maps.checked_mul(groups);
    Ok(Convolution {
        batch: *batch,
        channels: *channels,
        maps: maps.ok_or_else(|| OpError::invalid(format!("{group_maps} maps in {groups} groups")))?,
        groups,
        input: input.to_vec(),
        output: axes.iter().map(|axis| axis.output).collect(),
        runs: axes
            .iter()
            .map(|axis| (0..axis.kernel).map(|k| Run::transposed(axis, k)).collect())
            .collect(),
    })
}

fn axes(call: &Call<'_>, input: &[usize], kernel: &[usize], odd: OddPad) -> Result<Vec<WindowAxis>, OpError> {
    let rank = input.len();
    check_extents(input)?;
    check_extents(kernel)?;
    let strides = per_axis(call, "strides", rank, 1)?;
    let dilations = per_axis(call, "dilations", rank, 1)?;
    let extra = match call.has_attribute("output_padding") {
        true => per_axis(call, "output_padding", rank, 0)?,
        false => vec![0; rank],
    };
    let padding = Padding::read(call, rank)?;
    let wanted = output_shape(call, rank)?;
    (0..rank)
        .map(|axis| {
            let (stride, dilation) = (strides[axis], dilations[axis]);
            if odd == OddPad::ByVersion11 && extra[axis] >= stride.max(dilation) {
                return Err(OpError::invalid(
                    "`output_padding` must be less than the stride or the dilation",
                ));
            }
            // Each factor is below 2^31, so that i64 holds the products.
            let last = (input[axis] as i64 - 1) * stride as i64;
            let span = ((kernel[axis] - 1) * dilation + 1) as i64;
            let full = last.saturating_add(extra[axis] as i64).saturating_add(span);
            let same = matches!(padding, Padding::SameUpper | Padding::SameLower);
            let wanted = match &wanted {
                Some(shape) => Some(shape[axis]),
                None => same.then(|| (input[axis] * stride) as i64),
            };
            let (output, begin, end) = match (wanted, &padding) {
                (Some(output), _) => {
                    let total = usize::try_from(full.saturating_sub(output)).unwrap_or(0);
                    let (less, more) = (total / 2, total - total / 2);
                    let more_first = (padding == Padding::SameUpper) == (odd == OddPad::ByVersion1);
                    let (begin, end) = if more_first { (more, less) } else { (less, more) };
                    (output, begin, end)
                }
                (None, Padding::Explicit(pads)) => {
                    let (begin, end) = pads[axis];
                    (full - begin as i64 - end as i64, begin, end)
                }
                (None, _) => (full, 0, 0),
            };
            let output = size("extents of the output", output, 0)?;
            let (input, kernel) = (input[axis], kernel[axis]);
            Ok(WindowAxis {
                input,
                output,
                kernel,
                stride,
                dilation,
                begin,
                end,
            })
        })
        .collect()
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
                "`output_shape` = {entries:?} for {rank} spatial axes"
            )));
        }
    };
    let least = |&entry: &i64| size("output_shape", entry, 0).map(|_| entry);
    spatial.iter().map(least).collect::<Result<_, _>>().map(Some)
}
