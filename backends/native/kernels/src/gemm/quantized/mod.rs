//! Quantized weights of a product over f32: integers of four or eight bits with a scale and a zero point for
//! each block of rows.
//!
//! A weight is `(code - zero) · scale` in f32, as DequantizeLinear computes it. [`expand`] restores a part
//! of a panel in the cache, which the tiles of a product share; its results have the bits of a product with
//! restored weights. [`skinny`] is for products of few rows: it sums the products with `code - zero`, which
//! is exact, and multiplies the sum of each block by the scale. That is a multiplication less for each
//! weight, and its error is within the bound of a product with restored weights: it rounds no weight, and
//! its sums are shorter ([`skinny`] says when it is used).

pub(super) mod expand;
pub(super) mod skinny;

use crate::error::{KernelError, Result, ensure, need, product};
use crate::gemm::pack;
use crate::memory::{Buffer, Shared};
use crate::simd::Simd;
use crate::{Isa, Pool};

/// The size of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeBits {
    /// Codes from 0 to 15.
    Four,
    /// Codes from 0 to 255.
    Eight,
}

/// A quantized matrix of `k × n` weights. Codes of signed types are given plus 8 or 128.
#[derive(Clone, Copy, Debug)]
pub struct Quantized<'a> {
    /// The size of a code.
    pub bits: CodeBits,
    /// The number of rows, which is the common dimension.
    pub k: usize,
    /// The number of columns.
    pub n: usize,
    /// Whether all operands are stored by columns instead of by rows.
    pub turned: bool,
    /// The number of rows that share a scale, at least 1. The last block may be shorter.
    pub block: usize,
    /// `k × n` codes, one in each byte.
    pub codes: &'a [u8],
    /// `⌈k / block⌉ × n` scales.
    pub scales: &'a [f32],
    /// A zero point for each scale.
    pub zeros: &'a [u8],
}

/// A quantized matrix in panels of two vectors of columns, packed once.
///
/// Panel `p` holds columns `p·width ..`, in groups of eight rows (codes of four bits) or four rows (of
/// eight). A group has 32 bits for each column, whose lowest bits are the code in its first row. Rows and
/// columns after the last have codes of 0; columns after the last have scales of 0.
#[derive(Clone, Debug)]
pub struct PackedQuantized {
    pub(super) isa: Isa,
    pub(super) bits: CodeBits,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) block: usize,
    codes: Buffer<u32>,
    /// For each panel and block, a scale for each column.
    scales: Buffer<f32>,
    /// For each panel and block, a zero point for each column.
    zeros: Buffer<u8>,
    /// The zero point, if it is the same everywhere.
    zero: Option<u8>,
    /// Whether [`skinny`] may multiply sums by scales.
    sums: bool,
}

impl PackedQuantized {
    /// Packs for the kernels of this pool; use the matrix only with this pool.
    pub fn new(pool: &Pool, b: Quantized) -> Result<Self> {
        let what = "quantized matrix";
        ensure(b.block > 0, what, || "blocks of no rows".to_owned())?;
        let blocks = b.k.div_ceil(b.block);
        need(what, product(what, &[b.k, b.n])?, b.codes.len())?;
        let scales = product(what, &[blocks, b.n])?;
        need("quantized matrix: scales", scales, b.scales.len())?;
        need("quantized matrix: zero points", scales, b.zeros.len())?;
        let width = pack::width(pool.isa());
        let columns = b.n.checked_next_multiple_of(width);
        let columns = columns.ok_or(KernelError::Overflow(what))?;
        let mut packed = Self {
            isa: pool.isa(),
            bits: b.bits,
            k: b.k,
            n: b.n,
            block: b.block,
            codes: Buffer::try_zeroed(product(what, &[b.k.div_ceil(b.bits.rows()), columns])?)?,
            scales: Buffer::try_zeroed(product(what, &[blocks, columns])?)?,
            zeros: Buffer::try_zeroed(product(what, &[blocks, columns])?)?,
            zero: same(&b.zeros[..scales]),
            sums: skinny::may_multiply_sums(&b, &b.scales[..scales]),
        };
        let len = packed.panel_len();
        let codes = Shared::new(&mut packed.codes);
        let scales = Shared::new(&mut packed.scales);
        let zeros = Shared::new(&mut packed.zeros);
        pool.split(columns / width, 1, |panels| {
            for panel in panels {
                let first = panel * width;
                let count = width.min(b.n - first);
                // SAFETY: panels do not overlap, and each belongs to one thread.
                let (codes, scales, zeros) = unsafe {
                    (
                        codes.part(panel * len, len),
                        scales.part(panel * blocks * width, blocks * width),
                        zeros.part(panel * blocks * width, blocks * width),
                    )
                };
                b.pack_codes(first, count, width, codes);
                gather(b.scales, [blocks, b.n], b.turned, first, count, scales, width);
                gather(b.zeros, [blocks, b.n], b.turned, first, count, zeros, width);
            }
        });
        Ok(packed)
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
        size_of_val(&*self.codes) + size_of_val(&*self.scales) + self.zeros.len()
    }

