//! Depthwise convolution: each channel by itself, vectors along the channels of a block.

use std::ops::Range;

use super::direct::check_epilogue;
use super::shape::ConvShape;
use crate::elementwise::activate;
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::error::{Result, ensure, need, product};
use crate::math::cheap;
use crate::memory::{Buffer, Shared};
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

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
            self.isa.run(Rows {
                conv: self,
                size,
                output,
                x,
                epilogue,
                y,
                range,
            });
        });
        Ok(())
    }
}

/// Some rows of the result, of all planes counted through.
struct Rows<'a> {
    conv: &'a Depthwise,
    size: [usize; 2],
    output: [usize; 2],
    x: &'a [f32],
    epilogue: &'a Epilogue<'a>,
    y: Shared<'a, f32>,
    range: Range<usize>,
}

/// Windows computed together: enough sums to hide the latency of a multiplication.
const TOGETHER: usize = 8;

impl Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let blocks = self.conv.shape.in_channels.div_ceil(S::LANES);
        let window = &self.conv.shape.window;
        let row_len = self.output[1] * S::LANES;
        for row in self.range.clone() {
            let (plane, y) = (row / self.output[0], row % self.output[0]);
            let block = plane % blocks;
            let taps = window.kernel[0] * window.kernel[1];
            let weights = &self.conv.weights[block * taps * S::LANES..][..taps * S::LANES];
            let plane_len = self.size[0] * self.size[1] * S::LANES;
            let x = &self.x[plane * plane_len..][..plane_len];
            // SAFETY: rows are disjoint, each is one thread's.
            let target = unsafe { self.y.part(row * row_len, row_len) };
            // Windows from `inner.start` to `inner.end` see no padding to the left or right.
            let inner = self.inner();
            let mut column = 0;
            while column < self.output[1] {
                let at = column * S::LANES;
                if inner.contains(&column) && column + TOGETHER <= inner.end {
                    self.columns::<S, TOGETHER>(
                        s,
                        x,
                        weights,
                        y,
                        column,
                        &mut target[at..],
                        row * row_len + at,
                        block,
                    );
                    column += TOGETHER;
                } else {
                    self.columns::<S, 1>(
                        s,
                        x,
                        weights,
                        y,
                        column,
                        &mut target[at..],
                        row * row_len + at,
                        block,
                    );
                    column += 1;
                }
            }
            if !self.epilogue.activation.is_cheap() {
                activate(self.conv.isa, self.epilogue.activation, target);
            }
            self.fill(block, target, S::LANES);
        }
    }
}

impl Rows<'_> {
    fn inner(&self) -> Range<usize> {
        let window = &self.conv.shape.window;
        let (stride, pad) = (window.stride[1], window.pad_begin[1]);
        let reach = (self.size[1] + pad).saturating_sub(window.extent(1));
        let end = if self.size[1] + pad < window.extent(1) {
            0
        } else {
            reach / stride + 1
        };
        pad.div_ceil(stride)..end.min(self.output[1])
    }

    /// Zeros for channels of the last block that do not exist.
    fn fill(&self, block: usize, row: &mut [f32], lanes: usize) {
        let exist = self.conv.shape.in_channels - block * lanes;
        if exist < lanes {
            row.chunks_exact_mut(lanes)
                .for_each(|pixel| pixel[exist..].fill(0.0));
        }
    }

    /// `N` neighbouring windows from `column`; more than one only where none reaches outside.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn columns<S: Simd, const N: usize>(
        &self,
        s: S,
        x: &[f32],
        weights: &[f32],
        y: usize,
        column: usize,
        target: &mut [f32],
        at: usize,
        block: usize,
    ) {
        let window = &self.conv.shape.window;
        let mut sums = [s.zero(); N];
        for ky in 0..window.kernel[0] {
            let source = (y * window.stride[0] + ky * window.dilation[0]).checked_sub(window.pad_begin[0]);
            let Some(source) = source.filter(|source| *source < self.size[0]) else {
                continue;
            };
            for kx in 0..window.kernel[1] {
                let first = column * window.stride[1] + kx * window.dilation[1];
                let Some(first) = first
                    .checked_sub(window.pad_begin[1])
                    .filter(|x| *x < self.size[1])
                else {
                    continue;
                };
                let pixel = &x[(source * self.size[1] + first) * S::LANES..];
                let weight = &weights[(ky * window.kernel[1] + kx) * S::LANES..][..S::LANES];
                let step = window.stride[1] * S::LANES;
                assert!(pixel.len() >= (N - 1) * step + S::LANES);
                // SAFETY: a vector of weights, and `N` pixels whose range was just checked.
                unsafe {
                    let weight = s.load(weight.as_ptr());
                    for (i, sum) in sums.iter_mut().enumerate() {
                        *sum = s.fma(s.load(pixel.as_ptr().add(i * step)), weight, *sum);
                    }
                }
            }
        }
        self.store(s, sums, target, at, block);
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
            let value = cheap(s, self.epilogue.activation, value);
            // SAFETY: as above.
            unsafe { s.store(target.as_mut_ptr(), value) }
        }
    }
}
