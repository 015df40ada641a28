//! Sums back to bytes.

use crate::Pool;
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

/// Bytes to be written, of either kind.
#[derive(Debug)]
pub enum BytesMut<'a> {
    /// Saturates at -128 and 127.
    Signed(&'a mut [i8]),
    /// Saturates at 0 and 255.
    Unsigned(&'a mut [u8]),
}

/// `y = saturate(round(x · scale[channel]) + zero)`, halves to even, for `x` of `[outer][channels][inner]`; one scale for
/// all or one for each channel. The product is rounded in f64, so that no i32 loses bits.
pub fn requantize(
    pool: &Pool,
    [outer, channels, inner]: [usize; 3],
    x: &[i32],
    scale: &[f64],
    zero: i32,
    y: BytesMut,
) -> Result<()> {
    let len = product("requantize", &[outer, channels, inner])?;
    need("requantize: source", len, x.len())?;
    ensure(scale.len() == 1 || scale.len() == channels, "requantize", || {
        format!("{} scales for {channels} channels", scale.len())
    })?;
    let (target, bounds) = match y {
        BytesMut::Signed(y) => {
            // SAFETY: i8 and u8 have the same size and alignment, and every pattern of bits is a value of both.
            (
                unsafe { std::slice::from_raw_parts_mut(y.as_mut_ptr().cast(), y.len()) },
                [-128.0, 127.0],
            )
        }
        BytesMut::Unsigned(y) => (y, [0.0, 255.0]),
    };
    need("requantize: result", len, target.len())?;
    let target = Shared::new(target);
    let zero = f64::from(zero);
    // Neighbouring channels of one value each are one line.
    let (lines, line) = if inner == 1 {
        (outer, channels)
    } else {
        (outer * channels, inner)
    };
    pool.split(
        if line == 0 { 0 } else { lines },
        (16 * 1024 / line.max(1)).max(1),
        |range| {
            for index in range {
                let of_line = scale.len() > 1 && inner > 1;
                let own = if of_line {
                    &scale[index % channels..][..1]
                } else {
                    scale
                };
                // SAFETY: lines are disjoint, each is one thread's.
                let y = unsafe { target.part(index * line, line) };
                pool.isa().run(Line {
                    x: &x[index * line..][..line],
                    y,
                    scale: own,
                    zero,
                    bounds,
                });
            }
        },
    );
    Ok(())
}

struct Line<'a> {
    x: &'a [i32],
    y: &'a mut [u8],
    scale: &'a [f64],
    zero: f64,
    bounds: [f64; 2],
}

impl Kernel for Line<'_> {
    type Output = ();

    /// Written for the compiler to vectorise with this instruction set.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let [low, high] = self.bounds;
        let round = |x: i32, scale: f64| {
            let value = (f64::from(x) * scale).round_ties_even() + self.zero;
            value.max(low).min(high) as i32 as u8
        };
        match self.scale {
            [scale] => self
                .y
                .iter_mut()
                .zip(self.x)
                .for_each(|(y, x)| *y = round(*x, *scale)),
            scales => {
                for ((y, x), scale) in self.y.iter_mut().zip(self.x).zip(scales) {
                    *y = round(*x, *scale);
                }
            }
        }
    }
}
