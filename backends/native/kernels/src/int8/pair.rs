//! A sum, difference or product of the numbers of two bytes, as a byte.

use super::ByteScale;
use super::scale::round;
use crate::error::{Result, ensure, need};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// Work with fewer elements is not divided among threads.
const GRAIN: usize = 16 * 1024;

/// The number of bytes to which a short operand is repeated.
const REPEATED: usize = 1024;

/// The constants of a product and a sum that are tried to replace the division, as multiples of
/// [`NUDGE`]: rounding errors of f32 near the middle of two bytes.
const NUDGES: [f32; 13] = [
    0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0, 6.0, -6.0, 8.0, -8.0,
];
/// About half of the distance of numbers of f32 near 64.
const NUDGE: f32 = 4e-6;

/// What is computed from two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairOperation {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a · b`
    Multiply,
}

/// `quantize(operation(dequantize(a), dequantize(b)))`, each step rounded to f32.
#[derive(Clone, Copy, Debug)]
pub struct BytePair {
    isa: Isa,
    operation: PairOperation,
    operands: [ByteScale; 2],
    result: ByteScale,
    fast: Option<Fast>,
}

/// A formula without divisions, which was found to give the same byte for every pair of bytes.
#[derive(Clone, Copy, Debug)]
enum Fast {
    /// `a · of_a + (b · of_b + shift)`, for unsigned bytes.
    Sum { of_a: f32, of_b: f32, shift: f32 },
    /// `(a - zeros[0]) · (b - zeros[1]) · factor + shift`, for unsigned bytes.
    Product {
        zeros: [f32; 2],
        factor: f32,
        shift: f32,
    },
}

impl BytePair {
    /// Searches for a formula without divisions, and compares it for all 65,536 pairs of bytes.
    pub fn new(pool: &Pool, operation: PairOperation, operands: [ByteScale; 2], result: ByteScale) -> Self {
        let exact = Self {
            isa: pool.isa(),
            operation,
            operands,
            result,
            fast: None,
        };
        let fast = NUDGES.into_iter().map(|nudge| Self {
            fast: Some(exact.formula(nudge * NUDGE)),
            ..exact
        });
        let mut expected = vec![0; 1 << 16];
        for (first, row) in (0..=u8::MAX).zip(expected.chunks_exact_mut(256)) {
            exact.row(first, row);
        }
        fast.into_iter()
            .find(|fast| fast.agrees(&expected))
            .unwrap_or(exact)
    }

    fn formula(&self, shift: f32) -> Fast {
        let [a, b] = self.operands.map(|operand| f64::from(operand.scale));
        let [a_zero, b_zero] = self.operands.map(|operand| f64::from(operand.unsigned_zero()));
        let result = f64::from(self.result.scale);
        let sign = match self.operation {
            PairOperation::Multiply => {
                return Fast::Product {
                    zeros: [a_zero as f32, b_zero as f32],
                    factor: (a * b / result) as f32,
                    shift,
                };
            }
            PairOperation::Add => 1.0,
            PairOperation::Subtract => -1.0,
        };
        let (of_a, of_b) = (a / result, sign * b / result);
        Fast::Sum {
            of_a: of_a as f32,
            of_b: of_b as f32,
            shift: -(a_zero * of_a + b_zero * of_b) as f32 + shift,
        }
    }

    /// Whether all pairs give these bytes, in the order of the first byte and then the second.
    fn agrees(&self, expected: &[u8]) -> bool {
        let mut row = [0; 256];
        (0..=u8::MAX)
            .zip(expected.chunks_exact(256))
            .all(|(first, expected)| {
                self.row(first, &mut row);
                row[..] == *expected
            })
    }

    /// Computes the results of one first byte and all second bytes.
    fn row(&self, first: u8, y: &mut [u8]) {
        let seconds: [u8; 256] = std::array::from_fn(|at| at as u8);
        self.on_slices(&[first; 256], &seconds, y);
    }

    /// Computes the result of each pair; the bytes are given as their bits, and two threads compute the same
    /// as one.
    ///
    /// # Errors
    /// Different lengths.
    pub fn run(&self, pool: &Pool, a: &[u8], b: &[u8], y: &mut [u8]) -> Result<()> {
        need("pairs of bytes: second operand", a.len(), b.len())?;
        need("pairs of bytes: result", a.len(), y.len())?;
        let y = Shared::new(y);
        pool.split(a.len(), GRAIN, |range| {
            // SAFETY: ranges are disjoint, each belongs to one thread.
            let target = unsafe { y.part(range.start, range.len()) };
            self.on_slices(&a[range.clone()], &b[range], target);
        });
        Ok(())
    }

