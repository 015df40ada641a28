//! Output positions that read the same elements of the kernel.
//!
//! All output positions of a convolution do. In a transposed convolution an output position reads only the
//! elements of the kernel at one residue modulo the stride: the positions with the same residue on each axis
//! are a *phase*, which is a convolution with a stride of 1 and a part of the kernel.

use onnx_arithmetic::product::{Blocks, DEPTH};

use super::run::Run;

/// A convolution whose output positions read every element of its kernel, unless it is outside of the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Phase {
    /// The extents of its output.
    pub(super) output: Vec<usize>,
    /// For each spatial axis, the run of each element of its kernel.
    pub(super) runs: Vec<Vec<Run>>,
}

/// The part of a kernel and of an output that is a phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// The elements of the whole kernel, counted in row-major order.
    pub(super) taps: Vec<usize>,
    /// The first output position on each axis.
    first: Vec<usize>,
}

/// The phases that differ only in their parts.
#[derive(Debug)]
pub(super) struct Phases {
    pub(super) phase: Phase,
    pub(super) blocks: Blocks,
    pub(super) parts: Vec<Part>,
}

impl Phase {
    /// The number of elements of the kernel.
    pub(super) fn taps(&self) -> usize {
        self.runs.iter().map(Vec::len).product()
    }

    /// The number of output positions.
    pub(super) fn positions(&self) -> usize {
        self.output.iter().product()
    }

    /// The run of each axis at element `tap` of the kernel.
    pub(super) fn runs_of(&self, tap: usize) -> Vec<Run> {
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

    /// The output positions that element `tap` of the kernel reaches, each with the input position it reads.
    pub(super) fn pairs(&self, tap: usize, input: &[usize]) -> Vec<(usize, usize)> {
        let axes = self.runs_of(tap).into_iter().zip(&self.output).zip(input);
        axes.fold(vec![(0, 0)], |pairs, ((run, output), input)| {
            let along = |(to, from): (usize, usize)| {
                (0..run.count).map(move |step| {
                    let to = to * output + run.output + step * run.output_step;
                    (to, from * input + run.input + step * run.input_step)
                })
            };
            pairs.into_iter().flat_map(along).collect()
        })
    }

    /// The offset in an input plane from which the line of output positions `index` reads, if there is one.
    pub(super) fn line_source(&self, runs: &[Run], input: &[usize], index: usize) -> Option<usize> {
        let (mut rest, mut stride) = (index, input.last().copied().unwrap_or(1));
        let outer = self.output.split_last().map_or(&[][..], |(_, outer)| outer);
        let mut base = 0;
        for ((run, &extent), &input) in runs.iter().zip(outer).zip(input).rev() {
            base += run.source(rest % extent)? * stride;
            rest /= extent;
            stride *= input;
        }
        Some(base)
    }
}

/// The phases of a transposed convolution over `channels` of each group.
pub(super) fn phases(output: &[usize], runs: &[Vec<Run>], channels: usize) -> Vec<Phases> {
    let steps: Vec<usize> = runs
        .iter()
        .map(|runs| runs.first().map_or(1, |run| run.output_step))
        .collect();
    let residues: Vec<usize> = steps
        .iter()
        .zip(output)
        .map(|(&step, &extent)| step.min(extent))
        .collect();
    let kernel = runs.iter().map(Vec::len).product();
    let mut found: Vec<Phases> = Vec::new();
    for index in 0..residues.iter().product() {
        let first = unravel(index, &residues);
        let (phase, taps) = phase(output, runs, &first, &steps);
        let blocks = blocks(&taps, channels, kernel);
        let part = Part { taps, first };
        match found
            .iter_mut()
            .find(|other| other.phase == phase && other.blocks == blocks)
        {
            Some(phases) => phases.parts.push(part),
            None => found.push(Phases {
                phase,
                blocks,
                parts: vec![part],
            }),
        }
    }
    found
}

/// The phase of the output positions `first`, `first + steps`, …, and the elements of the whole kernel that
/// it reads.
fn phase(output: &[usize], runs: &[Vec<Run>], first: &[usize], steps: &[usize]) -> (Phase, Vec<usize>) {
    let mut phase = Phase {
        output: Vec::new(),
        runs: Vec::new(),
    };
    let mut taps = vec![0];
    for (((&extent, runs), &first), &step) in output.iter().zip(runs).zip(first).zip(steps) {
        let used = runs
            .iter()
            .enumerate()
            .filter_map(|(index, run)| Some((index, run.among(first, step)?)));
        let (indices, kept): (Vec<usize>, Vec<Run>) = used.unzip();
        taps = taps
            .iter()
            .flat_map(|tap| indices.iter().map(move |index| tap * runs.len() + index))
            .collect();
        phase.output.push((extent - first).div_ceil(step));
        phase.runs.push(kept);
    }
    (phase, taps)
}

/// The blocks of the terms of a phase: a block ends where one of the whole kernels does.
fn blocks(taps: &[usize], channels: usize, kernel: usize) -> Blocks {
    let numbers = (0..channels).flat_map(|channel| taps.iter().map(move |tap| channel * kernel + tap));
    let mut ends = Vec::new();
    let mut last = 0;
    for (term, number) in numbers.enumerate() {
        if number / DEPTH != last {
            ends.push(term);
            last = number / DEPTH;
        }
    }
    ends.push(channels * taps.len());
    // The elements of a convolution are those of a tensor of at most 24 bits, or are added one by one.
    Blocks::ending(ends).of_exact_products()
}

impl Part {
    /// The place in the whole output where each line of the phase starts.
    pub(super) fn lines(&self, phase: &Phase, whole: &[usize], steps: &[usize]) -> Vec<usize> {
        let line = phase.output.last().copied().unwrap_or(1).max(1);
        let starts = (0..phase.positions()).step_by(line);
        let place = |start| {
            let position = unravel(start, &phase.output)
                .into_iter()
                .zip(steps)
                .zip(&self.first);
            let axes = position
                .map(|((position, step), first)| position * step + first)
                .zip(whole);
            axes.fold(0, |place, (position, extent)| place * extent + position)
        };
        starts.map(place).collect()
    }
}

/// The position with this row-major index.
fn unravel(index: usize, extents: &[usize]) -> Vec<usize> {
    let mut rest = index;
    let mut position: Vec<usize> = extents
        .iter()
        .rev()
        .map(|extent| {
            let at = rest % extent;
            rest /= extent;
            at
        })
        .collect();
    position.reverse();
    position
}
