//! Divides a product into blocks for the caches, tiles for the registers, and parts for threads.

use std::ops::Range;

use super::Matrix;
use super::finish::Finish;
use super::pack::{self, PackA};
use super::prefetch::{FetchResult, Prefetch};
use super::quantized::expand::Expand;
use super::quantized::{self, PackedQuantized};
use super::skinny::{self, Skinny};
use super::tile::{self, Tile, VECTORS, Walk};
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::memory::Shared;
use crate::{Isa, Pool, scratch};

/// The number of steps of the common dimension at a time: with fewer, unfinished sums would be loaded and
/// stored more often.
const K_BLOCK: usize = 384;
/// The maximum number of rows of the left side at a time: complete tiles; with `K_BLOCK` steps 378 KiB, which
/// fit into the L2 cache. Each block reads all weights.
const M_BLOCK: usize = 252;
/// The maximum number of weights of `K_BLOCK` steps that stay in the L2 cache: 768 KiB. Then a block is one
/// tile, whose rows stay in the L1 cache and whose results are written row by row.
const NEAR_WEIGHTS: usize = 192 * 1024;
/// The number of panels from which packing of rows pays off.
const PACKED_FOR: usize = 6;

/// The packed right side of a product.
#[derive(Clone, Copy)]
pub(crate) enum Weights<'a> {
    Floats(&'a [f32]),
    Quantized(&'a PackedQuantized),
}

/// A product with checked arguments.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub isa: Isa,
    pub a: Matrix<'a>,
    pub b: Weights<'a>,
    pub n: usize,
    pub epilogue: &'a Epilogue<'a>,
    pub c: Shared<'a, f32>,
    /// The offset of the result in `c` and in the residual.
    pub first: usize,
}

/// Divides rows into blocks of at most `limit`, of nearly the same size.
fn blocks_of(rows: &Range<usize>, limit: usize) -> impl Iterator<Item = Range<usize>> {
    let (start, len) = (rows.start, rows.len());
    let blocks = len.div_ceil(limit);
    (0..blocks).map(move |index| {
        let part = crate::thread::share(len, blocks, index);
        start + part.start..start + part.end
    })
}

/// A block of the left side: its first row, the distance of rows, and the walk along a row.
struct Left {
    x: *const f32,
    row_stride: usize,
    walk: Walk,
}

