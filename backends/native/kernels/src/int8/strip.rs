//! All products of rows and packed weights, in tiles.

use std::ops::Range;

use super::tile::{MAX_ROWS, PANELS, Tile};
use super::{Int8Weights, MAX_WIDTH};
use crate::Pool;
use crate::gemm::prefetch::Prefetch;

/// Rows of unsigned bytes: lines of each image, and rows of each line. Arrays are their number and their
/// distance in bytes.
pub(super) struct Strips<'a> {
    pub a: &'a [u8],
    pub images: [usize; 2],
    pub lines: [usize; 2],
    pub rows: [usize; 2],
    /// The offset in a row of the steps of each tap of the weights.
    pub taps: &'a [usize],
}

impl Strips<'_> {
    /// Returns the end of the bytes that are read, with `at_tap` bytes at each tap.
    fn reach(&self, at_tap: usize) -> usize {
        let last = |[count, apart]: [usize; 2]| count.saturating_sub(1) * apart;
        let tap = self.taps.iter().copied().max().unwrap_or(0);
        last(self.images) + last(self.lines) + last(self.rows) + tap + at_tap
    }

    /// Panics unless every row contains all steps of its last tap.
    fn check(&self, weights: &Int8Weights) {
        assert!(self.taps.len() == weights.taps && self.reach(4 * weights.quads) <= self.a.len());
    }

    /// Merges lines and images that are contiguous.
    pub fn joined(mut self) -> Self {
        if self.lines[1] == self.rows[0] * self.rows[1] {
            self.rows[0] *= self.lines[0];
            self.lines = [1, 0];
        }
        if self.lines[0] == 1 && self.images[1] == self.rows[0] * self.rows[1] {
            self.rows[0] *= self.images[0];
            self.images = [1, 0];
        }
        self
    }

    /// Returns the offset of a line of an image.
    pub fn line(&self, line: usize) -> usize {
        line / self.lines[0] * self.images[1] + line % self.lines[0] * self.lines[1]
    }
}

/// Where the sums of tiles go.
pub(super) trait Results: Sync {
    /// Takes the sums of adjacent rows; `sums` has the columns of a panel for each of them.
    ///
    /// # Safety
    /// The rows exist, and nothing else writes these columns of them.
    unsafe fn store(&self, panel: usize, rows: Range<usize>, sums: &mut [i32]);

    /// Takes the sums of the only row, of adjacent panels.
    ///
    /// # Safety
    /// As for [`Self::store`].
    unsafe fn store_row(&self, panel: usize, width: usize, sums: &mut [i32]) {
        for (at, sums) in sums.chunks_exact_mut(width).enumerate() {
            // SAFETY: promised by the caller.
            unsafe { self.store(panel + at, 0..1, sums) }
        }
    }
}

/// Multiplies every row by the weights. Rows of results are in the order of images, lines and rows.
pub(super) fn multiply_all(pool: &Pool, weights: &Int8Weights, strips: &Strips, results: &impl Results) {
    let dot = weights.dot;
    let lines = strips.images[0] * strips.lines[0];
    let [rows, apart] = strips.rows;
    if lines == 0 || rows == 0 {
        return;
    }
    if lines == 1 && rows == 1 {
        let panels = weights.n.div_ceil(dot.width());
        return pool.split(panels, 1, |panels| multiply_row(weights, strips, panels, results));
    }
    strips.check(weights);
    let tiles = rows.div_ceil(dot.rows());
    let height = rows.div_ceil(tiles);
    let order = Order {
        panels: weights.n.div_ceil(dot.width()),
        tiles: lines * tiles,
    };
    pool.split(order.panels * order.tiles, 1, |range| {
        let mut sums = [0; MAX_ROWS * MAX_WIDTH];
        order.visit(range, |panel, tile| {
            let block = [tile % BLOCK, BLOCK.min(order.tiles - tile / BLOCK * BLOCK)];
            let (line, part) = match lines {
                1 => (0, tile),
                _ => (tile / tiles, tile % tiles),
            };
            let these = part * height..rows.min((part + 1) * height);
            if these.is_empty() {
                return;
            }
            let tile = Tile {
                rows: these.len(),
                a: strips.a[strips.line(line) + these.start * apart..].as_ptr(),
                a_row: apart,
                taps: strips.taps,
                quads: weights.quads,
                b: weights.panel(panel).as_ptr(),
                panels: 0,
                ahead: weights.ahead(panel, block, pool.isa()),
                c: sums.as_mut_ptr(),
            };
            let these = line * rows + these.start..line * rows + these.end;
            // SAFETY: every row contains its last tap, as was checked; a panel holds as many groups for
            // each tap; a tile has at most `dot.rows()` rows, for which `sums` has room. Tiles are disjoint,
            // each belongs to one thread.
            unsafe {
                dot.run(&tile);
                results.store(panel, these, &mut sums);
            }
        });
    });
}

