//! Transposition of an f32 matrix in squares of 8 × 8.

use crate::simd::{Kernel, Simd};

/// Computes `target[j·target_stride + i] = source[i·source_stride + j]` for `rows × columns` elements.
pub(crate) struct Transpose {
    pub source: *const f32,
    pub source_stride: usize,
    pub target: *mut f32,
    pub target_stride: usize,
    pub rows: usize,
    pub columns: usize,
}

/// The number of source columns at a time, so that the written lines stay in the L1 cache.
const STRIPE: usize = 64;

impl Kernel for Transpose {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for start in (0..self.columns).step_by(STRIPE) {
            let end = (start + STRIPE).min(self.columns);
            for row in (0..self.rows).step_by(8) {
                let rows = (self.rows - row).min(8);
                for column in (start..end).step_by(8) {
                    let columns = (end - column).min(8);
                    // SAFETY: the constructor of this value promises that all elements of source and target
                    // exist.
                    unsafe {
                        let source = self.source.add(row * self.source_stride + column);
                        let target = self.target.add(column * self.target_stride + row);
                        if rows == 8 && columns == 8 {
                            s.transpose8(source, self.source_stride, target, self.target_stride);
                            continue;
                        }
                        for i in 0..rows {
                            for j in 0..columns {
                                *target.add(j * self.target_stride + i) =
                                    *source.add(i * self.source_stride + j);
                            }
                        }
                    }
                }
            }
        }
    }
}