impl Job<'_> {
    /// Divides the product among threads: by columns, unless rows divide more evenly.
    pub fn run(&self, pool: &Pool) {
        let panels = self.n.div_ceil(pack::width(self.isa));
        // A multiple of the rows of a tile, for any strides of the operand.
        let grain = tile::rows(self.isa, VECTORS, 0);
        let tiles = self.a.rows.div_ceil(grain);
        if self.a.rows <= skinny::ROWS {
            return pool.split(panels, skinny::PANELS, |panels| {
                self.block(0..self.a.rows, panels)
            });
        }
        let idle = |pieces: usize| pieces.div_ceil(pool.threads()) * pool.threads() * 1000 / pieces;
        if idle(panels) <= idle(tiles) {
            pool.split(panels, 1, |panels| self.block(0..self.a.rows, panels));
        } else {
            pool.split(self.a.rows, grain, |rows| self.block(rows, 0..panels));
        }
    }

    /// Computes the product on this thread.
    pub fn run_here(&self) {
        self.block(0..self.a.rows, 0..self.n.div_ceil(pack::width(self.isa)));
    }

    /// Computes the part of the result in `rows` and in the columns of `panels`.
    fn block(&self, rows: Range<usize>, mut panels: Range<usize>) {
        if self.a.rows <= skinny::ROWS && rows == (0..self.a.rows) {
            panels.start = self.skinny(&panels);
            if panels.is_empty() {
                return;
            }
        }
        let lanes = self.isa.lanes();
        let k_all = self.a.columns;
        let blocks = k_all.div_ceil(K_BLOCK).max(1);
        let k_block = k_all.div_ceil(blocks).next_multiple_of(lanes);
        // Lines at distances of 4 KiB map to one set of the L1 cache and evict each other.
        let direct =
            self.a.column_stride == 1 && !self.a.row_stride.is_multiple_of(1024) && panels.len() < PACKED_FOR;
        let limit = self.rows_at_a_time(k_block, &panels);
        let room = if direct {
            0
        } else {
            limit.min(rows.len()) * k_block
        };
        scratch::with(room, |packed| {
            for block in 0..blocks {
                let k = (block * k_block).min(k_all)..((block + 1) * k_block).min(k_all);
                for part in blocks_of(&rows, limit) {
                    let left = if direct {
                        let at = (part.start * self.a.row_stride + k.start).min(self.a.data.len());
                        Left {
                            x: self.a.data[at..].as_ptr(),
                            row_stride: self.a.row_stride,
                            walk: Walk::along(k.len()),
                        }
                    } else {
                        self.isa.run(PackA {
                            a: self.a,
                            rows: part.clone(),
                            k: k.clone(),
                            target: packed,
                        });
                        let steps = k.len().div_ceil(lanes);
                        Left {
                            x: packed.as_ptr(),
                            row_stride: lanes,
                            walk: Walk {
                                end: k.len() - steps.saturating_sub(1) * lanes,
                                ..Walk::whole([(steps, part.len() * lanes), (1, 0), (1, 0)], lanes)
                            },
                        }
                    };
                    self.tiles(&left, part, k.clone(), panels.clone());
                }
            }
        });
    }

    /// The number of rows that are packed and multiplied by these panels at a time. Weights that are restored
    /// are so once for each block of rows.
    fn rows_at_a_time(&self, k_block: usize, panels: &Range<usize>) -> usize {
        let near = k_block * panels.len() * pack::width(self.isa) <= NEAR_WEIGHTS;
        match self.b {
            Weights::Floats(_) if near && panels.len() >= PACKED_FOR => {
                tile::rows(self.isa, VECTORS, self.isa.lanes())
            }
            _ => M_BLOCK,
        }
    }

    /// Computes the skinny product in the first of these panels, and returns the first of the others.
    fn skinny(&self, panels: &Range<usize>) -> usize {
        match self.b {
            Weights::Floats(b) => {
                let end = panels.start + Skinny::whole(self, panels);
                let panels = panels.start..end;
                self.isa.run(Skinny { job: self, b, panels });
                end
            }
            Weights::Quantized(b) if quantized::skinny::is_for(b, &self.a) => {
                let panels = panels.clone();
                let end = panels.end;
                self.isa.run(quantized::skinny::Skinny { job: self, b, panels });
                end
            }
            Weights::Quantized(_) => panels.start,
        }
    }

    /// The number of columns of a panel.
    fn columns(&self, panel: usize) -> usize {
        let width = pack::width(self.isa);
        width.min(self.n - panel * width)
    }

    /// The position of step `k` of a panel in packed weights.
    fn position(&self, panel: usize, k: usize) -> usize {
        let lanes = self.isa.lanes();
        let padded = self.columns(panel).next_multiple_of(lanes);
        panel * pack::width(self.isa) * self.a.columns + padded * k
    }

    /// Multiplies one block of `a` by `panels`.
    fn tiles(&self, left: &Left, rows: Range<usize>, k: Range<usize>, panels: Range<usize>) {
        for panel in panels.clone() {
            match self.b {
                Weights::Floats(b) => {
                    let next = if panel + 1 < panels.end {
                        self.position(panel + 1, k.start)
                    } else {
                        self.position(panels.start, k.end)
                    };
                    let w = &b[self.position(panel, k.start)..];
                    self.panel(left, &rows, &k, panel, w, (b, next));
                }
                Weights::Quantized(b) => {
                    let vectors = self.columns(panel).div_ceil(self.isa.lanes());
                    scratch::with(k.len() * vectors * self.isa.lanes(), |target| {
                        self.isa.run(Expand {
                            b,
                            panel,
                            vectors,
                            rows: k.clone(),
                            target,
                        });
                        self.panel(left, &rows, &k, panel, target, (target, 0));
                    });
                }
            }
        }
    }

    /// Multiplies one block of `a` by a panel with these weights, and fetches those at a position of others.
    fn panel(
        &self,
        left: &Left,
        rows: &Range<usize>,
        k: &Range<usize>,
        panel: usize,
        w: &[f32],
        (others, next): (&[f32], usize),
    ) {
        let k_all = self.a.columns;
        let (column, columns) = (panel * pack::width(self.isa), self.columns(panel));
        let vectors = columns.div_ceil(self.isa.lanes());
        let Left {
            x,
            row_stride,
            ref walk,
        } = *left;
        let tiles = rows.len().div_ceil(tile::rows(self.isa, vectors, row_stride));
        for index in 0..tiles {
            let part = crate::thread::share(rows.len(), tiles, index);
            let (row, count) = (rows.start + part.start, part.len());
            let at = self.first + row * self.n + column;
            let resume = k.start > 0 || matches!(self.epilogue.residual, Residual::Output);
            let finish = (k.end == k_all).then(|| self.finish(row, column, at));
            let tile = Tile {
                rows: count,
                vectors,
                x: x.wrapping_add(part.start * row_stride),
                row_stride,
                walk,
                w: w.as_ptr(),
                w_second: None,
                c: self.c.at(at),
                c_row: self.n,
                c_vector: self.isa.lanes(),
                columns,
                fill: false,
                resume,
                finish,
                ahead: Prefetch::share(
                    others,
                    next,
                    [vectors * self.isa.lanes(), k.len()],
                    [index, tiles],
                    self.isa,
                ),
            };
            if !resume {
                self.isa.run(FetchResult(&tile));
            }
            // SAFETY: `x` covers the rows of this block (a checked matrix or its packed copy) for
            // `k.len()` values, `w` all steps of the panel; the length of the result was checked and
            // threads have disjoint blocks of it, of bias and of residual.
            unsafe { tile.run(self.isa) }
        }
    }

    pub(super) fn finish(&self, row: usize, column: usize, at: usize) -> Finish {
        let (bias_columns, bias_rows) = match self.epilogue.bias {
            Bias::None => (std::ptr::null(), std::ptr::null()),
            Bias::Column(bias) => (bias[column..].as_ptr(), std::ptr::null()),
            Bias::Row(bias) => (std::ptr::null(), bias[row..].as_ptr()),
        };
        let residual = match self.epilogue.residual {
            Residual::Add(residual) => residual[at..].as_ptr(),
            Residual::None | Residual::Output => std::ptr::null(),
        };
        Finish {
            bias_columns,
            bias_rows,
            residual,
            activation: self.epilogue.activation,
        }
    }
}
