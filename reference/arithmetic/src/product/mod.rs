//! Sums of products: C = C + Aᵀ·B, where A and B have a row for each term of the sums.
//!
//! The order of a sum ([`Blocks`]) is part of the result:
//!
//! - f64: the terms of a block are added to 0 by fused multiply-additions, one after another; then the
//!   partial sum is added to C. With factors of at most 26 bits each product is exact.
//! - f64 with an error term ([`Compensated`]): one term after another, in double-double.
//! - Integers wrap, so that the order does not matter.

pub mod compensated;
mod dots;
pub mod element;
mod kernel;
mod matrix;
#[cfg(test)]
mod tests;
mod thin;
mod tile;
mod vector;

use std::ops::Range;

pub use compensated::Compensated;
pub use dots::dots;
pub use matrix::Matrix;
pub use tile::{Tile, tiles};
pub use vector::Panels;

pub use kernel::Kernel;
use kernel::LANES;

/// A matrix of factors with a row for each term.
pub trait Terms<F: Kernel>: Sync {
    /// Whether the factors of a column are nearer to each other than those of a row, so that it is faster to
    /// read them in panels, however few rows C has.
    fn is_by_columns(&self) -> bool {
        false
    }

    /// Writes the factors of `columns` in the row of `term`.
    fn fill(&self, term: usize, columns: Range<usize>, into: &mut [F]);

    /// Adds the products of `factor` and the factors of `columns` in the row of `term` to partial sums. `row`
    /// is as long as these.
    fn add_products(
        &self,
        term: usize,
        columns: Range<usize>,
        factor: F,
        row: &mut [F],
        sums: &mut [F::Sum],
    ) {
        self.fill(term, columns, row);
        F::scaled(factor, row, sums);
    }

    /// Writes the factors of `columns` for each of `terms`, in panels of 8 columns: the 8 factors of a term
    /// follow each other, then those of the next term. The last panel ends with zeros.
    fn panels(&self, terms: Range<usize>, columns: Range<usize>, into: &mut [F]) {
        let (count, mut row) = (terms.len(), [F::default(); WIDTH]);
        for columns in split(columns, WIDTH) {
            let row = &mut row[..columns.range.len()];
            let into = &mut into[columns.at * count..];
            for (index, term) in terms.clone().enumerate() {
                self.fill(term, columns.range.clone(), row);
                F::spread(row, index, count, into);
            }
        }
    }
}

/// The columns of a tile: its packed factors of one block fit the cache of a core.
pub const WIDTH: usize = 256;

/// The rows whose factors are packed at a time.
const HEIGHT: usize = 64;

/// A part of a range, and its distance from the start.
struct Part {
    at: usize,
    range: Range<usize>,
}

/// `range` in parts of `length`.
fn split(range: Range<usize>, length: usize) -> impl Iterator<Item = Part> {
    let Range { start, end } = range;
    (start..end).step_by(length).map(move |from| Part {
        at: from - start,
        range: from..end.min(from + length),
    })
}

/// The blocks of terms whose products are added up before they are added to C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocks(Vec<Block>);

/// A block of terms.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Block {
    terms: Range<usize>,
    /// Whether each product is added to C at once.
    at_once: bool,
}

impl Block {
    fn of(terms: Range<usize>) -> Block {
        Block {
            terms,
            at_once: false,
        }
    }
}

/// The number of terms in a block.
pub const DEPTH: usize = 256;

impl Blocks {
    /// `terms` in blocks of [`DEPTH`].
    pub fn of(terms: usize) -> Blocks {
        Blocks::within(terms, terms)
    }

    /// As [`Blocks::of`], for every `length` terms anew.
    pub fn within(terms: usize, length: usize) -> Blocks {
        let parts = split(0..terms, length.max(1));
        Blocks(
            parts
                .flat_map(|part| split(part.range, DEPTH).map(|part| Block::of(part.range)))
                .collect(),
        )
    }

    /// Blocks that end before each of `ends`, which ascend; the last is the number of terms.
    pub fn ending(ends: impl IntoIterator<Item = usize>) -> Blocks {
        let mut start = 0;
        let blocks = ends
            .into_iter()
            .map(|end| std::mem::replace(&mut start, end)..end);
        Blocks(blocks.filter(|block| !block.is_empty()).map(Block::of).collect())
    }

