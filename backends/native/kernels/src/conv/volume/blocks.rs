//! Divides the result of a [`Volume`] into blocks of pixels, and computes each.

use std::ops::Range;

use super::axis::Phase;
use super::{Part, Volume};
use crate::Pool;
use crate::conv::tiles::{self, Source, Target};
use crate::elementwise::activate;
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::memory::Shared;

/// The maximum number of columns of a block, in steps.
pub(super) const MAX_COLUMNS: usize = 2048;
/// The minimum number of columns of a block: complete tiles.
const MIN_COLUMNS: usize = 56;
/// The number of elements of the image that a block reads; they fit into the L2 cache.
const BLOCK: usize = 128 * 1024;
/// The number of blocks for each thread, for an even division.
const PER_THREAD: usize = 4;

/// The parts of one call that do not depend on the thread.
pub(super) struct Call<'a> {
    volume: &'a Volume,
    x: &'a [f32],
    epilogue: &'a Epilogue<'a>,
    y: Shared<'a, f32>,
    /// The results without taps, one value for each channel and zeros in the padding.
    bare: Vec<f32>,
    /// Whether there are results without taps in every plane.
    has_bare: bool,
}

impl<'a> Call<'a> {
    pub fn new(volume: &'a Volume, x: &'a [f32], epilogue: &'a Epilogue<'a>, y: Shared<'a, f32>) -> Self {
        let channels = volume.shape.out_channels;
        let mut bare = vec![0.0; channels.next_multiple_of(volume.isa.lanes())];
        if let Bias::Column(bias) = epilogue.bias {
            bare[..channels].copy_from_slice(&bias[..channels]);
        }
        activate(volume.isa, epilogue.activation, &mut bare[..channels]);
        let [height, width] = [volume.shape.output[1], volume.shape.output[2]];
        let covered: usize = volume
            .parts
            .iter()
            .map(|part| part.down.count * part.right.count)
            .sum();
        Self {
            volume,
            x,
            epilogue,
            y,
            bare,
            has_bare: covered < height * width,
        }
    }

    /// The distance of results of one phase along an axis: rows and columns of blocks count these steps.
    fn steps(&self) -> [usize; 2] {
        let shape = &self.volume.shape;
        if shape.transposed {
            [shape.stride[1], shape.stride[2]]
        } else {
            [1, 1]
        }
    }

    /// Computes all images.
    pub fn run(&self, pool: &Pool, batch: usize) {
        let shape = &self.volume.shape;
        let steps = self.steps();
        let extents = [1, 2].map(|axis| shape.output[axis].div_ceil(steps[axis - 1]));
        let strides = if shape.transposed {
            [1, 1]
        } else {
            [shape.stride[1], shape.stride[2]]
        };
        let fits = |per_pixel: usize, most: usize| (BLOCK / per_pixel.max(1)).clamp(1, most);
        let per_column = shape.in_channels.saturating_mul(strides[1]);
        let columns = fits(per_column, MAX_COLUMNS).max(MIN_COLUMNS).min(extents[1]);
        let planes = batch.saturating_mul(shape.output[0]);
        let across = extents[1].div_ceil(columns);
        let wanted = (pool.threads() * PER_THREAD).div_ceil(planes.saturating_mul(across).max(1));
        let rows = fits(
            per_column.saturating_mul(columns).saturating_mul(strides[0]),
            extents[0].div_ceil(wanted).max(1),
        );
        let (columns, across) = match (planes.saturating_mul(across) < pool.threads(), extents[0]) {
            (true, 1) => {
                let columns = columns
                    .min(extents[1].div_ceil(pool.threads()))
                    .next_multiple_of(MIN_COLUMNS / 2);
                (columns, extents[1].div_ceil(columns))
            }
            _ => (columns, across),
        };
        let down = extents[0].div_ceil(rows);
        pool.split(planes * down * across, 1, |range| {
            for number in range {
                let (plane, place) = (number / (down * across), number % (down * across));
                let cut = |index: usize, each: usize, all: usize| index * each..((index + 1) * each).min(all);
                self.block(
                    plane / shape.output[0],
                    plane % shape.output[0],
                    cut(place / across, rows, extents[0]),
                    cut(place % across, columns, extents[1]),
                );
            }
        });
    }