/// Multiplies a single row by some panels.
pub(super) fn multiply_row(
    weights: &Int8Weights,
    strips: &Strips,
    panels: Range<usize>,
    results: &impl Results,
) {
    strips.check(weights);
    let dot = weights.dot;
    let mut sums = [0; PANELS * MAX_WIDTH];
    let mut panel = panels.start;
    while panel < panels.end {
        let together = if panels.end - panel >= PANELS { PANELS } else { 1 };
        let length = weights.panel(panel).len();
        let tile = Tile {
            rows: 1,
            a: strips.a.as_ptr(),
            a_row: 0,
            taps: strips.taps,
            quads: weights.quads,
            b: weights.panel(panel).as_ptr(),
            panels: if together > 1 { length } else { 0 },
            ahead: Prefetch::NONE,
            c: sums.as_mut_ptr(),
        };
        assert!(weights.data.len() >= (panel + together) * length);
        // SAFETY: as above; all of these panels exist, and `sums` has room for them.
        unsafe {
            dot.run(&tile);
            results.store_row(panel, dot.width(), &mut sums[..together * dot.width()]);
        }
        panel += together;
    }
}

/// The number of tiles of rows that are multiplied by one panel after another. Their results stay in the
/// cache until all panels have written them, and a panel is read once for all of these tiles.
const BLOCK: usize = 32;

/// The order of pairs of a panel and a tile: blocks of tiles, in each the panels, for each the tiles.
#[derive(Clone, Copy)]
struct Order {
    panels: usize,
    tiles: usize,
}

impl Order {
    /// Calls `body` with the panel and the tile of each number.
    fn visit(self, numbers: Range<usize>, mut body: impl FnMut(usize, usize)) {
        let mut start = numbers.start / (self.panels * BLOCK) * BLOCK;
        let mut end = self.tiles.min(start + BLOCK);
        let within = numbers.start - start * self.panels;
        let count = (end - start).max(1);
        let (mut panel, mut tile) = (within / count, start + within % count);
        for _ in numbers {
            body(panel, tile);
            tile += 1;
            if tile == end {
                (panel, tile) = (panel + 1, start);
                if panel == self.panels {
                    (panel, start) = (0, end);
                    end = self.tiles.min(start + BLOCK);
                    tile = start;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Order};

    #[test]
    fn every_pair_is_visited_once_from_any_number() {
        for (panels, tiles) in [(1, 1), (3, 5), (2, BLOCK), (3, 2 * BLOCK + 7), (5, BLOCK + 1)] {
            let order = Order { panels, tiles };
            let mut all = Vec::new();
            order.visit(0..panels * tiles, |panel, tile| all.push((panel, tile)));
            for first in 0..all.len() {
                let mut rest = Vec::new();
                order.visit(first..all.len(), |panel, tile| rest.push((panel, tile)));
                assert_eq!(rest, all[first..], "from {first}");
            }
            all.sort_unstable();
            let expected = (0..panels).flat_map(|panel| (0..tiles).map(move |tile| (panel, tile)));
            assert!(all.into_iter().eq(expected), "{panels} panels, {tiles} tiles");
        }
    }
}
