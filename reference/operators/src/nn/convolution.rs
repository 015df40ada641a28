//! The core of all convolutions: patches of the input as columns of a matrix, multiplied by the kernels as
//! rows.
//!
//! A transposed convolution uses other patches: at each offset of the kernel, an output position reads the
//! input position that would write it ([`Run`]). Columns are computed for one tile of positions at a time,
//! so memory stays bounded. Each output is one sum ([`Product`]), which starts at the bias and is rounded
//! once.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};
use onnx_tensor::Element;

use super::window::WindowAxis;
use crate::frame::{Call, OpError};
use crate::shared::matrix_product::Product;

/// The output positions along an axis that read the input at one offset of the kernel: two arithmetic
/// progressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    output: usize,
    output_step: usize,
    input: usize,
    input_step: usize,
    count: usize,
}

impl Run {
    /// The run of a convolution at element `k` of the kernel: output o reads input o·stride + k·dilation −
    /// begin.
    pub fn forward(axis: &WindowAxis, k: usize) -> Run {
        let offset = (k * axis.dilation) as i64 - axis.begin;
        let (first, count) = inside(axis.output, axis.stride, offset, axis.input);
        let input = (first * axis.stride) as i64 + offset;
        Run {
            output: first,
            output_step: 1,
            input: input.max(0) as usize,
            input_step: axis.stride,
            count,
        }
    }

    /// The run of a transposed convolution: input i is read by output i·stride + k·dilation − begin.
    pub fn transposed(axis: &WindowAxis, k: usize) -> Run {
        let offset = (k * axis.dilation) as i64 - axis.begin;
        let (first, count) = inside(axis.input, axis.stride, offset, axis.output);
        let output = (first * axis.stride) as i64 + offset;
        Run {
            output: output.max(0) as usize,
            output_step: axis.stride,
            input: first,
            input_step: 1,
            count,
        }
    }

    /// The input position that output position `output` reads.
    fn source(&self, output: usize) -> Option<usize> {
        let beyond = output.checked_sub(self.output)?;
        let step = beyond / self.output_step;
        (beyond % self.output_step == 0 && step < self.count).then(|| self.input + step * self.input_step)
    }

    /// The part of the run with output positions in `from..to`.
    fn clip(&self, from: usize, to: usize) -> Run {
        let steps_before = |position: usize| {
            position
                .saturating_sub(self.output)
                .div_ceil(self.output_step)
                .min(self.count)
        };
        let (first, last) = (steps_before(from), steps_before(to));
        Run {
            output: self.output + first * self.output_step,
            input: self.input + first * self.input_step,
            count: last - first,
            ..*self
        }
    }
}

/// The indices j < `count` for which j·stride + offset is in `0..extent`: the first index and the count.
fn inside(count: usize, stride: usize, offset: i64, extent: usize) -> (usize, usize) {
    let (count, stride, extent) = (count as i64, stride as i64, extent as i64);
    let first = (-offset).max(0).div_euclid(stride) + i64::from((-offset).max(0) % stride != 0);
    let end = ((extent - offset).max(0) + stride - 1)
        .div_euclid(stride)
        .min(count);
    (first.min(count) as usize, (end - first).max(0) as usize)
}

/// The shapes of a convolution.
#[derive(Debug)]
pub struct Convolution {
    /// Batch size.
    pub batch: usize,
    /// Input channels of all groups.
    pub channels: usize,
    /// Output channels of all groups.
    pub maps: usize,
    /// Number of groups; it divides both.
    pub groups: usize,
    /// Spatial extents of the input.
    pub input: Vec<usize>,
    /// Spatial extents of the output.
    pub output: Vec<usize>,
    /// For each spatial axis, the run of each element of the kernel.
    pub runs: Vec<Vec<Run>>,
    /// The contribution of a kernel element without an input element.
    pub absent: Absent,
}

/// The contribution of a kernel element without an input element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// A product with zero, which is NaN for an infinite weight: padding adds zeros.
    Zero,
    /// No product.
    Nothing,
}

/// Factors in one tile of columns, so that a tile fits the cache …
const TILE: usize = 1 << 18;
/// … unless the tile has fewer positions than this, because each tile packs the kernels again …
const WIDE: usize = 512;
/// … but never more factors than this.
const LARGE_TILE: usize = 1 << 22;

