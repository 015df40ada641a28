//! All products of rows and packed weights, in tiles.

use std::ops::Range;

use super::finish::Finish;
use super::tile::{MAX_ROWS, Tile};
use super::{Int8Weights, MAX_WIDTH};
use crate::Pool;

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

/// Multiplies every row by the weights. Rows of results are in the order of images, lines and rows.
pub(super) fn multiply_all(pool: &Pool, weights: &Int8Weights, strips: &Strips, finish: &Finish) {
    let (dot, quads) = (weights.dot, weights.quads);
    let lines = strips.images[0] * strips.lines[0];
    let [rows, apart] = strips.rows;
    if lines == 0 || rows == 0 {
        return;
    }
    assert!(strips.taps.len() == weights.taps && strips.reach(4 * quads) <= strips.a.len());
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
                quads,
                b: weights.panel(panel).as_ptr(),
                ahead: weights.ahead(panel, block, pool.isa()),
                c: sums.as_mut_ptr(),
            };
            let results = line * rows + these.start..line * rows + these.end;
            // SAFETY: every row contains its last tap, as asserted above; a panel holds as many groups for
            // each tap; a tile has at most `dot.rows()` rows, for which `sums` has room. Tiles are disjoint,
            // each belongs to one thread.
            unsafe {
                dot.run(&tile);
                finish.store(panel, results, &mut sums);
            }
        });
    });
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
