//! Restores a part of a panel in the cache.

use std::ops::Range;

use super::{CodeBits, Codes, Eight, Four, PackedQuantized, Steps, load};
use crate::gemm::tile::VECTORS;
use crate::simd::{Kernel, Simd};

/// Restores rows of a panel in the order of packed weights of f32.
pub(in crate::gemm) struct Expand<'a> {
    pub b: &'a PackedQuantized,
    pub panel: usize,
    /// The number of vectors of the panel that are restored.
    pub vectors: usize,
    pub rows: Range<usize>,
    /// `rows × vectors` vectors.
    pub target: &'a mut [f32],
}

impl Kernel for Expand<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        match self.b.bits {
            CodeBits::Four => self.rows::<S, Four>(s),
            CodeBits::Eight => self.rows::<S, Eight>(s),
        }
    }
}

impl Expand<'_> {
    #[inline(always)]
    fn rows<S: Simd, C: Codes>(self, s: S) {
        let Self {
            b,
            panel,
            vectors,
            rows,
            target,
        } = self;
        let width = VECTORS * S::LANES;
        let codes = b.panel(panel);
        assert!(vectors <= VECTORS && target.len() >= rows.len() * vectors * S::LANES);
        assert!(rows.start.is_multiple_of(C::ROWS) && rows.end.div_ceil(C::ROWS) * width <= codes.len());
        let (mut at, target) = (rows.start, target.as_mut_ptr());
        let (mut steps, mut block_end) = (Steps::zero(s), at);
        while at < rows.end {
            // SAFETY: the panel has this group, as was asserted.
            let mut groups: [S::I; VECTORS] = std::array::from_fn(|v| unsafe {
                load(s, codes.as_ptr().add(at / C::ROWS * width + v * S::LANES))
            });
            for i in at..(at + C::ROWS).min(rows.end) {
                if i == block_end {
                    let block = i / b.block;
                    steps = Steps::of(s, b.steps(panel, block));
                    block_end = (block + 1).saturating_mul(b.block);
                }
                for (v, groups) in groups.iter_mut().enumerate().take(vectors) {
                    // The difference is exact, so a weight is rounded once.
                    let difference = C::differences(s, *groups, steps.zeros[v], s.zero());
                    let weight = s.mul(difference, steps.scales[v]);
                    // SAFETY: the length of the target was asserted.
                    unsafe { s.store(target.add(((i - rows.start) * vectors + v) * S::LANES), weight) };
                    *groups = C::next(s, *groups);
                }
            }
            at += C::ROWS;
        }
    }
}