    /// Like [`Self::run`] with a short operand: each line of the long one meets `period` bytes of it, again
    /// and again. `is_first` says whether the short operand is the first of the pair.
    ///
    /// # Errors
    /// Lengths that are no whole lines or periods.
    pub fn run_repeated(
        &self,
        pool: &Pool,
        long: &[u8],
        (short, period): (&[u8], usize),
        is_first: bool,
        y: &mut [u8],
    ) -> Result<()> {
        need("pairs of bytes: result", long.len(), y.len())?;
        let lines = short.len().checked_div(period).unwrap_or(0);
        let line = long.len().checked_div(lines).unwrap_or(0);
        let whole = lines * period == short.len() && lines * line == long.len();
        ensure(
            whole && line > 0 && line.is_multiple_of(period),
            "pairs of bytes",
            || format!("{} bytes with {} for each {period}", long.len(), short.len()),
        )?;
        let piece = REPEATED.next_multiple_of(period).min(line);
        let pieces = line.div_ceil(piece);
        let y = Shared::new(y);
        pool.split(lines * pieces, GRAIN.div_ceil(piece), |range| {
            let mut repeated = vec![0; piece];
            let mut held = None;
            for number in range {
                let (of, within) = (number / pieces, number % pieces * piece);
                if held.replace(of) != Some(of) {
                    let own = &short[of * period..][..period];
                    repeated
                        .chunks_mut(period)
                        .for_each(|part| part.copy_from_slice(&own[..part.len()]));
                }
                let (start, count) = (of * line + within, piece.min(line - within));
                let (long, short) = (&long[start..][..count], &repeated[..count]);
                let (a, b) = if is_first { (short, long) } else { (long, short) };
                // SAFETY: pieces are disjoint, each belongs to one thread.
                self.on_slices(a, b, unsafe { y.part(start, count) });
            }
        });
        Ok(())
    }

    fn on_slices(&self, a: &[u8], b: &[u8], y: &mut [u8]) {
        self.isa.run(Pairs { of: self, a, b, y });
    }
}

struct Pairs<'a> {
    of: &'a BytePair,
    a: &'a [u8],
    b: &'a [u8],
    y: &'a mut [u8],
}

impl Kernel for Pairs<'_> {
    type Output = ();

    /// Vectorized by the compiler.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let BytePair {
            operation,
            operands: [a, b],
            result,
            fast,
            ..
        } = *self.of;
        match (fast, operation) {
            (Some(Fast::Sum { of_a, of_b, shift }), _) => self.fast::<S>(|x, y| {
                let second = fused::<S>(y, of_b, shift);
                fused::<S>(x, of_a, second)
            }),
            (Some(Fast::Product { zeros, factor, shift }), _) => {
                self.fast::<S>(|x, y| fused::<S>((x - zeros[0]) * (y - zeros[1]), factor, shift));
            }
            (None, PairOperation::Add) => self.exact(|x, y| result.bits(a.value(x) + b.value(y))),
            (None, PairOperation::Subtract) => self.exact(|x, y| result.bits(a.value(x) - b.value(y))),
            (None, PairOperation::Multiply) => self.exact(|x, y| result.bits(a.value(x) * b.value(y))),
        }
    }
}

impl Pairs<'_> {
    #[inline(always)]
    fn exact(self, byte: impl Fn(u8, u8) -> u8) {
        for ((y, a), b) in self.y.iter_mut().zip(self.a).zip(self.b) {
            *y = byte(*a, *b);
        }
    }

    /// Rounds what a formula computes from unsigned bytes.
    #[inline(always)]
    fn fast<S: Simd>(self, formula: impl Fn(f32, f32) -> f32) {
        let flips = self.of.operands.map(ByteScale::flip);
        let place = self.of.result.place();
        let (low, high) = (place.low as f32, place.high as f32);
        for ((y, a), b) in self.y.iter_mut().zip(self.a).zip(self.b) {
            let value = formula(f32::from(*a ^ flips[0]), f32::from(*b ^ flips[1]));
            *y = round(value, low, high).wrapping_add(place.zero);
        }
    }
}

/// `x · y + z`, rounded once where the processor has the instruction.
#[inline(always)]
pub(super) fn fused<S: Simd>(x: f32, y: f32, z: f32) -> f32 {
    match S::ISA {
        Isa::Portable => x * y + z,
        Isa::Avx2 | Isa::Avx512 => x.mul_add(y, z),
    }
}
