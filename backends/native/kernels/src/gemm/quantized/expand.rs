//! Restores a part of a panel in the cache.

use std::ops::Range;

use super::{CodeBits, Codes, Eight, Four, PackedQuantized, Steps};
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
        let row = b.row();
        let codes = &b.panel(panel)[rows.start * row..rows.end * row];
        assert!(vectors <= VECTORS && target.len() >= rows.len() * vectors * S::LANES);
        let mut at = 0;
        while at < rows.len() {
            let block = (rows.start + at) / b.block;
            let end = ((block + 1).saturating_mul(b.block) - rows.start).min(rows.len());
            let steps = Steps::of(s, b.steps(panel, block));
            for i in at..end {
                // SAFETY: the codes of these rows were sliced, and the length of the target was asserted.
                unsafe {
                    let weights = steps.restore::<C>(s, codes.as_ptr().add(i * row), s.zero());
                    for (v, weight) in weights.into_iter().enumerate().take(vectors) {
                        s.store(target.as_mut_ptr().add((i * vectors + v) * S::LANES), weight);
                    }
                }
            }
            at = end;
        }
    }
}
