//! All products of rows and packed weights, in tiles.

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
    // A panel of weights stays in the cache while all rows are multiplied by it.
    pool.split(weights.n.div_ceil(dot.width()) * lines * tiles, 1, |range| {
        let mut sums = [0; MAX_ROWS * MAX_WIDTH];
        let (mut panel, mut line) = (range.start / tiles / lines, range.start / tiles % lines);
        let (mut part, mut first) = (range.start % tiles, strips.line(line));
        for _ in range {
            if part == tiles {
                (part, line) = (0, line + 1);
                if line == lines {
                    (panel, line) = (panel + 1, 0);
                }
                first = strips.line(line);
            }
            let these = part * height..rows.min((part + 1) * height);
            part += 1;
            if these.is_empty() {
                continue;
            }
            let tile = Tile {
                rows: these.len(),
                a: strips.a[first + these.start * apart..].as_ptr(),
                a_row: apart,
                taps: strips.taps,
                quads,
                b: weights.panel(panel).as_ptr(),
                c: sums.as_mut_ptr(),
            };
            // SAFETY: every row contains its last tap, as asserted above; a panel holds as many groups for
            // each tap; a tile has at most `dot.rows()` rows, for which `sums` has room. Tiles are disjoint,
            // each belongs to one thread.
            unsafe {
                dot.run(&tile);
                finish.store(
                    panel,
                    line * rows + these.start..line * rows + these.end,
                    &mut sums,
                );
            }
        }
    });
}
