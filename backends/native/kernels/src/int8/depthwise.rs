//! Depthwise convolutions of bytes with channels last.
//!
//! Sums are computed in f32, and are exact: a product is an integer of at most 255 · 255, and the number of
//! taps is bounded, so that every sum stays below 2²⁴.

use std::ops::Range;

use super::finish::{Finish, one_of};
use super::image::{Pads, lay_out};
use super::strip::Results;
use super::tile::MAX_ROWS;
use super::{ByteImages, Bytes, MAX_WIDTH, Target};
use crate::Pool;
use crate::conv::ConvShape;
use crate::error::{Result, room};
use crate::gemm::tile::unroll;
use crate::memory::Buffer;
use crate::simd::{Kernel, Simd};

/// The maximum number of taps: 256 · 255 · 255 is below 2²⁴.
const MAX_TAPS: usize = 256;

/// The numbers of adjacent windows that are computed together, the largest first.
const PIECES: [usize; 3] = [8, 4, 1];

/// The maximum number of pixels of a line that a piece reads, where their number is known: 19 with stride 2
/// and five taps. [`unroll`] needs more positions.
const MAX_PIXELS: usize = 28;

/// A depthwise convolution with packed weights.
#[derive(Clone, Debug)]
pub(super) struct Depthwise {
    shape: ConvShape,
    /// The weights minus their zero points: `[panel][tap][MAX_WIDTH]`.
    weights: Buffer<f32>,
    /// The sum of them for each channel.
    sums: Vec<i32>,
}

impl Depthwise {
    /// Whether a convolution has one input channel for each output channel, and few enough taps.
    pub fn fits(shape: &ConvShape) -> bool {
        let taps = shape.window.kernel[0].saturating_mul(shape.window.kernel[1]);
        shape.groups == shape.in_channels && shape.out_channels == shape.in_channels && taps <= MAX_TAPS
    }

    /// Packs weights and zero points, whose numbers were checked.
    pub fn new(shape: ConvShape, weights: Bytes, zero: &[i32]) -> Result<Self> {
        let taps: usize = shape.window.kernel.iter().product();
        let panels = shape.out_channels.div_ceil(MAX_WIDTH);
        let mut packed = Buffer::try_zeroed(room("depthwise int8 weights", &[panels, taps, MAX_WIDTH])?)?;
        let mut sums = vec![0_i32; shape.out_channels];
        for (channel, sum) in sums.iter_mut().enumerate() {
            for tap in 0..taps {
                let byte = weights.value(channel * taps + tap);
                // A zero point outside of the bytes is not possible for an operator of ONNX.
                let weight = (byte - one_of(zero, channel)).clamp(-255, 255);
                *sum += weight;
                packed[(channel / MAX_WIDTH * taps + tap) * MAX_WIDTH + channel % MAX_WIDTH] = weight as f32;
            }
        }
        Ok(Self {
            shape,
            weights: packed,
            sums,
        })
    }

    /// Computes the result with channels last; the lengths of all tensors are checked.
    pub fn run(
        &self,
        pool: &Pool,
        images: &ByteImages,
        output: [usize; 2],
        bias: Option<&[i32]>,
        y: Target,
    ) -> Result<()> {
        let channels = self.shape.in_channels;
        let pads = Pads::of(&self.shape.window);
        let size = pads.around(images.size)?;
        let pixel = channels.next_multiple_of(4);
        let len = room("padded int8 image", &[images.batch, size[0], size[1], pixel])?;
        // The last vectors reach beyond the last pixel.
        let mut copy = Buffer::try_zeroed(room("padded int8 image", &[len.saturating_add(MAX_WIDTH)])?)?;
        lay_out(pool, images, channels, &pads, size, &mut copy);
        let left = images.zero.wrapping_add(i32::from(images.x.flip_to_unsigned()));
        let start = |(channel, sum): (usize, &i32)| {
            let bias = bias.map_or(0, |bias| bias[channel]);
            bias.wrapping_sub(left.wrapping_mul(*sum))
        };
        let start = self.sums.iter().enumerate().map(start).collect();
        let finish = Finish::of_columns(pool.isa(), channels, start, y, pixel);
        let lines = images.batch * output[0];
        let grain = (4096 / (output[1] * pixel)).max(1);
        pool.split(lines, grain, |range| {
            pool.isa().run(Lines {
                conv: self,
                x: &copy,
                size,
                output,
                pixel,
                finish: &finish,
                range,
            });
        });
        Ok(())
    }
}

/// Some lines of the result, numbered over all images.
struct Lines<'a> {
    conv: &'a Depthwise,
    /// The padded images, unsigned.
    x: &'a [u8],
    size: [usize; 2],
    output: [usize; 2],
    /// The distance of adjacent pixels in bytes.
    pixel: usize,
    finish: &'a Finish<'a>,
    range: Range<usize>,
}

