//! Operands in the order of the micro-kernel.

use super::{Bytes, Dot};
use crate::error::{Result, need, product};
use crate::gemm::prefetch::Prefetch;
use crate::memory::{Buffer, Shared};
use crate::{Isa, Pool};

/// Work with fewer elements is not divided among threads.
const GRAIN: usize = 32 * 1024;

/// Left operands: rows of unsigned bytes, padded to a multiple of four. Data that already has this form is
/// borrowed.
#[derive(Clone, Debug)]
pub(super) struct Rows<'a> {
    given: &'a [u8],
    packed: Option<Buffer<u8>>,
    /// The number of groups of four bytes in a row.
    pub quads: usize,
    /// The sum of each row, if requested.
    pub sums: Vec<i32>,
    /// The offset that was added to every value.
    pub offset: i32,
}

impl<'a> Rows<'a> {
    /// Prepares `m × k` bytes, whose number was checked; with the sums of rows if `with_sums`.
    pub fn new(pool: &Pool, a: Bytes<'a>, m: usize, k: usize, with_sums: bool) -> Self {
        let quads = k.div_ceil(4);
        let (raw, flip) = (a.raw(), a.flip_to_unsigned());
        let mut sums = vec![0; if with_sums { m } else { 0 }];
        let mut packed = (flip > 0 || !k.is_multiple_of(4)).then(|| Buffer::zeroed(m * quads * 4));
        let rows = packed.as_deref_mut().map(Shared::new);
        let shared_sums = Shared::new(&mut sums);
        let work = with_sums || rows.is_some();
        pool.split(if work { m } else { 0 }, (GRAIN / k.max(1)).max(1), |range| {
            for row in range {
                let source = &raw[row * k..][..k];
                if let Some(rows) = rows {
                    // SAFETY: rows are disjoint, each belongs to one thread.
                    let target = unsafe { rows.part(row * quads * 4, k) };
                    target
                        .iter_mut()
                        .zip(source)
                        .for_each(|(target, byte)| *target = byte ^ flip);
                }
                if with_sums {
                    let sum = source
                        .iter()
                        .fold(0_i32, |sum, byte| sum.wrapping_add(i32::from(byte ^ flip)));
                    // SAFETY: as above.
                    unsafe { shared_sums.part(row, 1)[0] = sum };
                }
            }
        });
        Self {
            given: raw,
            packed,
            quads,
            sums,
            offset: i32::from(flip),
        }
    }

    /// Returns all rows, dense.
    pub fn data(&self) -> &[u8] {
        self.packed.as_deref().unwrap_or(self.given)
    }

    /// Copies borrowed data.
    pub fn kept(self) -> Rows<'static> {
        Rows {
            packed: Some(self.packed.unwrap_or_else(|| Buffer::from_slice(self.given))),
            given: &[],
            quads: self.quads,
            sums: self.sums,
            offset: self.offset,
        }
    }
}

/// A right-hand matrix of bytes in panels of two vectors of columns, packed once for weights.
#[derive(Clone, Debug)]
pub struct Int8Weights {
    pub(super) dot: Dot,
    /// The number of products in a sum.
    pub(super) k: usize,
    pub(super) n: usize,
    /// The number of groups of four steps of a tap; a matrix has one tap.
    pub(super) quads: usize,
    pub(super) taps: usize,
    /// Four signed bytes for each panel, tap, group of steps and column.
    pub(super) data: Buffer<i8>,
    /// The sum of each column, up to complete panels.
    pub(super) sums: Vec<i32>,
    /// The offset that was added to every value.
    pub(super) offset: i32,
}

impl Int8Weights {
    /// Packs a dense `k × n` matrix for the best instruction set of this pool.
    pub fn new(pool: &Pool, b: Bytes, k: usize, n: usize) -> Result<Self> {
        Self::with_dot(pool, Dot::of(pool.isa()), b, k, n)
    }

