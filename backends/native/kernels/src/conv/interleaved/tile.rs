//! The micro-kernel of interleaved groups: like [`crate::gemm::tile`], but a step reads one channel of every
//! group.

use crate::Isa;
use crate::gemm::finish::store;
use crate::gemm::tile::{Tile, unroll};
use crate::simd::{Kernel, Simd};

/// The distance in elements of prefetched weights.
const PREFETCH_DISTANCE: usize = 512;

/// One call of the micro-kernel.
pub(super) struct Step<'a> {
    /// The number of values that a step reads of each row and repeats along the vector.
    pub groups: usize,
    /// The lane of the sums for each lane of the result, if they differ.
    pub turns: Option<*const i32>,
    /// The other parameters: dense rows, a walk over blocks of one tap, no resuming.
    pub tile: Tile<'a>,
}

struct Call<'a, const MR: usize, const NV: usize, const G: usize>(&'a Step<'a>);

impl<const MR: usize, const NV: usize, const G: usize> Kernel for Call<'_, MR, NV, G> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        if const { MR * 2 > S::ISA.sums() } {
            unreachable!("a tile of {MR} × {NV}");
        }
        // SAFETY: `Step::run` has the caller's promise about every pointer.
        unsafe { accumulate::<S, MR, NV, G>(simd, self.0) }
    }
}

impl Step<'_> {
    /// Computes the tile.
    ///
    /// # Safety
    /// As for [`Tile::run`], with at most half as many rows as there are sums. The number of groups is 2, 4
    /// or 8, and divides the number of channels that the walk reads of a block. Weights hold
    /// `vectors · LANES` values for each step. Turns are readable for every lane of the tile's vectors, and
    /// less than `LANES`.
    pub unsafe fn run(&self, isa: Isa) {
        macro_rules! select {
            ($($rows:literal)*) => {
                match (self.groups, self.tile.vectors, self.tile.rows) {
                    $((2, 1, $rows) => isa.run(Call::<$rows, 1, 2>(self)),
                      (2, 2, $rows) => isa.run(Call::<$rows, 2, 2>(self)),
                      (4, 1, $rows) => isa.run(Call::<$rows, 1, 4>(self)),
                      (4, 2, $rows) => isa.run(Call::<$rows, 2, 4>(self)),
                      (8, 1, $rows) => isa.run(Call::<$rows, 1, 8>(self)),
                      (8, 2, $rows) => isa.run(Call::<$rows, 2, 8>(self)),)*
                    shape => unreachable!("a tile of {shape:?}"),
                }
            };
        }
        select!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
        // SAFETY: promised by the caller.
        unsafe { self.tile.activate_rest(isa) }
    }
}

/// # Safety
/// As [`Step::run`], for `MR` rows, `NV` vectors and `G` groups.
#[inline(always)]
unsafe fn accumulate<S: Simd, const MR: usize, const NV: usize, const G: usize>(s: S, step: &Step) {
    // SAFETY: every address is one that the caller promises: rows a vector apart, weights in the order of the
    // walk.
    unsafe {
        let tile = &step.tile;
        let mut sums = [[s.zero(); NV]; MR];
        let (blocks, plane) = tile.walk.loops[0];
        let mut w = tile.w;
        for block in 0..blocks {
            let mut x = tile.x.add(block * plane);
            let end = if block + 1 == blocks {
                tile.walk.end
            } else {
                S::LANES
            };
            for _ in 0..end / G {
                let weights: [S::V; NV] = std::array::from_fn(|v| s.load(w.add(v * S::LANES)));
                unroll!(@ v NV, { s.prefetch(w.wrapping_add(PREFETCH_DISTANCE + v * S::LANES)); }, 0 1);
                unroll!(i below MR => {
                    let values = s.repeat::<G>(x.add(i * S::LANES));
                    unroll!(@ v NV, { sums[i][v] = s.fma(values, weights[v], sums[i][v]); }, 0 1);
                });
                x = x.add(G);
                w = w.add(NV * S::LANES);
            }
        }
        if let Some(turns) = step.turns {
            unroll!(@ v NV, {
                let order = s.bits(s.load(turns.add(v * S::LANES).cast()));
                unroll!(i below MR => { sums[i][v] = s.permute(sums[i][v], order); });
            }, 0 1);
        }
        store::<S, MR, NV>(s, tile, sums);
    }
}