impl Kernel for Lines<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let window = &self.conv.shape.window;
        let piece = PIECES.into_iter().find(|piece| *piece <= self.output[1]);
        for line in self.range.clone() {
            match (piece, window.kernel[1], window.stride[1], window.dilation[1]) {
                (Some(8), 3, 1, 1) => self.line::<S, 8, 3, 1>(s, line),
                (Some(8), 3, 2, 1) => self.line::<S, 8, 3, 2>(s, line),
                (Some(8), 5, 1, 1) => self.line::<S, 8, 5, 1>(s, line),
                (Some(8), 5, 2, 1) => self.line::<S, 8, 5, 2>(s, line),
                (Some(8), ..) => self.line::<S, 8, 0, 0>(s, line),
                (Some(4), 3, 1, 1) => self.line::<S, 4, 3, 1>(s, line),
                (Some(4), 5, 1, 1) => self.line::<S, 4, 5, 1>(s, line),
                (Some(4), ..) => self.line::<S, 4, 0, 0>(s, line),
                _ => self.line::<S, 1, 0, 0>(s, line),
            }
        }
    }
}

impl Lines<'_> {
    /// Computes a line, `N` windows at a time. The last piece overlaps with the one before it.
    #[inline(always)]
    fn line<S: Simd, const N: usize, const KERNEL: usize, const STRIDE: usize>(&self, s: S, line: usize) {
        let [height, columns] = self.output;
        let channels = self.conv.shape.in_channels;
        let row = line % height * self.conv.shape.window.stride[0];
        let first = (line / height * self.size[0] + row) * self.size[1] * self.pixel;
        let mut sums = [0; MAX_ROWS * MAX_WIDTH];
        for panel in 0..channels.div_ceil(MAX_WIDTH) {
            let vectors = MAX_WIDTH.min(channels - panel * MAX_WIDTH).div_ceil(S::LANES);
            for piece in 0..columns.div_ceil(N) {
                let column = (piece * N).min(columns - N);
                for vector in 0..vectors {
                    let at = first + column * self.conv.shape.window.stride[1] * self.pixel;
                    let lane = vector * S::LANES;
                    let of =
                        self.windows::<S, N, KERNEL, STRIDE>(s, at + panel * MAX_WIDTH + lane, panel, lane);
                    unroll!(i below N => {
                        let target = sums[i * MAX_WIDTH + lane..][..S::LANES].as_mut_ptr();
                        // SAFETY: the slice holds a vector; the sums are written as the bits of integers.
                        unsafe { s.store(target.cast(), s.from_bits(s.to_int(of[i]))) }
                    });
                }
                let place = line * columns + column;
                // SAFETY: the windows exist, and a line belongs to one thread.
                unsafe { self.finish.store(panel, place..place + N, &mut sums) }
            }
        }
    }

    /// Returns the sums of `N` adjacent windows for the channels of one vector, whose first byte is at `at`.
    /// `KERNEL` and `STRIDE` are those along the columns, without dilation, or 0 if they are read.
    #[inline(always)]
    fn windows<S: Simd, const N: usize, const KERNEL: usize, const STRIDE: usize>(
        &self,
        s: S,
        at: usize,
        panel: usize,
        lane: usize,
    ) -> [S::V; N] {
        let window = &self.conv.shape.window;
        let [height, width] = window.kernel;
        let apart = self.size[1] * self.pixel;
        let [down, right] = [window.dilation[0] * apart, window.dilation[1] * self.pixel];
        let step = window.stride[1] * self.pixel;
        let end = at + (height - 1) * down + (width - 1) * right + (N - 1) * step + S::LANES;
        let weights = &self.conv.weights[panel * height * width * MAX_WIDTH..][..height * width * MAX_WIDTH];
        assert!(end <= self.x.len() && lane + S::LANES <= MAX_WIDTH);
        let mut sums = [s.zero(); N];
        for ky in 0..height {
            // SAFETY: the end of the last byte and the lane of the weights were asserted above.
            unsafe {
                let line = self.x.as_ptr().add(at + ky * down);
                let factors = weights.as_ptr().add(ky * width * MAX_WIDTH + lane);
                if KERNEL > 0 {
                    // Windows share pixels, each of which is converted once.
                    let mut pixels = [s.zero(); MAX_PIXELS];
                    unroll!(at below (N - 1) * STRIDE + KERNEL => {
                        pixels[at] = s.from_int(s.load_bytes(line.add(at * self.pixel)));
                    });
                    unroll!(kx below KERNEL => {
                        let factor = s.load(factors.add(kx * MAX_WIDTH));
                        unroll!(i below N => {
                            sums[i] = s.fma(pixels[i * STRIDE + kx], factor, sums[i]);
                        });
                    });
                } else {
                    for kx in 0..width {
                        let factor = s.load(factors.add(kx * MAX_WIDTH));
                        unroll!(i below N => {
                            let bytes = s.load_bytes(line.add(kx * right + i * step));
                            sums[i] = s.fma(s.from_int(bytes), factor, sums[i]);
                        });
                    }
                }
            }
        }
        sums
    }
}
