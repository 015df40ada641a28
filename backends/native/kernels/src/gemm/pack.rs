//! Operands in the order in which the micro-kernel reads them.

use std::ops::Range;

use super::{Matrix, tile};
use crate::error::{Result, product};
use crate::memory::{Buffer, Shared};
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// A right-hand matrix (`k × n`) in panels of two vectors of columns, packed once for weights.
///
/// Panel `p` holds columns `p·width ..`, row by row; the last has complete vectors too, padded with zeros.
#[derive(Clone, Debug)]
pub struct PackedB {
    pub(crate) isa: Isa,
    pub(crate) k: usize,
    pub(crate) n: usize,
    pub(crate) data: Buffer<f32>,
}

impl PackedB {
    /// Packs for the kernels of this pool; use the matrix only with this pool.
    pub fn new(pool: &Pool, b: Matrix) -> Result<Self> {
        let mut data = Buffer::zeroed(packed_len(pool.isa(), b.rows, b.columns)?);
        pack_b(pool, b, &mut data);
        Ok(Self {
            isa: pool.isa(),
            k: b.rows,
            n: b.columns,
            data,
        })
    }

    /// The number of rows, which is the common dimension.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The number of columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.data.len() * size_of::<f32>()
    }
}

/// The number of columns of a panel.
pub(crate) fn width(isa: Isa) -> usize {
    tile::VECTORS * isa.lanes()
}

/// Returns the number of elements of a packed matrix.
pub(crate) fn packed_len(isa: Isa, k: usize, n: usize) -> Result<usize> {
    let columns = n.checked_next_multiple_of(isa.lanes());
    product(
        "packed matrix",
        &[k, columns.ok_or(crate::KernelError::Overflow("packed matrix"))?],
    )
}

/// Packs `b` into `packed`, which has [`packed_len`] elements of any content.
pub(crate) fn pack_b(pool: &Pool, b: Matrix, packed: &mut [f32]) {
    let width = width(pool.isa());
    let padded = b.columns.next_multiple_of(pool.isa().lanes());
    let packed = Shared::new(packed);
    pool.split(b.columns.div_ceil(width), 1, |panels| {
        for panel in panels {
            let first = panel * width;
            let width = width.min(padded - first);
            // SAFETY: panels do not overlap, and each belongs to one thread.
            let target = unsafe { packed.part(first * b.rows, width * b.rows) };
            pack_panel(b, first, width, target);
        }
    });
}

/// The number of rows of `b` that are gathered at a time from a transposed matrix: few enough for its lines
/// to stay in the cache.
const GATHERED: usize = 16;

fn pack_panel(b: Matrix, first: usize, width: usize, target: &mut [f32]) {
    let columns = width.min(b.columns - first);
    if b.column_stride == 1 {
        for (i, row) in target.chunks_exact_mut(width).enumerate() {
            let start = i * b.row_stride + first;
            row[..columns].copy_from_slice(&b.data[start..start + columns]);
            row[columns..].fill(0.0);
        }
        return;
    }
    for (block, rows) in target.chunks_mut(GATHERED * width).enumerate() {
        let start = block * GATHERED * b.row_stride + first * b.column_stride;
        let count = rows.len() / width;
        for j in 0..columns {
            let column = &b.data[start + j * b.column_stride..];
            for i in 0..count {
                rows[i * width + j] = column[i * b.row_stride];
            }
        }
        for row in rows.chunks_exact_mut(width) {
            row[columns..].fill(0.0);
        }
    }
}

/// Copies a block of `a` into `target`: groups of `LANES` columns, each with all rows consecutive, so that
/// tiles read them densely. The padding of the last group is zero.
pub(crate) struct PackA<'a> {
    pub a: Matrix<'a>,
    pub rows: Range<usize>,
    pub k: Range<usize>,
    pub target: &'a mut [f32],
}

impl Kernel for PackA<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { a, rows, k, target } = self;
        let plane = rows.len() * S::LANES;
        assert!(target.len() >= k.len().div_ceil(S::LANES) * plane);
        for (i, row) in rows.enumerate() {
            for (group, first) in k.clone().step_by(S::LANES).enumerate() {
                let count = S::LANES.min(k.end - first);
                let source = &a.data[row * a.row_stride + first * a.column_stride..];
                let at = group * plane + i * S::LANES;
                if a.column_stride == 1 {
                    let source = &source[..count];
                    // SAFETY: `count` values are readable, and the length of the target was asserted.
                    unsafe { s.store(target.as_mut_ptr().add(at), s.load_n(source.as_ptr(), count)) }
                } else {
                    let out = &mut target[at..at + S::LANES];
                    for (j, out) in out[..count].iter_mut().enumerate() {
                        *out = source[j * a.column_stride];
                    }
                    out[count..].fill(0.0);
                }
            }
        }
    }
}