    /// The number of groups of codes in a panel.
    fn panel_len(&self) -> usize {
        self.k.div_ceil(self.bits.rows()) * pack::width(self.isa)
    }

    /// Returns the codes of a panel.
    fn panel(&self, panel: usize) -> &[u32] {
        let len = self.panel_len();
        &self.codes[panel * len..(panel + 1) * len]
    }

    /// Returns the scales and the zero points of a block of a panel.
    fn steps(&self, panel: usize, block: usize) -> (&[f32], &[u8]) {
        let width = pack::width(self.isa);
        let at = (panel * self.k.div_ceil(self.block) + block) * width;
        (&self.scales[at..at + width], &self.zeros[at..at + width])
    }
}

impl CodeBits {
    /// The number of bits.
    fn bits(self) -> u32 {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// The number of rows in a group, whose codes of one column have 32 bits.
    fn rows(self) -> usize {
        (u32::BITS / self.bits()) as usize
    }
}

impl Quantized<'_> {
    /// Packs `count` columns from `first` on into groups of `width` columns.
    fn pack_codes(&self, first: usize, count: usize, width: usize, target: &mut [u32]) {
        let (bits, rows) = (self.bits.bits(), self.bits.rows());
        for (group, packed) in target.chunks_exact_mut(width).enumerate() {
            for i in group * rows..((group + 1) * rows).min(self.k) {
                let shift = bits * (i % rows) as u32;
                for (column, packed) in packed[..count].iter_mut().enumerate() {
                    let code = self.codes[position(i, first + column, [self.k, self.n], self.turned)];
                    *packed |= (u32::from(code) & ((1 << bits) - 1)) << shift;
                }
            }
        }
    }
}

/// Copies `count` columns from `first` on of a matrix with these numbers of rows and columns.
fn gather<T: Copy>(
    source: &[T],
    extents: [usize; 2],
    turned: bool,
    first: usize,
    count: usize,
    target: &mut [T],
    width: usize,
) {
    for (i, row) in target.chunks_exact_mut(width).enumerate() {
        for (j, value) in row[..count].iter_mut().enumerate() {
            *value = source[position(i, first + j, extents, turned)];
        }
    }
}

/// Returns the element that all are equal to.
fn same(elements: &[u8]) -> Option<u8> {
    let first = *elements.first()?;
    elements.iter().all(|element| *element == first).then_some(first)
}

fn position(i: usize, j: usize, [rows, columns]: [usize; 2], turned: bool) -> usize {
    if turned { j * rows + i } else { i * columns + j }
}

/// The bits of 2²³: a float with these bits and a byte in the lowest bits is 2²³ plus the byte.
const MAGIC: i32 = 0x4b00_0000;

/// How the codes of a group become differences from their zero points.
trait Codes {
    /// The number of rows of a group.
    const ROWS: usize;

