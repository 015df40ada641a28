//! Fetches memory into a cache before it is needed: weights of later tiles, results of a tile.

use super::tile::Tile;
use crate::Isa;
use crate::simd::{Kernel, Simd};

/// What later tiles read: each step of a tile fetches one line of it into the L2 cache, so that weights come
/// from memory while tiles before them are computed. It is a hint: the address need not be readable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefetch<T = f32> {
    pub at: *const T,
    /// The distance in elements between the lines of two steps.
    pub step: usize,
}

/// The number of steps from which a panel is fetched ahead: a panel of 16 KiB. Shorter ones are in a cache.
const FAR_STEPS: usize = 128;

impl<T> Prefetch<T> {
    /// Fetches nothing.
    pub const NONE: Self = Self {
        at: std::ptr::null(),
        step: 0,
    };

    /// The share of tile `index` of `tiles` in the panel at position `next` of these weights; the panel has
    /// `width` values for each step, `steps` in all. If the position is the end, the share is one of the
    /// first panel. A single tile has half of a panel of two vectors as its share: its own weights come from
    /// memory at the same time.
    pub fn share(
        weights: &[T],
        next: usize,
        [width, steps]: [usize; 2],
        [index, tiles]: [usize; 2],
        isa: Isa,
    ) -> Self {
        let next = if next < weights.len() { next } else { 0 };
        let step = if steps < FAR_STEPS {
            0
        } else {
            let vector = isa.lanes() * size_of::<f32>() / size_of::<T>();
            width.div_ceil(tiles).min(vector)
        };
        Self {
            at: weights.as_ptr().wrapping_add(next + index * steps * step),
            step,
        }
    }
}

/// The distance in bytes at which weights that are used once are fetched: 32 KiB. At this distance memory
/// is always busy; a shorter one leaves it idle while a kernel computes.
const STREAM_DISTANCE: usize = 32 * 1024;

/// Fetches weights that are used once into the L2 cache, in the order of their addresses, which is the order
/// that memory delivers fastest, also if a kernel reads several lines of them concurrently. It is a hint: the
/// addresses need not be readable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream<T = f32> {
    at: *const T,
    /// The number of elements that are left in this line.
    left: usize,
    /// The number of elements of a line that the kernel reads, and of the others before the next line.
    line: usize,
    gap: usize,
}

impl<T> Stream<T> {
    /// Weights in lines of `line` elements at distances of `stride`; the first one is at `start`.
    #[inline(always)]
    pub fn new(start: *const T, line: usize, stride: usize) -> Self {
        let line = line.max(1);
        let distance = STREAM_DISTANCE / size_of::<T>();
        let (lines, within) = (distance / line, distance % line);
        Self {
            at: start.wrapping_add(lines.wrapping_mul(stride).wrapping_add(within)),
            left: line - within,
            line,
            gap: stride.wrapping_sub(line),
        }
    }

    /// Fetches the next vector.
    #[inline(always)]
    pub fn next<S: Simd>(&mut self, s: S) {
        s.prefetch_l2(self.at.cast());
        if self.left > S::LANES {
            self.at = self.at.wrapping_add(S::LANES);
            self.left -= S::LANES;
        } else {
            self.at = self.at.wrapping_add(self.left.wrapping_add(self.gap));
            self.left = self.line;
        }
    }
}

/// Prefetches the lines of a tile's result before its sums are complete: the first layer of a network, and a
/// product with a short common dimension, have a large result for few multiplications.
pub(crate) struct FetchResult<'a>(pub &'a Tile<'a>);

impl Kernel for FetchResult<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for vector in 0..self.0.vectors {
            for row in 0..self.0.rows {
                let at = row * self.0.c_row + vector * self.0.c_vector;
                s.prefetch(self.0.c.wrapping_add(at));
            }
        }
    }
}
