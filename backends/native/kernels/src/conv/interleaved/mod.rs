//! Convolution with a single tap whose groups are interleaved along the channels: channel `c` of the image
//! belongs to group `c % groups`.
//!
//! A step of the micro-kernel reads one channel of every group, which are adjacent, and repeats them along a
//! vector: lane `l` of the sums belongs to group `l % groups`. So a vector never crosses the end of a group,
//! however few channels it has. If the channels of a group were adjacent, weights of zero would have to
//! separate the groups.
//!
//! The channels of the result may be in another order, as long as one permutation of the lanes of each vector
//! produces it. A following channel shuffle then costs only a permutation of registers.

mod tile;

use std::ops::Range;

use self::tile::Step;
use super::direct::check_epilogue;
use super::shape::ConvShape;
use super::tiles::finish;
use crate::epilogue::{Epilogue, Residual};
use crate::error::{Result, ensure, need, product};
use crate::gemm::prefetch::Prefetch;
use crate::gemm::tile::{Tile, VECTORS, Walk};
use crate::memory::{Buffer, Shared};
use crate::thread::share;
use crate::{Isa, Pool};

/// The number of image elements that are processed for all output channels before the next: two thirds of the
/// L1 cache.
const STRIP: usize = 8 * 1024;

/// A convolution of interleaved groups with packed weights.
#[derive(Clone, Debug)]
pub struct Interleaved {
    isa: Isa,
    shape: ConvShape,
    /// `[pair of output blocks][channel of a group][lanes of the pair]`
    weights: Buffer<f32>,
    /// The lane that computes each channel of the result; `None` if all are in place.
    turns: Option<Buffer<i32>>,
}

impl Interleaved {
    /// Whether the convolution is supported: a single tap at every pixel, and 2, 4 or 8 groups, of which each
    /// block of the result has at most equal shares. `out_groups` has the group of each channel of the
    /// result.
    pub fn fits(isa: Isa, shape: &ConvShape, out_groups: &[usize]) -> bool {
        let (lanes, groups) = (isa.lanes(), shape.groups);
        let fair = |block: &[usize]| {
            (0..groups).all(|group| block.iter().filter(|&&own| own == group).count() <= lanes / groups)
        };
        matches!(groups, 2 | 4 | 8)
            && shape.window.is_single_tap()
            && shape.window.stride == [1; 2]
            && shape.in_channels.is_multiple_of(groups)
            && out_groups.len() == shape.out_channels
            && out_groups.iter().all(|&group| group < groups)
            && out_groups.chunks(lanes).all(fair)
    }

    /// Packs `weights`, `[out][in / groups]`: output channel `o` is the sum over `i` of its weight `i` times
    /// channel `i · groups + out_groups[o]` of the image.
    pub fn new(pool: &Pool, shape: ConvShape, out_groups: &[usize], weights: &[f32]) -> Result<Self> {
        need("interleaved convolution: weights", shape.check()?, weights.len())?;
        ensure(
            Self::fits(pool.isa(), &shape, out_groups),
            "interleaved convolution",
            || "this window, these groups or this order of channels are not supported".into(),
        )?;
        let lanes = pool.isa().lanes();
        let steps = shape.in_channels / shape.groups;
        let blocks = shape.out_channels.div_ceil(lanes);
        let mut packed = Buffer::zeroed(blocks * lanes * steps);
        let mut turns = Buffer::zeroed(blocks * lanes);
        let mut taken = vec![0; shape.groups];
        for (out, (weights, &group)) in weights.chunks_exact(steps).zip(out_groups).enumerate() {
            let (block, vector) = (out / lanes, out / lanes % VECTORS);
            if out % lanes == 0 {
                taken.fill(0);
            }
            let lane = taken[group] * shape.groups + group;
            taken[group] += 1;
            turns[out] = lane as i32;
            let first = (block - vector) * lanes;
            let width = (blocks * lanes - first).min(VECTORS * lanes);
            for (step, weight) in weights.iter().enumerate() {
                packed[first * steps + step * width + vector * lanes + lane] = *weight;
            }
        }
        let in_place = |(out, lane): (usize, &i32)| *lane as usize == out % lanes;
        let all_in_place = turns[..shape.out_channels].iter().enumerate().all(in_place);
        Ok(Self {
            isa: pool.isa(),
            shape,
            weights: packed,
            turns: (!all_in_place).then_some(turns),
        })
    }

