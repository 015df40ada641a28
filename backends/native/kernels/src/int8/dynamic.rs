//! Quantization with the range of the values.

use super::finish::Place;
use super::linear::{quantize, quantize_line};
use super::requantize::BytesMut;
use crate::error::{Result, need};
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// Quantizes to unsigned bytes as DynamicQuantizeLinear does, and returns scale and zero point. With the
/// least and the greatest of 0 and the values other than NaN, the scale is `(most - least) / 255`, or 1 if
/// they are equal, and the zero point is `saturate(round(-least / scale))`; NaN becomes
/// the zero point.
///
/// # Errors
/// Different lengths.
pub fn quantize_dynamically(pool: &Pool, x: &[f32], y: &mut [u8]) -> Result<(f32, u8)> {
    need("dynamic quantization: result", x.len(), y.len())?;
    let DynamicScale { scale, zero } = DynamicScale::of(pool.isa(), x);
    quantize(
        pool,
        [1, 1, x.len()],
        x,
        &[scale],
        &[zero.into()],
        BytesMut::Unsigned(y),
    )?;
    Ok((scale, zero))
}

/// How values become unsigned bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynamicScale {
    pub scale: f32,
    pub zero: u8,
}

impl DynamicScale {
    /// Returns the scale and the zero point that these values have.
    pub fn of(isa: Isa, x: &[f32]) -> Self {
        let [least, most] = range(isa, x);
        let scale = if most == least {
            1.0
        } else {
            (most - least) / 255.0
        };
        let zero = (0.0 - least / scale).round_ties_even().clamp(0.0, 255.0) as u8;
        Self { scale, zero }
    }
}

/// Rows of quantized values, padded to a multiple of four bytes. The memory is kept from call to call.
#[derive(Debug, Default)]
pub(crate) struct DynamicRows {
    bytes: Vec<u8>,
    /// The number of bytes from row to row.
    stride: usize,
    /// The sum of each row.
    pub sums: Vec<i32>,
}

impl DynamicRows {
    /// Quantizes dense rows of `k` values.
    pub fn fill(&mut self, isa: Isa, x: &[f32], k: usize, with: DynamicScale, with_sums: bool) {
        self.stride = k.next_multiple_of(4);
        self.bytes.resize(x.len() / k.max(1) * self.stride, 0);
        let place = Place::of_sign(false, with.zero.into());
        if self.stride == k {
            quantize_line(isa, x, with.scale, place, &mut self.bytes);
        } else {
            let rows = self.bytes.chunks_exact_mut(self.stride);
            for (x, y) in x.chunks_exact(k).zip(rows) {
                quantize_line(isa, x, with.scale, place, &mut y[..k]);
                y[k..].fill(0);
            }
        }
        self.sums.clear();
        if with_sums {
            let rows = self.bytes.chunks_exact(self.stride.max(1));
            self.sums
                .extend(rows.map(|row| row[..k].iter().copied().map(i32::from).sum::<i32>()));
        }
    }

    /// The rows, and the number of bytes from row to row.
    pub fn rows(&self) -> (&[u8], usize) {
        (&self.bytes, self.stride)
    }
}

/// Returns the least and the greatest of 0 and the values other than NaN.
fn range(isa: Isa, x: &[f32]) -> [f32; 2] {
    isa.run(Range(x))
}

struct Range<'a>(&'a [f32]);

impl Kernel for Range<'_> {
    type Output = [f32; 2];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> [f32; 2] {
        let (mut least, mut most) = ([s.zero(); 2], [s.zero(); 2]);
        let pairs = self.0.chunks_exact(2 * S::LANES);
        let rest = pairs.remainder();
        for pair in pairs {
            for (half, values) in pair.chunks_exact(S::LANES).enumerate() {
                // SAFETY: the slice is a vector.
                let x = unsafe { s.load(values.as_ptr()) };
                // The second operand is returned if the first is NaN.
                least[half] = s.min(x, least[half]);
                most[half] = s.max(x, most[half]);
            }
        }
        let lanes = |x: S::V| {
            let mut lanes = [0.0; 16];
            // SAFETY: there is room for a vector of at most 16 lanes.
            unsafe { s.store(lanes.as_mut_ptr(), x) };
            lanes
        };
        // No lane is NaN; a comparison with a NaN of the rest fails.
        let [a, b] = least;
        let least = halved(lanes(s.min(a, b)), |x, y| if x < y { x } else { y });
        let [a, b] = most;
        let most = halved(lanes(s.max(a, b)), |x, y| if x > y { x } else { y });
        rest.iter().fold([least, most], |[least, most], &x| {
            [if x < least { x } else { least }, if x > most { x } else { most }]
        })
    }
}

/// Combines all elements.
#[inline(always)]
fn halved(mut lanes: [f32; 16], combine: impl Fn(f32, f32) -> f32) -> f32 {
    for half in [8, 4, 2, 1] {
        for at in 0..half {
            lanes[at] = combine(lanes[at], lanes[at + half]);
        }
    }
    lanes[0]
}
