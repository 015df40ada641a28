//! A result in tiles that threads compute independently.

use std::ops::Range;

use super::kernel::LANES;
use super::{WIDTH, thin};

/// A part of the rows and columns of a result.
#[derive(Debug)]
pub struct Tile<'r, R> {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
    /// The part of each of its rows.
    pub result: Vec<&'r mut [R]>,
}

/// A result of row-major `rows` × `columns` in tiles, at least `parts` if it is large enough.
pub fn tiles<R>(result: &mut [R], rows: usize, columns: usize, parts: usize) -> Vec<Tile<'_, R>> {
    if rows == 0 || columns == 0 {
        return Vec::new();
    }
    let wide = if rows <= thin::ROWS { thin::WIDE } else { WIDTH };
    let share = columns.div_ceil(parts).next_multiple_of(LANES);
    let (height, width) = match parts {
        1 => (rows, wide),
        _ if columns >= rows || columns >= parts * wide => (rows, share.clamp(LANES, wide)),
        _ => (rows.div_ceil(parts).next_multiple_of(LANES), wide),
    };
    let mut found: Vec<Tile<'_, R>> = Vec::new();
    for (band, result) in result.chunks_mut(height * columns).enumerate() {
        let (first, from) = (band * height, found.len());
        let rows = first..first + result.len() / columns;
        let across = (0..columns).step_by(width);
        found.extend(across.map(|left| Tile {
            rows: rows.clone(),
            columns: left..columns.min(left + width),
            result: Vec::with_capacity(rows.len()),
        }));
        for row in result.chunks_mut(columns) {
            for (tile, part) in found[from..].iter_mut().zip(row.chunks_mut(width)) {
                tile.result.push(part);
            }
        }
    }
    found
}