    /// Returns the lowest codes of these groups less the zero points; all differences are exact.
    fn differences<S: Simd>(s: S, groups: S::I, zeros: S::V, table: S::V) -> S::V;

    /// Makes the codes of the next row the lowest ones.
    fn next<S: Simd>(s: S, groups: S::I) -> S::I;
}

/// Codes of four bits.
struct Four;
/// Codes of four bits with the same zero point everywhere, as a table of 16 lanes holds it.
struct Table;
/// Codes of eight bits.
struct Eight;

impl Codes for Four {
    const ROWS: usize = 8;

    #[inline(always)]
    fn differences<S: Simd>(s: S, groups: S::I, zeros: S::V, _: S::V) -> S::V {
        lowest(s, groups, 15, zeros)
    }

    #[inline(always)]
    fn next<S: Simd>(s: S, groups: S::I) -> S::I {
        s.shr_i::<4>(groups)
    }
}

impl Codes for Table {
    const ROWS: usize = 8;

    #[inline(always)]
    fn differences<S: Simd>(s: S, groups: S::I, _: S::V, table: S::V) -> S::V {
        // Of 16 lanes the low four bits select one.
        s.permute(table, groups)
    }

    #[inline(always)]
    fn next<S: Simd>(s: S, groups: S::I) -> S::I {
        s.shr_i::<4>(groups)
    }
}

impl Codes for Eight {
    const ROWS: usize = 4;

    #[inline(always)]
    fn differences<S: Simd>(s: S, groups: S::I, zeros: S::V, _: S::V) -> S::V {
        lowest(s, groups, 255, zeros)
    }

    #[inline(always)]
    fn next<S: Simd>(s: S, groups: S::I) -> S::I {
        s.shr_i::<8>(groups)
    }
}

/// Returns the bits of `mask` of these groups as numbers, less the zero points.
#[inline(always)]
fn lowest<S: Simd>(s: S, groups: S::I, mask: i32, zeros: S::V) -> S::V {
    let codes = s.and_i(groups, s.splat_i(mask));
    s.sub(s.from_bits(s.or_i(codes, s.splat_i(MAGIC))), zeros)
}

/// Loads a group of a vector of columns.
///
/// # Safety
/// A vector is readable at `groups`.
#[inline(always)]
unsafe fn load<S: Simd>(s: S, groups: *const u32) -> S::I {
    // SAFETY: as for this function.
    s.bits(unsafe { s.load(groups.cast()) })
}

/// Scales and zero points of the vectors of a panel in one block.
#[derive(Clone, Copy)]
struct Steps<S: Simd> {
    scales: [S::V; 2],
    /// 2²³ plus the zero points.
    zeros: [S::V; 2],
}

impl<S: Simd> Steps<S> {
    #[inline(always)]
    fn zero(s: S) -> Self {
        Self {
            scales: [s.zero(); 2],
            zeros: [s.zero(); 2],
        }
    }

    #[inline(always)]
    fn of(s: S, (scales, zeros): (&[f32], &[u8])) -> Self {
        assert!(scales.len() >= 2 * S::LANES && zeros.len() >= 2 * S::LANES);
        let mut steps = Self::zero(s);
        for v in 0..2 {
            // SAFETY: there are at least two vectors of both.
            let zeros = unsafe {
                steps.scales[v] = s.load(scales.as_ptr().add(v * S::LANES));
                s.load_bytes(zeros.as_ptr().add(v * S::LANES))
            };
            steps.zeros[v] = s.from_bits(s.or_i(zeros, s.splat_i(MAGIC)));
        }
        steps
    }
}

/// Returns the numbers from 0 to 15 less the zero point.
#[inline(always)]
fn table<S: Simd>(s: S, zero: u8) -> S::V {
    let differences: [f32; 16] = std::array::from_fn(|code| code as f32 - f32::from(zero));
    // SAFETY: no vector has more than 16 lanes.
    unsafe { s.load_n(differences.as_ptr(), S::LANES) }
}
