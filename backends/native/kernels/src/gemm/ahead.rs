//! Fetches memory into a cache before it is needed: weights of later tiles, results of a tile.

use super::tile::Tile;
use crate::Isa;
use crate::simd::{Kernel, Simd};

/// What later tiles read: each step of a tile fetches one line of it into the L2 cache, so that weights come
/// from memory while tiles before them are computed. It is a hint: the address need not be readable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead<T = f32> {
    pub at: *const T,
    /// The distance in elements between the lines of two steps.
    pub step: usize,
}

/// The number of steps from which a panel is fetched ahead: a panel of 16 KiB. Shorter ones are in a cache.
const FAR_STEPS: usize = 128;

impl<T> Ahead<T> {
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
