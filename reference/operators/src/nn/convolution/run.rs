//! The positions of one element of a kernel.

use super::super::window::WindowAxis;

/// The output positions along an axis that read the input at one offset of the kernel: two arithmetic
/// progressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    pub(super) output: usize,
    pub(super) output_step: usize,
    pub(super) input: usize,
    pub(super) input_step: usize,
    pub(super) count: usize,
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

    /// The distance of its output positions.
    pub(super) fn output_step(&self) -> usize {
        self.output_step
    }

    /// The input position that output position `output` reads.
    pub(super) fn source(&self, output: usize) -> Option<usize> {
        let beyond = output.checked_sub(self.output)?;
        let step = beyond / self.output_step;
        (beyond % self.output_step == 0 && step < self.count).then(|| self.input + step * self.input_step)
    }

    /// The part of the run with output positions in `from..to`.
    pub(super) fn clip(&self, from: usize, to: usize) -> Run {
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

    /// The run among the output positions `first`, `first + step`, …; `None` if it has none of them.
    pub(super) fn among(&self, first: usize, step: usize) -> Option<Run> {
        let beyond = self.output.checked_sub(first)?;
        let there = self.count > 0 && self.output_step == step && beyond.is_multiple_of(step);
        there.then_some(Run {
            output: beyond / step,
            output_step: 1,
            ..*self
        })
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
