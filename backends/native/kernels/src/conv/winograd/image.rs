//! Tiles of the image into the space of products.

use std::ops::Range;

use super::transform::{LINE, image_line};
use super::{Call, WinogradTile};
use crate::simd::{Kernel, Simd};

pub(super) struct Transform<'a> {
    pub call: &'a Call<'a>,
    pub tiles: Range<usize>,
    /// `[product][block][tile][c]`
    pub target: &'a mut [f32],
}

impl Kernel for Transform<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        match self.call.conv.tile {
            WinogradTile::Two => self.tiles::<S, 4>(s, WinogradTile::Two),
            WinogradTile::Four => self.tiles::<S, 6>(s, WinogradTile::Four),
        }
    }
}

impl Transform<'_> {
    #[inline(always)]
    fn tiles<S: Simd, const N: usize>(&mut self, s: S, form: WinogradTile) {
        let call = self.call;
        let blocks = call.blocks[0];
        let plane = self.tiles.len() * S::LANES;
        let image_len = call.size[0] * call.size[1] * S::LANES;
        assert!(self.target.len() >= N * N * blocks * plane);
        for block in 0..blocks {
            for (index, tile) in self.tiles.clone().enumerate() {
                let (image, place) = call.place(tile);
                let x = &call.x[(image * blocks + block) * image_len..][..image_len];
                let mut half = [[s.zero(); LINE]; LINE];
                for column in 0..N {
                    let mut line = [s.zero(); LINE];
                    for (row, value) in line.iter_mut().enumerate().take(N) {
                        if let Some(at) = self.pixel(form, place, [row, column]) {
                            // SAFETY: a pixel of the image, which has a vector of channels.
                            *value = unsafe { s.load(x.as_ptr().add(at * S::LANES)) };
                        }
                    }
                    let line = image_line(s, form, line);
                    for row in 0..N {
                        half[row][column] = line[row];
                    }
                }
                for (row, line) in half.into_iter().enumerate().take(N) {
                    let line = image_line(s, form, line);
                    for (column, value) in line.into_iter().enumerate().take(N) {
                        let at = ((row * N + column) * blocks + block) * plane + index * S::LANES;
                        // SAFETY: the length of the target was asserted above.
                        unsafe { s.store(self.target.as_mut_ptr().add(at), value) }
                    }
                }
            }
        }
    }

    /// The pixel that position `at` of a tile falls on, unless it is padding.
    #[inline(always)]
    fn pixel(&self, form: WinogradTile, place: [usize; 2], at: [usize; 2]) -> Option<usize> {
        let call = self.call;
        let pad = call.conv.shape.window.pad_begin;
        let position = |axis: usize| {
            let position = (place[axis] * form.results() + at[axis]).checked_sub(pad[axis])?;
            (position < call.size[axis]).then_some(position)
        };
        Some(position(0)? * call.size[1] + position(1)?)
    }
}