    /// Computes the results of these steps of one plane.
    fn block(&self, image: usize, depth: usize, rows: Range<usize>, columns: Range<usize>) {
        let taps: Vec<(usize, usize)> = self.taps(depth).collect();
        if self.has_bare || taps.is_empty() {
            self.fill(image, depth, &rows, &columns);
        }
        for part in &self.volume.parts {
            let own = |range: &Range<usize>, phase: &Phase| range.start..range.end.min(phase.count);
            let (rows, columns) = (own(&rows, &part.down), own(&columns, &part.right));
            if rows.is_empty() || columns.is_empty() {
                continue;
            }
            for (number, &(tap, plane)) in taps.iter().enumerate() {
                let last = number + 1 == taps.len();
                let started = match number {
                    0 => Residual::None,
                    _ => Residual::Output,
                };
                let epilogue = if last {
                    Epilogue {
                        residual: started,
                        ..*self.epilogue
                    }
                } else {
                    Epilogue {
                        residual: started,
                        ..Epilogue::default()
                    }
                };
                self.plane(part, image, (tap, plane), depth, [&rows, &columns], &epilogue);
            }
        }
    }

    /// Returns the taps of a result along the depth, with the planes of the image that they read.
    fn taps(&self, depth: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let planes = self.volume.shape.size[0];
        let phases = self.volume.depth.iter();
        let found = phases.filter_map(move |phase| Some((phase, phase.index(depth)?)));
        found.flat_map(move |(phase, index)| {
            let first = phase.origin + (index * phase.stride) as i64;
            phase.taps.iter().enumerate().filter_map(move |(number, &tap)| {
                let plane = usize::try_from(first + (number * phase.dilation) as i64).ok()?;
                (plane < planes).then_some((tap, plane))
            })
        })
    }

    /// Computes the terms of one tap of the depth in some results of a part.
    fn plane(
        &self,
        part: &Part,
        image: usize,
        (tap, plane): (usize, usize),
        depth: usize,
        [rows, columns]: [&Range<usize>; 2],
        epilogue: &Epilogue,
    ) {
        let Volume {
            isa, shape, layout, ..
        } = self.volume;
        let (block, lanes) = (layout.block(*isa), isa.lanes());
        let conv = &part.taps[tap];
        let [planes, height, width] = shape.size;
        let mut window = conv.shape.window;
        let mut skip = [0; 2];
        for (axis, phase, first) in [(0, &part.down, rows.start), (1, &part.right, columns.start)] {
            let origin = phase.origin + (first * phase.stride) as i64;
            match usize::try_from(origin) {
                Ok(origin) => skip[axis] = origin,
                Err(_) => window.pad_begin[axis] = origin.unsigned_abs() as usize,
            }
        }
        let source_plane = planes * height * width * block;
        let [depths, out_height, out_width] = shape.output;
        let target_plane = depths * out_height * out_width * lanes;
        let first = [
            part.down.start + rows.start * part.down.step,
            part.right.start + columns.start * part.right.step,
        ];
        let call = tiles::Call {
            conv,
            window,
            size: [height, width],
            output: [rows.len(), columns.len()],
            skip,
            x: self.x,
            source: Source {
                first: plane * height * width * block,
                image: shape.in_channels.div_ceil(block) * source_plane,
                plane: source_plane,
            },
            epilogue,
            y: self.y,
            target: Target {
                first: ((depth * out_height + first[0]) * out_width + first[1]) * lanes,
                image: shape.out_channels.div_ceil(lanes) * target_plane,
                plane: target_plane,
                row: part.down.step * out_width * lanes,
                pixel: part.right.step * lanes,
            },
        };
        call.strips(image, 0..rows.len(), 0..columns.len(), 0..conv.parts.len());
    }

    /// Fills the results of these steps with those of no taps.
    fn fill(&self, image: usize, depth: usize, rows: &Range<usize>, columns: &Range<usize>) {
        let [depths, height, width] = self.volume.shape.output;
        let lanes = self.volume.isa.lanes();
        let steps = self.steps();
        let cut =
            |range: &Range<usize>, step: usize, all: usize| range.start * step..(range.end * step).min(all);
        let (rows, columns) = (cut(rows, steps[0], height), cut(columns, steps[1], width));
        let blocks = self.bare.len() / lanes;
        for (block, bare) in self.bare.chunks_exact(lanes).enumerate() {
            for row in rows.clone() {
                let pixel =
                    (((image * blocks + block) * depths + depth) * height + row) * width + columns.start;
                // SAFETY: the columns of this block, which belongs to this thread.
                let target = unsafe { self.y.part(pixel * lanes, columns.len() * lanes) };
                target
                    .chunks_exact_mut(lanes)
                    .for_each(|pixel| pixel.copy_from_slice(bare));
            }
        }
    }
}
