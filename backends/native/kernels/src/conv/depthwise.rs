//! Depthwise convolution: each channel by itself, vectors along the channels of a block.

use std::ops::Range;

use super::direct::check_epilogue;
use super::shape::ConvShape;
use super::strip::{self, Image};
use crate::elementwise::activate;
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::error::{Result, ensure, need, product};
use crate::gemm::tile::unroll;
use crate::math::cheap;
use crate::memory::{Buffer, Shared};
use crate::simd::{Kernel, Simd};
use crate::thread::share;
use crate::{Isa, Pool, scratch};

/// A depthwise convolution (as many groups as channels, one output each) with its weights packed.
#[derive(Clone, Debug)]
pub struct Depthwise {
    isa: Isa,
    shape: ConvShape,
    /// `[block][ky][kx][c]`
    weights: Buffer<f32>,
}

impl Depthwise {
    /// Whether a convolution is of this kind.
    pub fn fits(shape: &ConvShape) -> bool {
        shape.groups == shape.in_channels && shape.out_channels == shape.in_channels
    }

    /// Packs `weights` (`[channel][1][ky][kx]`).
    pub fn new(pool: &Pool, shape: ConvShape, weights: &[f32]) -> Result<Self> {
        need("depthwise: weights", shape.check()?, weights.len())?;
        ensure(Self::fits(&shape), "depthwise", || {
            "not one input for each output channel".into()
        })?;
        let lanes = pool.isa().lanes();
        let taps = shape.window.kernel[0] * shape.window.kernel[1];
        let mut packed = Buffer::zeroed(shape.in_channels.next_multiple_of(lanes) * taps);
        for (channel, kernel) in weights.chunks_exact(taps).take(shape.in_channels).enumerate() {
            for (tap, weight) in kernel.iter().enumerate() {
                packed[(channel / lanes * taps + tap) * lanes + channel % lanes] = *weight;
            }
        }
        Ok(Self {
            isa: pool.isa(),
            shape,
            weights: packed,
        })
    }

    /// As [`super::Convolution::run`], image and result blocked.
    pub fn run(
        &self,
        pool: &Pool,
        batch: usize,
        size: [usize; 2],
        x: &[f32],
        epilogue: &Epilogue,
        y: &mut [f32],
    ) -> Result<()> {
        let output = self.shape.window.output(size)?;
        let lanes = self.isa.lanes();
        let blocks = self.shape.in_channels.div_ceil(lanes);
        need(
            "depthwise: image",
            product("depthwise", &[batch, blocks, lanes, size[0], size[1]])?,
            x.len(),
        )?;
        let len = product("depthwise", &[batch, blocks, lanes, output[0], output[1]])?;
        need("depthwise: result", len, y.len())?;
        check_epilogue(epilogue, self.shape.out_channels, len)?;
        let y = Shared::new(y);
        let rows = batch * blocks * output[0];
        // Rows are cheap: a share for a thread should outweigh waking it.
        let grain = (4096 / (output[1] * lanes)).max(1);
        pool.split(rows, grain, |range| {
            let padded = strip::size(&self.shape.window, self.strip(output), output[1]);
            scratch::with(padded[0] * padded[1] * lanes, |padded| {
                self.isa.run(Rows {
                    conv: self,
                    image: Image {
                        data: x,
                        size,
                        block: lanes,
                    },
                    output,
                    epilogue,
                    y,
                    range,
                    padded,
                });
            });
        });
        Ok(())
    }

    /// Rows of the result computed from one padded piece of a plane, which stays in the first cache.
    fn strip(&self, output: [usize; 2]) -> usize {
        let len = |rows: usize| {
            let [height, width] = strip::size(&self.shape.window, rows, output[1]);
            height * width * self.isa.lanes()
        };
        (1..=output[0])
            .rev()
            .find(|rows| len(*rows) <= STRIP)
            .unwrap_or(1)
    }
}

/// Elements of a padded piece: half of the first cache.
const STRIP: usize = 6 * 1024;

/// Some rows of the result, of all planes counted through.
struct Rows<'a> {
    conv: &'a Depthwise,
    image: Image<'a>,
    output: [usize; 2],
    epilogue: &'a Epilogue<'a>,
    y: Shared<'a, f32>,
    range: Range<usize>,
    padded: &'a mut [f32],
}

/// Windows computed together: enough sums to hide the latency of a multiplication.
const TOGETHER: usize = 8;

