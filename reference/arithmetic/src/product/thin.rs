//! Products with few rows: packing would cost more than it saves.

use std::ops::Range;

use super::kernel::Kernel;
use super::{Block, Buffers, Operands, sized, split};

/// Up to this number of rows.
pub(super) const ROWS: usize = 4;

/// The columns whose partial sums stay in the first cache.
pub(super) const WIDE: usize = 1024;

/// As [`super::Factor::accumulate`], row by row, for at most [`ROWS`] rows.
pub(super) fn accumulate<F: Kernel>(
    operands: Operands<'_, F>,
    rows: Range<usize>,
    columns: Range<usize>,
    buffers: &mut Buffers<F>,
    sums: &mut [F::Sum],
) {
    let (stride, mut factors) = (columns.len(), [F::default(); ROWS]);
    let factors = &mut factors[..rows.len()];
    for columns in split(columns, WIDE) {
        let width = columns.range.len();
        let row = sized(&mut buffers.b, width);
        let partial = sized(&mut buffers.partial, width * rows.len());
        for Block { terms, at_once } in &operands.blocks.0 {
            for (index, partial) in partial.chunks_exact_mut(width).enumerate() {
                let at = index * stride + columns.at;
                if *at_once {
                    partial.copy_from_slice(&sums[at..at + width]);
                } else {
                    F::open(&sums[at..at + width], partial);
                }
            }
            for term in terms.clone() {
                operands.a.fill(term, rows.clone(), factors);
                if let [factor] = *factors {
                    operands
                        .b
                        .add_products(term, columns.range.clone(), factor, row, partial);
                    continue;
                }
                operands.b.fill(term, columns.range.clone(), row);
                for (&factor, partial) in factors.iter().zip(partial.chunks_exact_mut(width)) {
                    F::scaled(factor, row, partial);
                }
            }
            for (index, partial) in partial.chunks_exact(width).enumerate() {
                let at = index * stride + columns.at;
                if *at_once {
                    sums[at..at + width].copy_from_slice(partial);
                } else {
                    F::close(partial, &mut sums[at..at + width]);
                }
            }
        }
    }
}