    /// The same sums of products that are exact: there a block of a single term is its product, which is
    /// added to C without a sum of its own. Neighbouring ones are computed together.
    #[must_use]
    pub fn of_exact_products(self) -> Blocks {
        let mut joined: Vec<Block> = Vec::new();
        for mut block in self.0 {
            block.at_once = block.terms.len() == 1;
            match joined.last_mut() {
                Some(last) if last.at_once && block.at_once && last.terms.len() < DEPTH => {
                    last.terms.end = block.terms.end;
                }
                _ => joined.push(block),
            }
        }
        Blocks(joined)
    }

    /// The number of terms.
    pub fn terms(&self) -> usize {
        self.0.last().map_or(0, |block| block.terms.end)
    }
}

/// The operands of a product.
#[derive(Clone, Copy)]
pub struct Operands<'a, F: Kernel> {
    /// The factors of the rows of C: term by row.
    pub a: &'a dyn Terms<F>,
    /// The factors of the columns of C: term by column.
    pub b: &'a dyn Terms<F>,
    /// The order of the sums.
    pub blocks: &'a Blocks,
}

/// Memory that the tiles of one thread reuse.
#[derive(Default, Debug)]
pub struct Buffers<F: Kernel> {
    a: Vec<F>,
    b: Vec<F>,
    partial: Vec<F::Sum>,
}

/// A factor whose products can be summed.
pub trait Factor: Kernel {
    /// Adds the products to the sums of a tile, `rows.len()` rows of `columns.len()`.
    fn accumulate(
        operands: Operands<'_, Self>,
        rows: Range<usize>,
        columns: Range<usize>,
        buffers: &mut Buffers<Self>,
        sums: &mut [Self::Sum],
    );
}

macro_rules! factor {
    ($($ty:ty),*) => {$(
        impl Factor for $ty {
            fn accumulate(
                operands: Operands<'_, $ty>,
                rows: Range<usize>,
                columns: Range<usize>,
                buffers: &mut Buffers<$ty>,
                sums: &mut [<$ty as Kernel>::Sum],
            ) {
                accumulate(operands, rows, columns, buffers, sums);
            }
        }
    )*};
}
factor!(f64, Compensated, u8, i8, u16, i16, u32, i32, u64, i64);

fn accumulate<F: Kernel>(
    operands: Operands<'_, F>,
    rows: Range<usize>,
    columns: Range<usize>,
    buffers: &mut Buffers<F>,
    sums: &mut [F::Sum],
) {
    if rows.len() <= thin::ROWS && !operands.b.is_by_columns() {
        return thin::accumulate(operands, rows, columns, buffers, sums);
    }
    let stride = columns.len();
    for columns in split(columns, WIDTH) {
        for terms in &operands.blocks.0 {
            add_block(
                operands,
                terms,
                rows.clone(),
                columns.range.clone(),
                buffers,
                &mut sums[columns.at..],
                stride,
            );
        }
    }
}

/// Adds the products of one block of terms to sums whose rows are `stride` apart.
fn add_block<F: Kernel>(
    operands: Operands<'_, F>,
    Block { terms, at_once }: &Block,
    rows: Range<usize>,
    columns: Range<usize>,
    buffers: &mut Buffers<F>,
    sums: &mut [F::Sum],
    stride: usize,
) {
    let (count, width) = (terms.len(), columns.len());
    let b = sized(&mut buffers.b, count * width.next_multiple_of(LANES));
    operands.b.panels(terms.clone(), columns, b);
    for rows in split(rows, HEIGHT) {
        let a = sized(&mut buffers.a, count * rows.range.len().next_multiple_of(LANES));
        operands.a.panels(terms.clone(), rows.range.clone(), a);
        for (panel, b) in b.chunks_exact(count * LANES).enumerate() {
            let left = panel * LANES;
            let across = LANES.min(width - left);
            for (panel, a) in a.chunks_exact(count * LANES).enumerate() {
                let above = panel * LANES;
                let down = LANES.min(rows.range.len() - above);
                let sums = &mut sums[(rows.at + above) * stride + left..];
                kernel::add(a, b, sums, stride, (down, across), *at_once);
            }
        }
    }
}

/// The first `length` elements of a buffer that grows as needed.
fn sized<F: Copy + Default>(buffer: &mut Vec<F>, length: usize) -> &mut [F] {
    if buffer.len() < length {
        buffer.resize(length, F::default());
    }
    &mut buffer[..length]
}
