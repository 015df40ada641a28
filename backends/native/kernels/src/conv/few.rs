//! Convolutions to a few channels, as the last ones of networks that make images: lanes are channels of the
//! image. A tile, whose lanes are channels of the result, would compute mostly padding.

use super::pack::InputLayout;
use super::shape::ConvShape;
use crate::Isa;
use crate::error::{Result, need};
use crate::gemm::finish::store;
use crate::gemm::tile::{Tile, unroll};
use crate::memory::Buffer;
use crate::simd::{Kernel, Simd};

/// The maximum number of channels of the result.
const OUTPUTS: usize = 4;

/// Whether lanes are channels of the image: it is blocked without padding, because padding need not be
/// finite, and the result has few channels.
pub(super) fn fits(shape: &ConvShape, layout: InputLayout, isa: Isa) -> bool {
    let complete = layout == InputLayout::Blocked && shape.in_channels.is_multiple_of(isa.lanes());
    complete && shape.groups == 1 && (1..=OUTPUTS).contains(&shape.out_channels)
}

/// The maximum number of windows of a tile: with the weights of the channels and a pixel, its sums fill the
/// registers.
pub(super) const fn windows(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => 6,
        Isa::Avx2 | Isa::Portable => 2,
    }
}

/// Packs `weights` (`[out][in][ky][kx]`): `[input block][ky][kx][out][channel of block]`.
pub(super) fn pack(shape: &ConvShape, isa: Isa, weights: &[f32]) -> Result<Buffer<f32>> {
    need("convolution: weights", shape.check()?, weights.len())?;
    let taps = shape.window.kernel[0] * shape.window.kernel[1];
    let (lanes, outs) = (isa.lanes(), shape.out_channels);
    let mut packed = Buffer::zeroed(shape.in_channels * taps * outs);
    for (number, vector) in packed.chunks_exact_mut(lanes).enumerate() {
        let (step, out) = (number / outs, number % outs);
        let (block, tap) = (step / taps, step % taps);
        for (lane, weight) in vector.iter_mut().enumerate() {
            *weight = weights[(out * shape.in_channels + block * lanes + lane) * taps + tap];
        }
    }
    Ok(packed)
}

/// Computes a tile whose rows are windows, with weights of [`pack`].
///
/// # Safety
/// As for [`Tile::run`], with at most [`windows`] rows and [`OUTPUTS`] columns in one vector, where the walk
/// has complete blocks of channels.
pub(super) unsafe fn run(isa: Isa, tile: &Tile) {
    macro_rules! select {
        ($($rows:literal)*) => {
            match (tile.rows, tile.columns) {
                $(($rows, 1) => isa.run(Windows::<$rows, 1>(tile)),
                  ($rows, 2) => isa.run(Windows::<$rows, 2>(tile)),
                  ($rows, 3) => isa.run(Windows::<$rows, 3>(tile)),
                  ($rows, 4) => isa.run(Windows::<$rows, 4>(tile)),)*
                shape => unreachable!("windows and channels {shape:?}"),
            }
        };
    }
    select!(1 2 3 4 5 6);
    // SAFETY: promised by the caller.
    unsafe { tile.activate_rest(isa) }
}

/// A tile of `MR` windows and `OUT` channels.
struct Windows<'a, const MR: usize, const OUT: usize>(&'a Tile<'a>);

impl<const MR: usize, const OUT: usize> Kernel for Windows<'_, MR, OUT> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        if const { MR > windows(S::ISA) } {
            unreachable!("{MR} windows");
        }
        let tile = self.0;
        // SAFETY: every address is one that the caller of `run` promises.
        unsafe {
            let sums = accumulate::<S, MR, OUT>(s, tile);
            let mut results = [[s.zero()]; MR];
            unroll!(i below MR => {
                let mut lanes = [0.0; OUT];
                for (lane, sum) in lanes.iter_mut().zip(sums[i]) {
                    *lane = s.sum(sum);
                }
                results[i][0] = s.load_n(lanes.as_ptr(), OUT);
                if tile.resume {
                    results[i][0] = s.add(results[i][0], s.load_n(tile.c.add(i * tile.c_row), OUT));
                }
            });
            store::<S, MR, 1>(s, tile, results);
        }
    }
}

/// Returns the sums of products, one for each channel of a block of the image.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn accumulate<S: Simd, const MR: usize, const OUT: usize>(s: S, tile: &Tile) -> [[S::V; OUT]; MR] {
    let [(n0, step0), (n1, step1), (n2, step2)] = tile.walk.loops;
    let mut sums = [[s.zero(); OUT]; MR];
    let mut w = tile.w;
    for i0 in 0..n0 {
        for i1 in 0..n1 {
            for i2 in 0..n2 {
                // SAFETY: the pixels and the weights of this step, promised by the caller.
                unsafe {
                    let x = tile.x.add(i0 * step0 + i1 * step1 + i2 * step2);
                    let weights: [S::V; OUT] = std::array::from_fn(|out| s.load(w.add(out * S::LANES)));
                    w = w.add(OUT * S::LANES);
                    unroll!(i below MR => {
                        let pixel = s.load(x.add(i * tile.row_stride));
                        unroll!(@ out OUT, {
                            sums[i][out] = s.fma(pixel, weights[out], sums[i][out]);
                        }, 0 1 2 3);
                    });
                }
            }
        }
    }
    sums
}