    /// Like [`Self::new`] for a given instruction set; fails if this processor does not have it.
    pub fn with_dot(pool: &Pool, dot: Dot, b: Bytes, k: usize, n: usize) -> Result<Self> {
        dot.check()?;
        need("int8 weights", product("int8 weights", &[k, n])?, b.len())?;
        let raw = b.raw();
        let byte = |column: usize, _, step: usize| raw[step * n + column];
        Self::pack(pool, dot, [1, k, n], b.flip_to_signed(), byte)
    }

    /// Packs filters, `[out][in][taps]`, whose number was checked.
    pub(super) fn filters(pool: &Pool, dot: Dot, w: Bytes, [outs, ins, taps]: [usize; 3]) -> Result<Self> {
        let raw = w.raw();
        let byte = |out: usize, tap: usize, step: usize| raw[(out * ins + step) * taps + tap];
        Self::pack(pool, dot, [taps, ins, outs], w.flip_to_signed(), byte)
    }

    /// `byte` returns the value of a column, a tap and a step.
    fn pack(
        pool: &Pool,
        dot: Dot,
        [taps, steps, n]: [usize; 3],
        flip: u8,
        byte: impl Fn(usize, usize, usize) -> u8 + Sync,
    ) -> Result<Self> {
        let (width, quads) = (dot.width(), steps.div_ceil(4));
        let panels = n.div_ceil(width);
        let panel_len = product("int8 weights", &[taps, quads, 4, width])?;
        let mut data = Buffer::zeroed(product("int8 weights", &[panels, panel_len])?);
        let mut sums = vec![0_i32; panels * width];
        let (shared, shared_sums) = (Shared::new(&mut data), Shared::new(&mut sums));
        pool.split(panels, 1, |range| {
            for panel in range {
                let columns = panel * width..n.min((panel + 1) * width);
                // SAFETY: panels are disjoint, each belongs to one thread.
                let (target, sums) = unsafe {
                    (
                        shared.part(panel * panel_len, panel_len),
                        shared_sums.part(panel * width, width),
                    )
                };
                // Steps are the outer loop: all taps of a step are near each other in the source.
                for (quad, tap) in (0..quads).flat_map(|quad| (0..taps).map(move |tap| (quad, tap))) {
                    let target = &mut target[(tap * quads + quad) * 4 * width..][..4 * width];
                    let present = (steps - quad * 4).min(4);
                    let group = |column: usize, present: usize| -> [i8; 4] {
                        std::array::from_fn(|i| {
                            if i < present {
                                (byte(column, tap, quad * 4 + i) ^ flip).cast_signed()
                            } else {
                                0
                            }
                        })
                    };
                    for ((column, sum), target) in
                        columns.clone().zip(&mut *sums).zip(target.chunks_exact_mut(4))
                    {
                        // A constant count has no branches.
                        let group = match present {
                            4 => group(column, 4),
                            _ => group(column, present),
                        };
                        target.copy_from_slice(&group);
                        *sum = group.iter().fold(*sum, |sum, &x| sum.wrapping_add(i32::from(x)));
                    }
                }
            }
        });
        Ok(Self {
            dot,
            k: taps * steps,
            n,
            quads,
            taps,
            data,
            sums,
            offset: -i32::from(flip),
        })
    }

    /// Returns the bytes of a panel.
    pub(super) fn panel(&self, panel: usize) -> &[i8] {
        let length = self.panel_len();
        &self.data[panel * length..][..length]
    }

    fn panel_len(&self) -> usize {
        self.taps * self.quads * 4 * self.dot.width()
    }

    /// Returns the share of one of several tiles in fetching the panel after this one.
    pub(super) fn ahead(&self, panel: usize, [index, tiles]: [usize; 2], isa: Isa) -> Prefetch<i8> {
        let extents = [4 * self.dot.width(), self.taps * self.quads];
        Prefetch::share(
            &self.data,
            (panel + 1) * self.panel_len(),
            extents,
            [index, tiles],
            isa,
        )
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.data.len() + self.sums.len() * size_of::<i32>()
    }
}