    /// Like [`super::Convolution::run`], with image and result in the blocked layout.
    pub fn run(
        &self,
        pool: &Pool,
        batch: usize,
        size: [usize; 2],
        x: &[f32],
        epilogue: &Epilogue,
        y: &mut [f32],
    ) -> Result<()> {
        let lanes = self.isa.lanes();
        let what = "interleaved convolution";
        let len =
            |channels: usize| product(what, &[batch, channels.div_ceil(lanes), lanes, size[0], size[1]]);
        need(what, len(self.shape.in_channels)?, x.len())?;
        let y_len = len(self.shape.out_channels)?;
        need(what, y_len, y.len())?;
        check_epilogue(epilogue, self.shape.out_channels, y_len)?;
        let call = Call {
            conv: self,
            pixels: size[0] * size[1],
            x,
            epilogue,
            y: Shared::new(y),
        };
        let pairs = self.shape.out_channels.div_ceil(VECTORS * lanes);
        let rows = self.rows();
        let units = call.pixels.div_ceil(rows);
        if batch * units < pool.threads() {
            pool.split(pairs, 1, |pairs| {
                (0..batch).for_each(|image| call.strips(image, 0..call.pixels, pairs.clone()));
            });
        } else {
            pool.split(batch * units, 1, |range| {
                for image in range.start / units..range.end.div_ceil(units) {
                    let first = image * units;
                    let own = range.start.max(first) - first..range.end.min(first + units) - first;
                    let pixels = own.start * rows..(own.end * rows).min(call.pixels);
                    call.strips(image, pixels, 0..pairs);
                }
            });
        }
        Ok(())
    }

    /// The number of pixels of a tile.
    fn rows(&self) -> usize {
        self.isa.sums() / VECTORS
    }
}

/// The parts of one call that do not depend on the thread.
struct Call<'a> {
    conv: &'a Interleaved,
    pixels: usize,
    x: &'a [f32],
    epilogue: &'a Epilogue<'a>,
    y: Shared<'a, f32>,
}

impl Call<'_> {
    /// Computes some pixels of an image and pairs of output blocks, strip by strip.
    fn strips(&self, image: usize, pixels: Range<usize>, pairs: Range<usize>) {
        let lanes = self.conv.isa.lanes();
        let in_blocks = self.conv.shape.in_channels.div_ceil(lanes);
        let rows = self.conv.rows();
        let step = (STRIP / (in_blocks * lanes) / rows).max(1) * rows;
        let walk = Walk {
            loops: [(in_blocks, self.pixels * lanes), (1, 0), (1, 0)],
            inner: lanes,
            skip: 0,
            end: (self.conv.shape.in_channels - 1) % lanes + 1,
        };
        for start in pixels.clone().step_by(step) {
            let count = step.min(pixels.end - start);
            let tiles = count.div_ceil(rows);
            for pair in pairs.clone() {
                for index in 0..tiles {
                    let part = share(count, tiles, index);
                    self.tile(image, start + part.start..start + part.end, pair, &walk);
                }
            }
        }
    }

    fn tile(&self, image: usize, pixels: Range<usize>, pair: usize, walk: &Walk) {
        let Interleaved {
            isa, shape, weights, ..
        } = self.conv;
        let (lanes, plane) = (isa.lanes(), self.pixels * isa.lanes());
        let [in_blocks, out_blocks] =
            [shape.in_channels, shape.out_channels].map(|channels| channels.div_ceil(lanes));
        let (block, channel) = (pair * VECTORS, pair * VECTORS * lanes);
        let at = (image * out_blocks + block) * plane + pixels.start * lanes;
        let x_at = image * in_blocks * plane + pixels.start * lanes;
        let mut finish = finish(self.epilogue, channel, at);
        if matches!(self.epilogue.residual, Residual::Output) {
            finish.residual = self.y.at(at);
        }
        let step = Step {
            groups: shape.groups,
            turns: self.conv.turns.as_ref().map(|turns| turns[channel..].as_ptr()),
            tile: Tile {
                rows: pixels.len(),
                vectors: (out_blocks - block).min(VECTORS),
                x: self.x[x_at..].as_ptr(),
                row_stride: lanes,
                walk,
                w: weights[channel * (shape.in_channels / shape.groups)..].as_ptr(),
                w_second: None,
                c: self.y.at(at),
                c_row: lanes,
                c_vector: plane,
                columns: (shape.out_channels - channel).min(VECTORS * lanes),
                fill: true,
                resume: false,
                finish: Some(finish),
                ahead: Prefetch::NONE,
            },
        };
        // SAFETY: the walk covers the blocks of this image, whose length was checked, and ends with its last
        // channel; weights and turns are packed for this pair; threads have disjoint pixels or pairs.
        unsafe { step.run(*isa) }
    }
}
