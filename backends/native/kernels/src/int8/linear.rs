//! Quantization and dequantization between f32 and bytes.

use super::finish::{Place, one_of};
use super::{Bytes, BytesMut};
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// Work with fewer elements is not divided among threads.
const GRAIN: usize = 16 * 1024;

/// Computes `y = saturate(round(x / scale) + zero)`, ties to even, with the quotient rounded to f32; NaN
/// becomes `zero`. `x` is `[outer][channels][inner]`; scales and zero points are one for all or one for each
/// channel.
pub fn quantize(
    pool: &Pool,
    extents: [usize; 3],
    x: &[f32],
    scale: &[f32],
    zero: &[i32],
    y: BytesMut,
) -> Result<()> {
    check(extents, x.len(), scale, zero, y.len())?;
    let places: Vec<Place> = zero.iter().map(|zero| Place::new(&y, *zero)).collect();
    let y = Shared::new(y.raw());
    each_line(pool, extents, scale.len().max(zero.len()), |channel, line| {
        // SAFETY: lines are disjoint, each belongs to one thread.
        let target = unsafe { y.part(line.start, line.len()) };
        let (scale, place) = (one_of(scale, channel), one_of(&places, channel));
        quantize_line(pool.isa(), &x[line], scale, place, target);
    });
    Ok(())
}

/// Quantizes as many values as both slices have.
pub(super) fn quantize_line(isa: Isa, x: &[f32], scale: f32, place: Place, y: &mut [u8]) {
    isa.run(Quantize { x, scale, place, y });
}

/// Computes `y = (x - zero) · scale`, rounded once; extents, scales and zero points as for [`quantize`].
pub fn dequantize(
    pool: &Pool,
    extents: [usize; 3],
    x: Bytes,
    scale: &[f32],
    zero: &[i32],
    y: &mut [f32],
) -> Result<()> {
    check(extents, x.len(), scale, zero, y.len())?;
    let y = Shared::new(y);
    each_line(pool, extents, scale.len().max(zero.len()), |channel, line| {
        // SAFETY: lines are disjoint, each belongs to one thread.
        let target = unsafe { y.part(line.start, line.len()) };
        let (scale, zero) = (one_of(scale, channel), one_of(zero, channel));
        match x {
            Bytes::Signed(x) => pool.isa().run(Dequantize {
                x: &x[line],
                scale,
                zero,
                y: target,
            }),
            Bytes::Unsigned(x) => pool.isa().run(Dequantize {
                x: &x[line],
                scale,
                zero,
                y: target,
            }),
        }
    });
    Ok(())
}

fn check(extents: [usize; 3], x: usize, scale: &[f32], zero: &[i32], y: usize) -> Result<()> {
    let what = "linear quantisation";
    let len = product(what, &extents)?;
    need("linear quantisation: source", len, x)?;
    need("linear quantisation: result", len, y)?;
    for count in [scale.len(), zero.len()] {
        ensure(count == 1 || count == extents[1], what, || {
            format!("{count} scales or zero points for {} channels", extents[1])
        })?;
    }
    Ok(())
}

/// Calls `body` with a channel and a range of its elements until all are visited; with one scale there is one
/// channel.
fn each_line(
    pool: &Pool,
    [outer, channels, inner]: [usize; 3],
    scales: usize,
    body: impl Fn(usize, std::ops::Range<usize>) + Sync,
) {
    if scales == 1 {
        return pool.split(outer * channels * inner, GRAIN, |range| body(0, range));
    }
    pool.split(outer * channels, (GRAIN / inner.max(1)).max(1), |range| {
        for line in range {
            body(line % channels, line * inner..(line + 1) * inner);
        }
    });
}

struct Quantize<'a> {
    x: &'a [f32],
    scale: f32,
    place: Place,
    y: &'a mut [u8],
}

impl Kernel for Quantize<'_> {
    type Output = ();

    /// Vectorized by the compiler; saturates and rounds as [`Place::round`], in f32.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Place { low, high, zero, .. } = self.place;
        // Bounds are integers below 2¹⁰, or so large that the byte does not depend on the value.
        let (low, high) = (low as f32, high as f32);
        let scale = self.scale;
        for (y, x) in self.y.iter_mut().zip(self.x) {
            let value = x / scale;
            let value = if value.is_nan() { 0.0 } else { value };
            let value = if value > low { value } else { low };
            let value = if value < high { value } else { high };
            *y = ((value + 12_582_912.0).to_bits() as u8).wrapping_add(zero);
        }
    }
}

struct Dequantize<'a, T> {
    x: &'a [T],
    scale: f32,
    zero: i32,
    y: &'a mut [f32],
}

impl<T: Copy + Into<i32>> Kernel for Dequantize<'_, T> {
    type Output = ();

    /// Vectorized by the compiler. The difference is exact, so the product is rounded once.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for (y, x) in self.y.iter_mut().zip(self.x) {
            let x: i32 = (*x).into();
            *y = x.wrapping_sub(self.zero) as f32 * self.scale;
        }
    }
}
