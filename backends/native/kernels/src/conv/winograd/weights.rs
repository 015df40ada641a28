//! Weights into the space of products.

use std::ops::Range;

use super::transform::weight_matrix;
use super::{WinogradTile, apart};
use crate::conv::pack::Part;
use crate::conv::shape::ConvShape;
use crate::memory::{Buffer, Shared};
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// For each product of a tile the weights of a pointwise convolution, packed for `parts`; products stand [`apart`].
pub(super) fn pack(
    pool: &Pool,
    shape: &ConvShape,
    tile: WinogradTile,
    parts: &[Part],
    weights: &[f32],
) -> Buffer<f32> {
    let lanes = pool.isa().lanes();
    let len_of = |part: &Part| part.inputs.len() * part.vectors * lanes;
    let product = apart(parts.last().map_or(0, |part| part.weights + len_of(part)));
    let mut packed = Buffer::zeroed(tile.products() * tile.products() * product);
    let shared = Shared::new(&mut packed);
    pool.split(parts.len(), 1, |range| {
        pool.isa().run(Pack {
            isa: pool.isa(),
            shape,
            tile,
            parts: &parts[range],
            weights,
            product,
            target: shared,
        });
    });
    packed
}

struct Pack<'a> {
    isa: Isa,
    shape: &'a ConvShape,
    tile: WinogradTile,
    parts: &'a [Part],
    weights: &'a [f32],
    product: usize,
    target: Shared<'a, f32>,
}

/// Filters that are transformed together.
const TOGETHER: usize = 8;

type Group = [f64; TOGETHER];

impl Kernel for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for part in self.parts {
            for first in (0..part.channels).step_by(TOGETHER) {
                let columns = first..(first + TOGETHER).min(part.channels);
                match self.tile {
                    WinogradTile::Two => self.columns::<4>(part, columns),
                    WinogradTile::Four => self.columns::<6>(part, columns),
                }
            }
        }
    }
}

impl Pack<'_> {
    /// Some output channels of a part, for every input channel. In f64, and rounded once.
    #[inline(always)]
    fn columns<const N: usize>(&self, part: &Part, columns: Range<usize>) {
        let (ins, width) = (self.shape.in_channels, part.vectors * self.isa.lanes());
        let matrix: [[f64; 3]; N] = weight_matrix(self.tile);
        for channel in 0..ins {
            let mut taps = [[0.0; TOGETHER]; 9];
            for (i, column) in columns.clone().enumerate() {
                let filter = (part.block * self.isa.lanes() + column) * ins + channel;
                for (tap, weight) in taps.iter_mut().zip(&self.weights[filter * 9..][..9]) {
                    tap[i] = f64::from(*weight);
                }
            }
            let at = part.weights + channel * width + columns.start;
            for (i, down) in matrix.iter().enumerate() {
                let line: [Group; 3] =
                    std::array::from_fn(|x| dot(down, [taps[x], taps[3 + x], taps[6 + x]]));
                for (j, across) in matrix.iter().enumerate() {
                    let values = dot(across, line);
                    // SAFETY: parts' weights follow one another without overlap, and each is one thread's.
                    let target = unsafe { self.target.part((i * N + j) * self.product + at, columns.len()) };
                    for (target, value) in target.iter_mut().zip(values) {
                        *target = value as f32;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn dot(factors: &[f64; 3], values: [Group; 3]) -> Group {
    std::array::from_fn(|i| factors[0] * values[0][i] + factors[1] * values[1][i] + factors[2] * values[2][i])
}
