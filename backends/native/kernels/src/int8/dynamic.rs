//! Quantization with the range of the values.

use super::linear::quantize;
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
    let [least, most] = range(pool.isa(), x);
    let scale = if most == least {
        1.0
    } else {
        (most - least) / 255.0
    };
    let zero = (0.0 - least / scale).round_ties_even().clamp(0.0, 255.0) as u8;
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
        let lanes = |[first, second]: [S::V; 2]| {
            let mut lanes = [0.0; 32];
            // SAFETY: there is room for two vectors of at most 16 lanes.
            unsafe {
                s.store(lanes.as_mut_ptr(), first);
                s.store(lanes.as_mut_ptr().add(S::LANES), second);
            }
            lanes
        };
        let all = |lanes: [f32; 32], choose: fn(f32, f32) -> f32| {
            lanes.into_iter().chain(rest.iter().copied()).fold(0.0, choose)
        };
        [all(lanes(least), f32::min), all(lanes(most), f32::max)]
    }
}
