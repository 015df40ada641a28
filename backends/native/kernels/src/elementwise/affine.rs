//! A factor and a summand for each channel: batch normalization that cannot be merged into a convolution.

use crate::Pool;
use crate::epilogue::Activation;
use crate::error::{Result, need, product};
use crate::math;
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

use super::unary::activate;

/// The layout of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelLayout {
    /// `[batch][channels][pixels]`
    Plain,
    /// `[batch][⌈channels / c⌉][pixels][c]`
    Blocked,
}

/// Computes `y = activation(x · scale[channel] + shift[channel])`. The padding of the last block becomes
/// zero.
#[allow(clippy::too_many_arguments)]
pub fn affine(
    pool: &Pool,
    layout: ChannelLayout,
    [batch, channels, pixels]: [usize; 3],
    scale: &[f32],
    shift: &[f32],
    activation: Activation,
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    let block = match layout {
        ChannelLayout::Plain => 1,
        ChannelLayout::Blocked => pool.isa().lanes(),
    };
    let blocks = channels.div_ceil(block);
    let plane = product("affine", &[pixels, block])?;
    let len = product("affine", &[batch, blocks, plane])?;
    need("affine: scale", channels, scale.len())?;
    need("affine: shift", channels, shift.len())?;
    need("affine: image", len, x.len())?;
    need("affine: result", len, y.len())?;
    let y = Shared::new(y);
    if layout == ChannelLayout::Plain && pixels == 1 {
        let (scale, shift) = (&scale[..channels], &shift[..channels]);
        rows(pool, batch, scale, shift, activation, x, y);
        return Ok(());
    }
    pool.split(
        if plane == 0 { 0 } else { batch * blocks },
        (16 * 1024 / plane.max(1)).max(1),
        |planes| {
            for index in planes {
                let channel = index % blocks * block;
                let exist = block.min(channels - channel);
                // SAFETY: planes are disjoint, each is one thread's.
                let y = unsafe { y.part(index * plane, plane) };
                let x = &x[index * plane..][..plane];
                let (scale, shift) = (&scale[channel..channel + exist], &shift[channel..channel + exist]);
                pool.isa().run(Plane {
                    x,
                    y,
                    scale,
                    shift,
                    block,
                    activation,
                });
                if !activation.is_cheap() {
                    activate(pool.isa(), activation, y);
                }
                if exist < block {
                    y.chunks_exact_mut(block)
                        .for_each(|pixel| pixel[exist..].fill(0.0));
                }
            }
        },
    );
    Ok(())
}

/// Computes images of one pixel: each is a row with one value for each channel.
fn rows(
    pool: &Pool,
    batch: usize,
    scale: &[f32],
    shift: &[f32],
    activation: Activation,
    x: &[f32],
    y: Shared<f32>,
) {
    let channels = scale.len();
    let count = if channels == 0 { 0 } else { batch };
    pool.split(count, (16 * 1024 / channels.max(1)).max(1), |range| {
        for index in range {
            // SAFETY: rows are disjoint, each is one thread's.
            let y = unsafe { y.part(index * channels, channels) };
            let x = &x[index * channels..][..channels];
            pool.isa().run(Row { x, y, scale, shift });
            activate(pool.isa(), activation, y);
        }
    });
}

/// A row with one value for each channel.
struct Row<'a> {
    x: &'a [f32],
    y: &'a mut [f32],
    scale: &'a [f32],
    shift: &'a [f32],
}

impl Kernel for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Row { x, y, scale, shift } = self;
        let len = y.len().min(x.len()).min(scale.len()).min(shift.len());
        let (whole, rest) = (len - len % S::LANES, len % S::LANES);
        // SAFETY: each of the four has at least `len` values.
        unsafe {
            for i in (0..whole).step_by(S::LANES) {
                let [x, scale, shift] = [x, scale, shift].map(|values| s.load(values.as_ptr().add(i)));
                s.store(y.as_mut_ptr().add(i), s.fma(x, scale, shift));
            }
            if rest > 0 {
                let [x, scale, shift] =
                    [x, scale, shift].map(|values| s.load_n(values.as_ptr().add(whole), rest));
                s.store_n(y.as_mut_ptr().add(whole), s.fma(x, scale, shift), rest);
            }
        }
    }
}

/// One plane: one channel, or a block of adjacent channels.
struct Plane<'a> {
    x: &'a [f32],
    y: &'a mut [f32],
    scale: &'a [f32],
    shift: &'a [f32],
    block: usize,
    activation: Activation,
}

impl Kernel for Plane<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let vector = |values: &[f32]| match self.block {
            1 => s.splat(values[0]),
            // SAFETY: a block has at most as many channels as a vector has lanes.
            _ => unsafe { s.load_n(values.as_ptr(), values.len()) },
        };
        let (scale, shift) = (vector(self.scale), vector(self.shift));
        let whole = self.x.len() - self.x.len() % S::LANES;
        let cheap = if self.activation.is_cheap() {
            self.activation
        } else {
            Activation::Identity
        };
        // SAFETY: `x` and `y` have the same length.
        unsafe {
            for i in (0..whole).step_by(S::LANES) {
                let value = s.fma(s.load(self.x.as_ptr().add(i)), scale, shift);
                s.store(self.y.as_mut_ptr().add(i), math::cheap(s, cheap, value));
            }
            let rest = self.x.len() - whole;
            if rest > 0 {
                let value = s.fma(s.load_n(self.x.as_ptr().add(whole), rest), scale, shift);
                s.store_n(self.y.as_mut_ptr().add(whole), math::cheap(s, cheap, value), rest);
            }
        }
    }
}
