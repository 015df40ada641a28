//! Local response normalization across channels.

use std::ops::Range;

use crate::elementwise::ChannelLayout;
use crate::error::{Result, ensure, need, product};
use crate::math::{exp, log};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};
use crate::{Pool, scratch};

/// `y = x / (bias + alpha / size · Σ x²)^beta`, where the sum is over `size` channels around each;
/// `(size - 1) / 2` of them are before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lrn {
    /// The number of channels in a sum.
    pub size: usize,
    /// The factor of the mean of squares.
    pub alpha: f32,
    /// The exponent.
    pub beta: f32,
    /// The summand.
    pub bias: f32,
}

/// Normalizes an image.
pub fn lrn(
    pool: &Pool,
    layout: ChannelLayout,
    [batch, channels, pixels]: [usize; 3],
    lrn: Lrn,
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    ensure(lrn.size > 0, "lrn", || "size must be at least 1".into())?;
    let block = match layout {
        ChannelLayout::Plain => 1,
        ChannelLayout::Blocked => pool.isa().lanes(),
    };
    let len = product("lrn", &[batch, channels.div_ceil(block), block, pixels])?;
    need("lrn: source", len, x.len())?;
    need("lrn: result", len, y.len())?;
    let y = Shared::new(y);
    // Channels outside of the image are not part of the sum.
    let around = [(lrn.size - 1) / 2, lrn.size / 2].map(|side| side.min(channels));
    let call = Call {
        shape: [batch, channels, pixels],
        lrn,
        around,
        x,
        y,
    };
    match layout {
        ChannelLayout::Plain => {
            pool.split(
                if pixels == 0 { 0 } else { batch * channels },
                (4096 / pixels.max(1)).max(1),
                |range| {
                    pool.isa().run(Planes { call: &call, range });
                },
            );
        }
        ChannelLayout::Blocked if len == 0 => {}
        ChannelLayout::Blocked => pool.split(batch * pixels, (4096 / channels.max(1)).max(1), |range| {
            let line = channels.next_multiple_of(block) + around[0] + around[1] + 1;
            scratch::with(line, |squares| {
                squares.fill(0.0);
                pool.isa().run(Pixels {
                    call: &call,
                    range,
                    squares,
                });
            });
        }),
    }
    Ok(())
}

struct Call<'a> {
    shape: [usize; 3],
    lrn: Lrn,
    /// The number of channels in the sum before and after each.
    around: [usize; 2],
    x: &'a [f32],
    y: Shared<'a, f32>,
}

impl Call<'_> {
    /// Returns `x / (bias + alpha / size · sum)^beta`.
    #[inline(always)]
    fn value<S: Simd>(&self, s: S, x: S::V, sum: S::V) -> S::V {
        let lrn = &self.lrn;
        let base = s.fma(sum, s.splat(lrn.alpha / lrn.size as f32), s.splat(lrn.bias));
        if lrn.beta == 0.75 {
            let root = s.sqrt(base);
            return s.div(x, s.mul(root, s.sqrt(root)));
        }
        s.mul(x, exp(s, s.mul(log(s, base), s.splat(-lrn.beta))))
    }
}

/// Plain layout: complete channels, vectors along the pixels.
struct Planes<'a> {
    call: &'a Call<'a>,
    range: Range<usize>,
}

impl Kernel for Planes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let [_, channels, pixels] = self.call.shape;
        for plane in self.range {
            let (image, channel) = (plane / channels, plane % channels);
            let [before, after] = self.call.around;
            let first = channel.saturating_sub(before);
            let last = (channel + after + 1).min(channels);
            for i in (0..pixels).step_by(S::LANES) {
                let n = S::LANES.min(pixels - i);
                // SAFETY: the length of the image was checked.
                let at = |channel: usize| unsafe {
                    s.load_n(
                        self.call.x[(image * channels + channel) * pixels + i..].as_ptr(),
                        n,
                    )
                };
                let mut sum = s.zero();
                for channel in first..last {
                    let x = at(channel);
                    sum = s.fma(x, x, sum);
                }
                let value = self.call.value(s, at(channel), sum);
                // SAFETY: as above; planes are disjoint.
                unsafe { s.store_n(self.call.y.at_inside(plane * pixels + i), value, n) }
            }
        }
    }
}

/// Blocked layout: the squares of all channels of a pixel are copied to a line, padded with zeros.
struct Pixels<'a> {
    call: &'a Call<'a>,
    range: Range<usize>,
    squares: &'a mut [f32],
}

impl Kernel for Pixels<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let [_, channels, pixels] = self.call.shape;
        let blocks = channels.div_ceil(S::LANES);
        let [before, after] = self.call.around;
        for index in self.range {
            let (image, pixel) = (index / pixels, index % pixels);
            let at = |block: usize| ((image * blocks + block) * pixels + pixel) * S::LANES;
            for block in 0..blocks {
                let n = S::LANES.min(channels - block * S::LANES);
                // SAFETY: the length of the image was checked; the line of squares has room for all blocks.
                unsafe {
                    let x = s.keep(s.load(self.call.x[at(block)..].as_ptr()), n);
                    s.store_n(
                        self.squares[before + block * S::LANES..].as_mut_ptr(),
                        s.mul(x, x),
                        S::LANES,
                    );
                }
            }
            for block in 0..blocks {
                let n = S::LANES.min(channels - block * S::LANES);
                let mut sum = s.zero();
                for offset in 0..before + 1 + after {
                    let line = &self.squares[block * S::LANES + offset..][..S::LANES];
                    // SAFETY: a whole vector.
                    sum = s.add(sum, unsafe { s.load(line.as_ptr()) });
                }
                // SAFETY: as above; pixels are disjoint.
                unsafe {
                    let value = self.call.value(s, s.load(self.call.x[at(block)..].as_ptr()), sum);
                    s.store(self.call.y.at_inside(at(block)), s.keep(value, n));
                }
            }
        }
    }
}
