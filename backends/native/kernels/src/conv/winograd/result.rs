//! Transforms sums of products to tiles of the result.

use std::ops::Range;

use super::call::Call;
use super::transform::{LINE, result_line};
use super::{WinogradTile, product_stride};
use crate::elementwise::activate_pixels;
use crate::epilogue::{Bias, Residual};
use crate::math::cheap;
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

pub(super) struct Transform<'a> {
    pub call: &'a Call<'a>,
    pub tiles: Range<usize>,
    /// The channel blocks of the result.
    pub blocks: Range<usize>,
    /// `[product][block][tile][c]` of all blocks, products [`product_stride`].
    pub sums: Shared<'a, f32>,
}

impl Kernel for Transform<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        match self.call.conv.tile {
            WinogradTile::Two => self.tiles::<S, 4, 2>(s, WinogradTile::Two),
            WinogradTile::Four => self.tiles::<S, 6, 4>(s, WinogradTile::Four),
        }
    }
}

impl Transform<'_> {
    #[inline(always)]
    fn tiles<S: Simd, const N: usize, const M: usize>(&self, s: S, form: WinogradTile) {
        let blocks = self.call.blocks[1];
        let plane = self.tiles.len() * S::LANES;
        let product_stride = product_stride(blocks * plane);
        for block in self.blocks.clone() {
            for (index, tile) in self.tiles.clone().enumerate() {
                let mut half = [[s.zero(); LINE]; 4];
                for column in 0..N {
                    let mut line = [s.zero(); LINE];
                    for (row, value) in line.iter_mut().enumerate().take(N) {
                        let at = (row * N + column) * product_stride + block * plane + index * S::LANES;
                        // SAFETY: a vector of the sums, which no thread writes now.
                        *value = unsafe { s.load(self.sums.at_inside(at)) };
                    }
                    let line = result_line(s, form, line);
                    for row in 0..M {
                        half[row][column] = line[row];
                    }
                }
                for (row, line) in half.into_iter().enumerate().take(M) {
                    self.store::<S, M>(s, tile, block, row, result_line(s, form, line));
                }
            }
        }
    }

    /// Stores one row of a tile of the result, as far as it is inside.
    #[inline(always)]
    fn store<S: Simd, const M: usize>(&self, s: S, tile: usize, block: usize, row: usize, line: [S::V; 4]) {
        let call = self.call;
        let (image, place) = call.place(tile);
        let [y, x] = [place[0] * M + row, place[1] * M];
        if y >= call.output[0] {
            return;
        }
        let columns = M.min(call.output[1] - x);
        let channel = block * S::LANES;
        let exist = S::LANES.min(call.conv.shape.out_channels - channel);
        let at = (((image * call.blocks[1] + block) * call.output[0] + y) * call.output[1] + x) * S::LANES;
        let bias = match call.epilogue.bias {
            // SAFETY: as many values as there are channels, checked at the call.
            Bias::Column(bias) => unsafe { s.load_n(bias[channel..channel + exist].as_ptr(), exist) },
            Bias::None | Bias::Row(_) => s.zero(),
        };
        // SAFETY: tiles and blocks of the result are disjoint, each belongs to one thread.
        let target = unsafe { call.y.part(at, columns * S::LANES) };
        for (i, (target, sum)) in target.chunks_exact_mut(S::LANES).zip(line).enumerate() {
            let mut value = s.add(sum, bias);
            // SAFETY: complete vectors of the target, and of a residual whose length was checked.
            unsafe {
                match call.epilogue.residual {
                    Residual::None => {}
                    Residual::Add(residual) => {
                        value = s.add(value, s.load(residual[at + i * S::LANES..].as_ptr()))
                    }
                    Residual::Output => value = s.add(value, s.load(target.as_ptr())),
                }
                s.store(
                    target.as_mut_ptr(),
                    s.keep(cheap(s, call.epilogue.activation, value), exist),
                );
            }
        }
        if !call.epilogue.activation.is_cheap() {
            activate_pixels(call.conv.isa, call.epilogue.activation, [exist, S::LANES], target);
        }
    }
}
