//! The patches of the input that output positions read, as the terms of a product.

use std::ops::Range;

use onnx_arithmetic::Element;
use onnx_arithmetic::element::Sum;
use onnx_arithmetic::product::{Kernel, Terms};

use super::super::window::WindowAxis;
use super::phases::Phase;
use super::run::Run;

/// Output positions that read input positions at one distance from each other, at one element of the kernel.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// The first output position.
    column: usize,
    /// The first input position in a plane.
    source: usize,
    count: usize,
}

/// What a range of output positions reads in each plane.
#[derive(Default, Debug)]
pub(super) struct Segments {
    columns: Range<usize>,
    all: Vec<Segment>,
    /// Where the segments of each element of the kernel end.
    ends: Vec<usize>,
    /// The distance of input positions.
    step: usize,
}

impl Segments {
    /// Replaces the segments by those of `columns`, unless they are there.
    pub(super) fn select(&mut self, phase: &Phase, input: &[usize], columns: &Range<usize>) {
        if self.columns == *columns && self.ends.len() == phase.taps() {
            return;
        }
        self.columns = columns.clone();
        self.all.clear();
        self.ends.clear();
        for tap in 0..phase.taps() {
            self.add(phase, input, tap);
            self.ends.push(self.all.len());
        }
    }

    /// Adds the segments of element `tap` of the kernel.
    fn add(&mut self, phase: &Phase, input: &[usize], tap: usize) {
        let (runs, Range { start: from, end: to }) = (phase.runs_of(tap), self.columns.clone());
        let first = self.all.len();
        let (Some((last, runs)), Some(&line)) = (runs.split_last(), phase.output.last()) else {
            return;
        };
        self.step = last.input_step;
        for index in from / line..to.div_ceil(line) {
            let begin = index * line;
            let run = last.clip(from.saturating_sub(begin), (to - begin).min(line));
            let base = phase.line_source(runs, input, index);
            let (Some(base), false) = (base, run.count == 0) else {
                continue;
            };
            let next = Segment {
                column: begin + run.output,
                source: base + run.input,
                count: run.count,
            };
            match self.all[first..].last_mut() {
                Some(before) if before.continues(&next, self.step) => before.count += next.count,
                _ => self.all.push(next),
            }
        }
    }

    fn of(&self, tap: usize) -> &[Segment] {
        let start = tap.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[tap]]
    }
}

/// What the windows over a plane read: for each element of the kernel in row-major order, ranges of windows.
#[derive(Debug)]
pub struct Reads {
    segments: Vec<Segment>,
    /// The distance of the elements that neighbouring windows read.
    pub step: usize,
}

/// Kernels with more elements are not listed, nor are more ranges.
const MOST: usize = 1 << 20;

impl Reads {
    /// The reads of the windows along these axes. `None` if they are too many to be listed.
    pub fn of(axes: &[WindowAxis]) -> Option<Reads> {
        let taps = axes
            .iter()
            .try_fold(1_usize, |taps, axis| taps.checked_mul(axis.kernel))?;
        let columns = axes
            .iter()
            .try_fold(1_usize, |columns, axis| columns.checked_mul(axis.output))?;
        let lines = columns / axes.last().map_or(1, |axis| axis.output.max(1));
        taps.checked_mul(lines).filter(|&ranges| ranges <= MOST)?;
        let phase = Phase {
            output: axes.iter().map(|axis| axis.output).collect(),
            runs: axes
                .iter()
                .map(|axis| (0..axis.kernel).map(|k| Run::forward(axis, k)).collect())
                .collect(),
        };
        let input: Vec<usize> = axes.iter().map(|axis| axis.input).collect();
        let mut segments = Segments::default();
        segments.select(&phase, &input, &(0..columns));
        Some(Reads {
            segments: segments.all,
            step: segments.step,
        })
    }

    /// Calls `f` with the first window of each range, the place that it reads, and the number of windows.
    pub fn visit(&self, mut f: impl FnMut(usize, usize, usize)) {
        for segment in &self.segments {
            f(segment.column, segment.source, segment.count);
        }
    }

    /// The number of elements that each of `windows` reads.
    pub fn counts(&self, windows: usize) -> Vec<usize> {
        let mut counts = vec![0; windows];
        self.visit(|column, _, count| {
            counts[column..column + count]
                .iter_mut()
                .for_each(|count| *count += 1)
        });
        counts
    }
}

impl Segment {
    /// Whether `next` continues this segment without a gap.
    fn continues(&self, next: &Segment, step: usize) -> bool {
        self.column + self.count == next.column && self.source + self.count * step == next.source
    }
}

/// The patches of the channels of a group: a term for each channel and element of the kernel.
#[derive(Debug)]
pub(super) struct Patches<'a, E> {
    /// The planes of the channels.
    pub(super) x: &'a [E],
    /// The number of elements of a plane.
    pub(super) plane: usize,
    pub(super) segments: &'a Segments,
}

impl<E: Element> Patches<'_, E> {
    /// Calls `f` with each range of `columns`, counted from their start, that reads something at a term, with
    /// the elements from the first one read, and their distance.
    fn visit(&self, term: usize, columns: &Range<usize>, mut f: impl FnMut(Range<usize>, &[E], usize)) {
        let (taps, step) = (self.segments.ends.len(), self.segments.step);
        let x = &self.x[term / taps * self.plane..][..self.plane];
        for segment in self.segments.of(term % taps) {
            let from = segment.column.max(columns.start);
            let to = (segment.column + segment.count).min(columns.end);
            if from < to {
                let x = &x[segment.source + (from - segment.column) * step..];
                f(from - columns.start..to - columns.start, x, step);
            }
        }
    }
}

impl<E: Element> Terms<E::Factor> for Patches<'_, E> {
    fn fill(&self, term: usize, columns: Range<usize>, into: &mut [E::Factor]) {
        into.fill(E::Factor::default());
        self.visit(term, &columns, |range, x, step| {
            E::every(x, step, &mut into[range])
        });
    }

    fn add_products(
        &self,
        term: usize,
        columns: Range<usize>,
        factor: E::Factor,
        row: &mut [E::Factor],
        sums: &mut [Sum<E>],
    ) {
        if factor.is_finite() {
            return self.visit(term, &columns, |range, x, step| {
                E::add_products(factor, x, step, &mut sums[range]);
            });
        }
        // Outside of the input a product with zero is NaN.
        self.fill(term, columns, row);
        E::Factor::scaled(factor, row, sums);
    }
}
