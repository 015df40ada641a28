//! Operands in the order of the micro-kernel.

use super::{Bytes, Dot};
use crate::Pool;
use crate::error::{Result, need, product};
use crate::memory::{Buffer, Shared};

/// Left operands: rows of unsigned bytes, filled up with zeros to whole quads, and their sums.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub data: Buffer<u8>,
    /// Quads of a row.
    pub quads: usize,
    pub sums: Vec<i32>,
    /// What was added to every value.
    pub offset: i32,
}

impl Rows {
    /// Packs `m × k` bytes, whose number was checked.
    pub fn new(a: Bytes, m: usize, k: usize) -> Self {
        let quads = k.div_ceil(4);
        let flip = a.flip_to_unsigned();
        let mut data = Buffer::zeroed(m * quads * 4);
        let mut sums = vec![0; m];
        if k > 0 {
            let rows = a
                .raw()
                .chunks_exact(k)
                .zip(data.chunks_exact_mut(quads * 4))
                .zip(&mut sums);
            for ((row, target), sum) in rows {
                target
                    .iter_mut()
                    .zip(row)
                    .for_each(|(target, byte)| *target = byte ^ flip);
                *sum = target[..k]
                    .iter()
                    .map(|byte| i32::from(*byte))
                    .fold(0, i32::wrapping_add);
            }
        }
        Self {
            data,
            quads,
            sums,
            offset: i32::from(flip),
        }
    }
}

/// A right-hand matrix of bytes (`k × n`) in panels of two vectors of columns, made once for weights.
#[derive(Clone, Debug)]
pub struct Int8Weights {
    pub(super) dot: Dot,
    pub(super) k: usize,
    pub(super) n: usize,
    /// For each panel, quad of rows and column four signed bytes.
    pub(super) data: Buffer<i8>,
    pub(super) sums: Vec<i32>,
    /// What was added to every value.
    pub(super) offset: i32,
}

impl Int8Weights {
    /// Packs `k × n` bytes, row after row, for the best instruction set of this pool.
    pub fn new(pool: &Pool, b: Bytes, k: usize, n: usize) -> Result<Self> {
        Self::with_dot(pool, Dot::of(pool.isa()), b, k, n)
    }

    /// As [`Self::new`] for a given instruction set; fails if this processor has not got it.
    pub fn with_dot(pool: &Pool, dot: Dot, b: Bytes, k: usize, n: usize) -> Result<Self> {
        dot.check()?;
        need("int8 weights", product("int8 weights", &[k, n])?, b.len())?;
        let (width, flip) = (dot.width(), b.flip_to_signed());
        let panels = n.div_ceil(width);
        let panel_len = product("int8 weights", &[k.div_ceil(4), 4, width])?;
        let mut data = Buffer::zeroed(product("int8 weights", &[panels, panel_len])?);
        let mut sums = vec![0; panels * width];
        let (shared, shared_sums) = (Shared::new(&mut data), Shared::new(&mut sums));
        let raw = b.raw();
        pool.split(panels, 1, |range| {
            for panel in range {
                // SAFETY: panels are disjoint, each is one thread's.
                let (target, sums) = unsafe {
                    (
                        shared.part(panel * panel_len, panel_len),
                        shared_sums.part(panel * width, width),
                    )
                };
                let first = panel * width;
                let columns = width.min(n - first);
                for l in 0..k {
                    pack_row(l, &raw[l * n + first..][..columns], flip, width, target, sums);
                }
            }
        });
        Ok(Self {
            dot,
            k,
            n,
            data,
            sums,
            offset: -i32::from(flip),
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.data.len() + self.sums.len() * size_of::<i32>()
    }
}

/// Row `l` of a panel, and its share of the columns' sums.
#[inline]
pub(super) fn pack_row(l: usize, row: &[u8], flip: u8, width: usize, panel: &mut [i8], sums: &mut [i32]) {
    let quad = &mut panel[l / 4 * 4 * width..][..4 * width];
    for ((byte, target), sum) in row.iter().zip(quad.chunks_exact_mut(4)).zip(sums) {
        let value = (byte ^ flip) as i8;
        target[l % 4] = value;
        *sum = sum.wrapping_add(i32::from(value));
    }
}