/// The number of output positions in one tile of columns with `height` factors.
fn tile_width(height: usize, positions: usize) -> usize {
    let height = height.max(1);
    (TILE / height)
        .max(WIDE.min(LARGE_TILE / height))
        .clamp(1, positions)
}

impl Convolution {
    /// The shape of the result.
    pub fn shape(&self) -> Vec<usize> {
        [&[self.batch, self.maps], &self.output[..]].concat()
    }

    /// Reserves the result and charges its products: `group_channels` times the taps of a kernel for each
    /// element.
    pub fn charge(&self, call: &Call<'_>, group_channels: usize) -> Result<(), OpError> {
        let (shape, dtype) = (self.shape(), call.dtype(0)?);
        call.reserve(&shape, dtype)?;
        if shape.contains(&0) {
            return Ok(());
        }
        call.products(dtype, &[&shape[..], &[group_channels, self.taps()]].concat())
    }

    /// The number of elements in the kernel of one channel.
    fn taps(&self) -> usize {
        self.runs.iter().map(Vec::len).product()
    }

    /// Convolves `x`, row-major of shape batch × channels × input, with a matrix of kernels for each group
    /// (output channels of the group × its input channels times taps). Sums start at `start`, one for each
    /// output channel; `finish` rounds the sum of an output channel.
    pub fn run<T: Product, R: Element>(
        &self,
        x: &[T::Factor],
        kernels: &[Array2<T::Factor>],
        start: &[T::Sum],
        finish: impl Fn(usize, T::Sum) -> R,
    ) -> Result<Vec<R>, OpError> {
        if self.shape().contains(&0) {
            return Ok(Vec::new());
        }
        let plane: usize = self.input.iter().product();
        let positions: usize = self.output.iter().product();
        let (group_channels, group_maps) = (self.channels / self.groups, self.maps / self.groups);
        let width = tile_width(group_channels * self.taps(), positions);
        let mut result = vec![R::default(); self.batch * self.maps * positions];
        // Buffers that every tile reuses: fresh pages would cost more than a small tile.
        let (mut columns, mut sums) = (Vec::new(), Vec::new());
        for image in 0..self.batch {
            for (group, kernels) in kernels.iter().enumerate() {
                let channel = (image * self.channels + group * group_channels) * plane;
                let x = &x[channel..channel + group_channels * plane];
                let first = group * group_maps;
                let result = &mut result[(image * self.maps + first) * positions..];
                for from in (0..positions).step_by(width) {
                    let to = (from + width).min(positions);
                    sums.clear();
                    for &start in &start[first..first + group_maps] {
                        sums.resize(sums.len() + to - from, start);
                    }
                    self.tile::<T>(x, kernels, &mut columns, &mut sums, from..to)?;
                    for (map, sums) in sums.chunks(to - from).enumerate() {
                        let row = &mut result[map * positions + from..map * positions + to];
                        let pairs = row.iter_mut().zip(sums);
                        pairs.for_each(|(y, &sum)| *y = finish(first + map, sum));
                    }
                }
            }
        }
        Ok(result)
    }

    /// Adds the contributions to a range of output positions to `sums`, which has a row for each output
    /// channel of a group.
    fn tile<T: Product>(
        &self,
        x: &[T::Factor],
        kernels: &Array2<T::Factor>,
        columns: &mut Vec<T::Factor>,
        sums: &mut [T::Sum],
        positions: Range<usize>,
    ) -> Result<(), OpError> {
        let mut sums = ArrayViewMut2::from_shape((kernels.nrows(), positions.len()), sums)?;
        if self.absent == Absent::Nothing {
            return self.present::<T>(x, kernels, columns, &mut sums, positions);
        }
        let columns = if self.is_pointwise() {
            let plane = self.input.iter().product();
            let channels = self.channels / self.groups;
            ArrayView2::from_shape((channels, plane), x)?.slice_move(s![.., positions])
        } else {
            self.fill_columns(x, positions.clone(), columns)?;
            ArrayView2::from_shape((kernels.ncols(), positions.len()), columns)?
        };
        T::accumulate(&kernels.view(), &columns, &mut sums);
        Ok(())
    }

