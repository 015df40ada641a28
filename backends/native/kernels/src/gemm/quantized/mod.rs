//! Quantized weights of a product over f32: integers of four or eight bits with a scale and a zero point for
//! each block of rows.
//!
//! A weight is `(code - zero) · scale` in f32, as DequantizeLinear computes it. [`few`] restores weights in
//! registers, for products of few rows; [`expand`] restores a part of a panel in the cache, which the tiles
//! of a larger product share. Both multiply in the order of a product with restored weights, so the results
//! have the same bits.

pub(super) mod expand;
pub(super) mod few;

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
/// Panel `p` holds columns `p·width ..`, row by row. A row of a panel has `width` bytes, or with four bits
/// half as many: the low half of byte `l` is the code in column `l`, the high half that in column
/// `l + width / 2`. Columns after the last have codes and scales of 0.
#[derive(Clone, Debug)]
pub struct PackedQuantized {
    pub(super) isa: Isa,
    pub(super) bits: CodeBits,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) block: usize,
    codes: Buffer<u8>,
    /// For each panel and block, a scale for each column.
    scales: Buffer<f32>,
    /// For each panel and block, a zero point for each column.
    zeros: Buffer<u8>,
    /// The zero point, if it is the same everywhere.
    zero: Option<u8>,
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
            codes: Buffer::try_zeroed(product(what, &[b.k, columns / b.bits.codes_in_a_byte()])?)?,
            scales: Buffer::try_zeroed(product(what, &[blocks, columns])?)?,
            zeros: Buffer::try_zeroed(product(what, &[blocks, columns])?)?,
            zero: same(&b.zeros[..scales]),
        };
        let row = packed.row();
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
                        codes.part(panel * b.k * row, b.k * row),
                        scales.part(panel * blocks * width, blocks * width),
                        zeros.part(panel * blocks * width, blocks * width),
                    )
                };
                b.pack_codes(first, count, row, codes);
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
        self.codes.len() + self.scales.len() * size_of::<f32>() + self.zeros.len()
    }

    /// The number of bytes in a row of a panel.
    fn row(&self) -> usize {
        pack::width(self.isa) / self.bits.codes_in_a_byte()
    }

    /// Returns the codes of a panel.
    fn panel(&self, panel: usize) -> &[u8] {
        let len = self.k * self.row();
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
    fn codes_in_a_byte(self) -> usize {
        match self {
            Self::Four => 2,
            Self::Eight => 1,
        }
    }
}

impl Quantized<'_> {
    /// Packs `count` columns from `first` on into rows of `row` bytes.
    fn pack_codes(&self, first: usize, count: usize, row: usize, target: &mut [u8]) {
        if self.bits == CodeBits::Eight {
            return gather(
                self.codes,
                [self.k, self.n],
                self.turned,
                first,
                count,
                target,
                row,
            );
        }
        let code = |i: usize, column: usize| {
            self.codes[position(i, first + column, [self.k, self.n], self.turned)] & 15
        };
        for (i, packed) in target.chunks_exact_mut(row).enumerate() {
            for (column, byte) in packed.iter_mut().enumerate().take(count) {
                *byte = code(i, column);
            }
            for column in row..count {
                packed[column - row] |= code(i, column) << 4;
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
    match turned {
        true => j * rows + i,
        false => i * columns + j,
    }
}

/// The bits of 2²³: a float with these bits and a byte in the lowest bits is 2²³ plus the byte.
const MAGIC: i32 = 0x4b00_0000;

/// How codes become differences from their zero points.
trait Codes {
    /// Whether a row of a panel has codes of four bits.
    const FOUR: bool;

    /// Returns the codes in the low bits of these lanes, less the zero points; all differences are exact.
    fn differences<S: Simd>(s: S, codes: S::I, zeros: S::V, table: S::V) -> S::V;
}

/// Codes of four bits.
struct Four;
/// Codes of four bits with the same zero point everywhere, as a table of 16 lanes holds it.
struct Table;
/// Codes of eight bits.
struct Eight;

impl Codes for Four {
    const FOUR: bool = true;

    #[inline(always)]
    fn differences<S: Simd>(s: S, codes: S::I, zeros: S::V, table: S::V) -> S::V {
        Eight::differences(s, s.and_i(codes, s.splat_i(15)), zeros, table)
    }
}

impl Codes for Table {
    const FOUR: bool = true;

    #[inline(always)]
    fn differences<S: Simd>(s: S, codes: S::I, _: S::V, table: S::V) -> S::V {
        // Of 16 lanes the low four bits select one.
        s.permute(table, codes)
    }
}

impl Codes for Eight {
    const FOUR: bool = false;

    #[inline(always)]
    fn differences<S: Simd>(s: S, codes: S::I, zeros: S::V, _: S::V) -> S::V {
        s.sub(s.from_bits(s.or_i(codes, s.splat_i(MAGIC))), zeros)
    }
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
    fn of(s: S, (scales, zeros): (&[f32], &[u8])) -> Self {
        assert!(scales.len() >= 2 * S::LANES && zeros.len() >= 2 * S::LANES);
        let zero = s.zero();
        let mut steps = Self {
            scales: [zero; 2],
            zeros: [zero; 2],
        };
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

    /// Restores the weights of one row of a panel.
    ///
    /// # Safety
    /// The codes of a row are readable at `codes`.
    #[inline(always)]
    unsafe fn restore<C: Codes>(&self, s: S, codes: *const u8, table: S::V) -> [S::V; 2] {
        // SAFETY: a row has one vector of bytes with four bits, and two with eight.
        let codes = unsafe {
            if C::FOUR {
                let both = s.load_bytes(codes);
                [both, s.shr_i::<4>(both)]
            } else {
                [s.load_bytes(codes), s.load_bytes(codes.add(S::LANES))]
            }
        };
        // The difference is exact, so a weight is rounded once.
        std::array::from_fn(|v| s.mul(C::differences(s, codes[v], self.zeros[v], table), self.scales[v]))
    }
}

/// Returns the numbers from 0 to 15 less the zero point.
#[inline(always)]
fn table<S: Simd>(s: S, zero: u8) -> S::V {
    let differences: [f32; 16] = std::array::from_fn(|code| code as f32 - f32::from(zero));
    // SAFETY: no vector has more than 16 lanes.
    unsafe { s.load_n(differences.as_ptr(), S::LANES) }
}
