//! Average pooling of bytes.

use super::{ByteLayout, ByteScale, Bytes};
use crate::Pool;
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::pool::PoolShape;
use crate::simd::{Kernel, Simd};

/// The maximum number of pixels in a window: sums of bytes fit in 32 bits.
pub const MAX_PIXELS: usize = 1 << 22;

/// Computes the mean of each window of images of `[batch, channels]` and `size`, from bytes that represent
/// numbers as `from` to bytes that represent them as `to`, given as bits. Images and result are
/// [`ByteLayout::ChannelsLast`]. The sum is exact, the mean is rounded to f32, and the byte is that of
/// [`ByteScale::bits`].
///
/// # Errors
/// A tensor has another length than these extents have, or a window has more than 2²² pixels.
pub fn average_pool(
    pool: &Pool,
    [batch, channels]: [usize; 2],
    size: [usize; 2],
    shape: &PoolShape,
    [from, to]: [ByteScale; 2],
    x: Bytes,
    y: &mut [u8],
) -> Result<()> {
    let what = "average of bytes";
    let output = shape.output(size)?;
    let layout = ByteLayout::ChannelsLast;
    let [pixels, places] = [product(what, &size)?, product(what, &output)?];
    need(
        "average of bytes: image",
        layout.len(batch, channels, pixels)?,
        x.len(),
    )?;
    need(
        "average of bytes: result",
        layout.len(batch, channels, places)?,
        y.len(),
    )?;
    let taps = shape.window.kernel[0].saturating_mul(shape.window.kernel[1]);
    ensure(taps <= MAX_PIXELS, what, || format!("{taps} pixels in a window"))?;
    let pixel = channels.next_multiple_of(4);
    let y = Shared::new(y);
    pool.split(batch * places, 1, |range| {
        let mut sums = vec![0_i32; pixel];
        for place in range {
            let window = [place % places / output[1], place % output[1]];
            let [(rows, top), (columns, left)] =
                [0, 1].map(|axis| shape.window.taps(axis, size[axis], window[axis]));
            sums.fill(0);
            for row in 0..rows {
                for column in 0..columns {
                    let at = [
                        top + row * shape.window.dilation[0],
                        left + column * shape.window.dilation[1],
                    ];
                    let at = place / places * pixels + at[0] * size[1] + at[1];
                    let x = &x.raw()[at * pixel..][..pixel];
                    let flip = from.flip();
                    pool.isa().run(Add {
                        x,
                        flip,
                        sums: &mut sums,
                    });
                }
            }
            let zeros = from.unsigned_zero().wrapping_mul((rows * columns) as i32);
            let divisor = [0, 1].map(|axis| shape.divisor(axis, size[axis], window[axis]));
            let factor = f64::from(from.scale) / (divisor[0] * divisor[1]) as f64;
            // SAFETY: windows are disjoint, each belongs to one thread.
            let target = unsafe { y.part(place * pixel, pixel) };
            for (y, sum) in target.iter_mut().zip(&sums) {
                let mean = (f64::from(sum.wrapping_sub(zeros)) * factor) as f32;
                *y = to.bits(if mean.is_nan() { 0.0 } else { mean });
            }
        }
    });
    Ok(())
}

struct Add<'a> {
    x: &'a [u8],
    flip: u8,
    sums: &'a mut [i32],
}

impl Kernel for Add<'_> {
    type Output = ();

    /// Vectorized by the compiler.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for (sum, x) in self.sums.iter_mut().zip(self.x) {
            *sum += i32::from(x ^ self.flip);
        }
    }
}