    /// Like [`Self::tile`], element by element, with products of existing inputs only.
    fn present<T: Product>(
        &self,
        x: &[T::Factor],
        kernels: &Array2<T::Factor>,
        columns: &mut Vec<T::Factor>,
        sums: &mut ArrayViewMut2<'_, T::Sum>,
        positions: Range<usize>,
    ) -> Result<(), OpError> {
        let mut there = Vec::new();
        self.fill_columns(&vec![true; x.len()], positions.clone(), &mut there)?;
        self.fill_columns(x, positions.clone(), columns)?;
        let width = positions.len();
        for (mut sums, kernel) in sums.outer_iter_mut().zip(kernels.outer_iter()) {
            let rows = columns.chunks(width).zip(there.chunks(width));
            for ((row, there), &weight) in rows.zip(kernel) {
                let present = row
                    .iter()
                    .zip(there)
                    .zip(&mut sums)
                    .filter(|((_, there), _)| **there);
                present.for_each(|((&x, _), sum)| T::add_product(sum, weight, x));
            }
        }
        Ok(())
    }

    /// Whether each output position reads only the same input position, so that the input itself is the
    /// columns.
    fn is_pointwise(&self) -> bool {
        self.input == self.output
            && self
                .runs
                .iter()
                .zip(&self.input)
                .all(|(runs, &extent)| match runs.as_slice() {
                    [run] => run.output == 0 && run.input == 0 && run.count == extent,
                    _ => false,
                })
    }

    /// Fills `columns` with the patches of a range of output positions: a row for each channel and element
    /// of the kernel.
    fn fill_columns<F: Copy + Default>(
        &self,
        x: &[F],
        positions: Range<usize>,
        columns: &mut Vec<F>,
    ) -> Result<(), OpError> {
        let Range { start: from, end: to } = positions;
        let (taps, width) = (self.taps(), to - from);
        let plane: usize = self.input.iter().product();
        let channels = x.len() / plane.max(1);
        columns.clear();
        columns.resize(channels * taps * width, F::default());
        let Some((&line, outer)) = self.output.split_last() else {
            return Err(OpError::invalid("a convolution requires a spatial axis"));
        };
        for tap in 0..taps {
            let runs = self.runs_of(tap);
            let Some((last, runs)) = runs.split_last() else {
                break;
            };
            for index in from / line..to.div_ceil(line) {
                let Some(base) = self.line_source(runs, outer, index) else {
                    continue;
                };
                let begin = index * line;
                let run = last.clip(from.saturating_sub(begin), (to - begin).min(line));
                if run.count == 0 {
                    continue;
                }
                for channel in 0..channels {
                    let row = (channel * taps + tap) * width;
                    let into = &mut columns[row + begin + run.output - from..row + width];
                    run.copy(
                        into,
                        &x[channel * plane + base + run.input..(channel + 1) * plane],
                    );
                }
            }
        }
        Ok(())
    }

    /// The run of each axis at element `tap` of the kernel, counted in row-major order.
    fn runs_of(&self, tap: usize) -> Vec<Run> {
        let mut rest = tap;
        let mut runs: Vec<Run> = self
            .runs
            .iter()
            .rev()
            .map(|runs| {
                let run = runs[rest % runs.len()];
                rest /= runs.len();
                run
            })
            .collect();
        runs.reverse();
        runs
    }

    /// The offset in an input plane from which the line of output positions `index` reads, if there is one.
    fn line_source(&self, runs: &[Run], outer: &[usize], index: usize) -> Option<usize> {
        let (mut rest, mut stride) = (index, self.input.last().copied().unwrap_or(1));
        let mut base = 0;
        for ((run, &extent), &input) in runs.iter().zip(outer).zip(&self.input).rev() {
            base += run.source(rest % extent)? * stride;
            rest /= extent;
            stride *= input;
        }
        Some(base)
    }
}

impl Run {
    fn copy<F: Copy>(&self, into: &mut [F], from: &[F]) {
        if (self.output_step, self.input_step) == (1, 1) {
            into[..self.count].copy_from_slice(&from[..self.count]);
        } else {
            let from = from.iter().step_by(self.input_step).take(self.count);
            let into = into.iter_mut().step_by(self.output_step);
            into.zip(from).for_each(|(into, from)| *into = *from);
        }
    }
}