impl Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let window = &self.conv.shape.window;
        let most = self.conv.strip(self.output);
        let inside = window.stays_inside(self.image.size, self.output);
        let mut start = self.range.start;
        while start < self.range.end {
            let (plane, row) = (start / self.output[0], start % self.output[0]);
            let count = most.min(self.output[0] - row).min(self.range.end - start);
            let planes = plane..plane + 1;
            let seen = if inside {
                self.image.seen(window, row, &planes)
            } else {
                self.image
                    .copy_padded(window, row..row + count, self.output[1], &planes, self.padded)
            };
            for i in 0..count {
                let first = seen.start.wrapping_add(i * window.stride[0] * seen.row);
                self.row(s, first, seen.row, start + i);
            }
            start += count;
        }
    }
}

impl Rows<'_> {
    /// Row `row` of the result; its first window's first tap is at `x`, and the next row of taps `apart` further.
    #[inline(always)]
    fn row<S: Simd>(&self, s: S, x: *const f32, apart: usize, row: usize) {
        let columns = self.output[1];
        let window = &self.conv.shape.window;
        let block = row / self.output[0] % self.conv.shape.in_channels.div_ceil(S::LANES);
        let taps = window.kernel[0] * window.kernel[1];
        let weights = &self.conv.weights[block * taps * S::LANES..][..taps * S::LANES];
        let at = row * columns * S::LANES;
        // SAFETY: rows are disjoint, each is one thread's.
        let target = unsafe { self.y.part(at, columns * S::LANES) };
        let pieces = columns.div_ceil(TOGETHER);
        for piece in 0..pieces {
            let part = share(columns, pieces, piece);
            let x = x.wrapping_add(part.start * window.stride[1] * S::LANES);
            let target = &mut target[part.start * S::LANES..part.end * S::LANES];
            let at = at + part.start * S::LANES;
            macro_rules! select {
                ($($count:literal)*) => {
                    match part.len() {
                        // SAFETY: the windows see pixels of the padded piece, or of an image that they stay inside of.
                        $($count => unsafe {
                            let sums = self.windows::<S, $count>(s, x, apart, weights);
                            self.store(s, sums, target, at, block);
                        },)*
                        count => unreachable!("{count} windows"),
                    }
                };
            }
            select!(1 2 3 4 5 6 7 8);
        }
        if !self.epilogue.activation.is_cheap() {
            let exist = S::LANES.min(self.conv.shape.in_channels - block * S::LANES);
            for pixel in target.chunks_exact_mut(S::LANES) {
                activate(self.conv.isa, self.epilogue.activation, &mut pixel[..exist]);
            }
        }
    }

    /// The sums of `N` neighbouring windows.
    ///
    /// # Safety
    /// From `x` on, at the window's distances, all that they see is readable.
    #[inline(always)]
    unsafe fn windows<S: Simd, const N: usize>(
        &self,
        s: S,
        x: *const f32,
        apart: usize,
        weights: &[f32],
    ) -> [S::V; N] {
        let window = &self.conv.shape.window;
        let [down, right] = [window.dilation[0] * apart, window.dilation[1] * S::LANES];
        let step = window.stride[1] * S::LANES;
        let mut sums = [s.zero(); N];
        let mut weight = weights.as_ptr();
        for ky in 0..window.kernel[0] {
            for kx in 0..window.kernel[1] {
                // SAFETY: a vector of weights for each tap; pixels are promised by the caller.
                unsafe {
                    let pixel = x.add(ky * down + kx * right);
                    let factor = s.load(weight);
                    unroll!(i below N => { sums[i] = s.fma(s.load(pixel.add(i * step)), factor, sums[i]); });
                    weight = weight.add(S::LANES);
                }
            }
        }
        sums
    }

    #[inline(always)]
    fn store<S: Simd, const N: usize>(
        &self,
        s: S,
        sums: [S::V; N],
        target: &mut [f32],
        at: usize,
        block: usize,
    ) {
        let channel = block * S::LANES;
        let exist = S::LANES.min(self.conv.shape.in_channels - channel);
        let bias = match self.epilogue.bias {
            // SAFETY: as many values as channels exist, checked at the call.
            Bias::Column(bias) => unsafe { s.load_n(bias[channel..channel + exist].as_ptr(), exist) },
            Bias::None | Bias::Row(_) => s.zero(),
        };
        for (i, (sum, target)) in sums
            .into_iter()
            .zip(target.chunks_exact_mut(S::LANES))
            .enumerate()
        {
            let mut value = s.add(sum, bias);
            match self.epilogue.residual {
                Residual::None => {}
                Residual::Add(residual) => {
                    let residual = &residual[at + i * S::LANES..][..S::LANES];
                    // SAFETY: a whole vector.
                    value = s.add(value, unsafe { s.load(residual.as_ptr()) });
                }
                // SAFETY: the target is a whole vector.
                Residual::Output => value = s.add(value, unsafe { s.load(target.as_ptr()) }),
            }
            let value = s.keep(cheap(s, self.epilogue.activation, value), exist);
            // SAFETY: as above.
            unsafe { s.store(target.as_mut_ptr(), value) }
        }
    }
}
