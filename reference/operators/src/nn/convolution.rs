//! The core of all convolutions: products of kernels and of patches of the input.
//!
//! A convolution is one product for each image and group: a row for each output channel, a column for each
//! output position, and a term for each input channel and element of the kernel ([`patches`]). A transposed
//! convolution is one such product for each residue of the output positions modulo the stride ([`phases`]).
//! Each output is one sum ([`Product`]), which starts at the bias, has the terms in their order, in the
//! blocks of `onnx_arithmetic::product`, and is rounded once.

mod dense;
mod patches;
mod phases;
mod run;
#[cfg(test)]
mod tests;

use onnx_arithmetic::product::Blocks;
use onnx_tensor::Element;

use crate::frame::{Call, OpError};
use crate::shared::matrix_product::Product;

use dense::Dense;
pub use patches::Reads;
use phases::{Phase, Phases, phases};
pub use run::Run;

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
}

/// Writes `values` to every place that is a multiple of `step`.
fn scatter<R: Copy>(values: &[R], step: usize, into: &mut [R]) {
    match step {
        1 => into[..values.len()].copy_from_slice(values),
        _ => into
            .iter_mut()
            .step_by(step)
            .zip(values)
            .for_each(|(into, value)| *into = *value),
    }
}

/// Writes the results of an output channel for a row of its sums.
pub type Finish<'a, S, R> = &'a (dyn Fn(usize, &[S], &mut [R]) + Sync);

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

    fn positions(&self) -> usize {
        self.output.iter().product()
    }

    /// Convolves `x`, row-major of shape batch × channels × input, with kernels `w`, row-major: output
    /// channels × channels of a group × kernel. Sums start at `start`, one for each output channel. Padding
    /// adds products with zero, which are NaN for a weight that is not finite.
    pub fn run<T: Product, R: Element + Copy>(
        &self,
        x: &[T],
        w: &[T],
        start: &[T::Sum],
        finish: Finish<'_, T::Sum, R>,
    ) -> Result<Vec<R>, OpError> {
        let mut result = self.results::<R>();
        if result.is_empty() {
            return Ok(result);
        }
        let dense = Dense {
            convolution: self,
            phase: &Phase {
                output: self.output.clone(),
                runs: self.runs.clone(),
            },
            blocks: &Blocks::of(self.channels / self.groups * self.taps()),
            parts: 1,
        };
        dense.run(x, w, start, finish, &mut result)?;
        Ok(result)
    }

    /// The transposed convolution of `x`, row-major of shape batch × channels × input, with kernels `w`,
    /// row-major: channels × output channels of a group × kernel. Only products of existing inputs are added.
    pub fn run_transposed<T: Product, R: Element + Copy>(
        &self,
        x: &[T],
        w: &[T],
        start: &[T::Sum],
        finish: Finish<'_, T::Sum, R>,
    ) -> Result<Vec<R>, OpError> {
        let mut result = self.results::<R>();
        if result.is_empty() {
            return Ok(result);
        }
        // Each sum has a product with zero; it makes a bias of −0 a zero.
        let settled = start.iter().map(|&start| {
            let mut sum = start;
            T::add_product(&mut sum, T::ZERO.factor(), T::ZERO.factor());
            sum
        });
        let start: Vec<T::Sum> = if self.channels == 0 {
            start.to_vec()
        } else {
            settled.collect()
        };
        for phases in phases(&self.output, &self.runs, self.channels / self.groups) {
            self.add_phases(&phases, x, w, &start, finish, &mut result)?;
        }
        Ok(result)
    }

    fn results<R: Element + Copy>(&self) -> Vec<R> {
        vec![R::default(); self.shape().iter().product()]
    }

    /// Computes the part of `result` that belongs to `phases`.
    fn add_phases<T: Product, R: Element + Copy>(
        &self,
        phases: &Phases,
        x: &[T],
        w: &[T],
        start: &[T::Sum],
        finish: Finish<'_, T::Sum, R>,
        result: &mut [R],
    ) -> Result<(), OpError> {
        let (maps, parts, columns) = (
            self.maps / self.groups,
            phases.parts.len(),
            phases.phase.positions(),
        );
        let kernels = self.kernels_of(phases, w);
        let starts = start
            .chunks(maps)
            .flat_map(|group| group.repeat(parts))
            .collect::<Vec<_>>();
        let dense = Dense {
            convolution: self,
            phase: &phases.phase,
            blocks: &phases.blocks,
            parts,
        };
        let mut rows = vec![R::default(); self.batch * self.maps * parts * columns];
        dense.run(x, &kernels, &starts, finish, &mut rows)?;
        let steps: Vec<usize> = self
            .runs
            .iter()
            .map(|runs| runs.first().map_or(1, Run::output_step))
            .collect();
        let line = phases.phase.output.last().copied().unwrap_or(1);
        let positions = self.positions();
        for (index, part) in phases.parts.iter().enumerate() {
            let lines = part.lines(&phases.phase, &self.output, &steps);
            let step = steps.last().copied().unwrap_or(1);
            for (map, result) in result.chunks_mut(positions).enumerate() {
                let row = (map / maps * parts + index) * maps + map % maps;
                let row = &rows[row * columns..][..columns];
                for (values, &at) in row.chunks(line.max(1)).zip(&lines) {
                    scatter(values, step, &mut result[at..]);
                }
            }
        }
        Ok(())
    }

    /// The kernels of `phases`: for each group and part a row for each output channel, with the elements of
    /// each input channel that the part reads.
    fn kernels_of<T: Product>(&self, phases: &Phases, w: &[T]) -> Vec<T> {
        let (maps, channels, taps) = (self.maps / self.groups, self.channels / self.groups, self.taps());
        let mut kernels = Vec::with_capacity(self.maps * phases.parts.len() * channels * phases.phase.taps());
        for group in 0..self.groups {
            for part in &phases.parts {
                for map in 0..maps {
                    for channel in group * channels..(group + 1) * channels {
                        let kernel = &w[(channel * maps + map) * taps..][..taps];
                        kernels.extend(part.taps.iter().map(|&tap| kernel[tap]));
                    }
                }
            }
        }
        kernels
    }

    /// As [`Convolution::run_transposed`], product by product: with a weight that is not finite, a product
    /// with zero is NaN.
    pub fn run_transposed_by_element<T: Product, R: Element + Copy>(
        &self,
        x: &[T],
        w: &[T],
        start: &[T::Sum],
        finish: Finish<'_, T::Sum, R>,
    ) -> Vec<R> {
        let mut result = self.results::<R>();
        let (positions, maps) = (self.positions(), self.maps / self.groups);
        for (index, result) in result.chunks_mut((maps * positions).max(1)).enumerate() {
            let group = index % self.groups;
            let first = group * maps;
            let starts = start[first..first + maps].iter();
            let mut sums: Vec<T::Sum> = starts.flat_map(|&start| vec![start; positions]).collect();
            self.add_present(x, w, index, &mut sums);
            for (map, (result, sums)) in result
                .chunks_mut(positions)
                .zip(sums.chunks(positions))
                .enumerate()
            {
                finish(first + map, sums, result);
            }
        }
        result
    }

    /// Adds the products of existing inputs to the sums of the group with this index among those of all
    /// images.
    fn add_present<T: Product>(&self, x: &[T], w: &[T], index: usize, sums: &mut [T::Sum]) {
        let (maps, channels, taps) = (self.maps / self.groups, self.channels / self.groups, self.taps());
        let plane: usize = self.input.iter().product();
        let phase = Phase {
            output: self.output.clone(),
            runs: self.runs.clone(),
        };
        for channel in 0..channels {
            let x = &x[(index * channels + channel) * plane..][..plane];
            let kernel = &w[(index % self.groups * channels + channel) * maps * taps..][..maps * taps];
            for tap in 0..taps {
                let pairs = phase.pairs(tap, &self.input);
                for (map, sums) in sums.chunks_mut(self.positions()).enumerate() {
                    let weight = kernel[map * taps + tap].factor();
                    for &(to, from) in &pairs {
                        T::add_product(&mut sums[to], weight, x[from].factor());
                    }
                }
            }
        }
    }
}
