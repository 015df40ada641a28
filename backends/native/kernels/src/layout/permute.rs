//! Permutation of the axes of a tensor.

use super::square::Transpose;
use crate::error::{Result, ensure, need, product};
use crate::memory::{Shared, Zeroable};
use crate::{Isa, Pool};

/// A permutation of fewer elements is not divided among threads.
const GRAIN: usize = 32 * 1024;

/// Computes `y[i_perm[0], i_perm[1], …] = x[i_0, i_1, …]`: axis `a` of the result is axis `perm[a]` of `x`.
/// Elements are plain numbers; those of four bytes are moved as f32, which has the same alignment.
pub fn permute<T: Zeroable>(
    pool: &Pool,
    shape: &[usize],
    perm: &[usize],
    x: &[T],
    y: &mut [T],
) -> Result<()> {
    let len = product("permute", shape)?;
    need("permute: source", len, x.len())?;
    need("permute: target", len, y.len())?;
    let mut seen = vec![false; shape.len()];
    let valid = perm.len() == shape.len()
        && perm
            .iter()
            .all(|&axis| axis < shape.len() && !std::mem::replace(&mut seen[axis], true));
    ensure(valid, "permute", || {
        format!("{perm:?} is not a permutation of {} axes", shape.len())
    })?;
    if len > 0 {
        Axes::new(shape, perm).run(pool, x, &mut y[..len]);
    }
    Ok(())
}

/// The axes of the result, with adjacent axes merged where possible: extent and distance in the source.
struct Axes {
    outer: Vec<(usize, usize)>,
    /// The last axis of the result.
    last: (usize, usize),
    /// The axis along which elements of the source are adjacent, if it is not `last`: its extent and distance
    /// in the result.
    near: (usize, usize),
}

impl Axes {
    fn new(shape: &[usize], perm: &[usize]) -> Self {
        let stride = |axis: usize| shape[axis + 1..].iter().product::<usize>();
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for &axis in perm.iter().filter(|&&axis| shape[axis] != 1) {
            let (size, distance) = (shape[axis], stride(axis));
            match merged.last_mut() {
                Some(previous) if previous.1 == size * distance => *previous = (previous.0 * size, distance),
                _ => merged.push((size, distance)),
            }
        }
        let last = merged.pop().unwrap_or((1, 1));
        let mut near = (1, 1);
        if last.1 != 1
            && let Some(at) = merged.iter().position(|axis| axis.1 == 1)
        {
            let below = merged[at + 1..].iter().map(|axis| axis.0).product::<usize>() * last.0;
            near = (merged[at].0, below);
            merged[at] = (1, 0);
        }
        Self {
            outer: merged,
            last,
            near,
        }
    }

    fn run<T: Zeroable>(&self, pool: &Pool, x: &[T], y: &mut [T]) {
        let pieces: usize = self.outer.iter().map(|axis| axis.0).product();
        let piece_len = self.last.0 * self.near.0;
        let y = Shared::new(y);
        if pieces == 1 && self.near.0 > 1 {
            // One large matrix is divided by columns.
            pool.split(
                self.near.0,
                (GRAIN / self.last.0).next_multiple_of(16),
                |columns| {
                    self.piece(
                        pool.isa(),
                        &x[columns.start..],
                        y,
                        columns.start * self.near.1,
                        columns.len(),
                    );
                },
            );
            return;
        }
        pool.split(pieces, (GRAIN / piece_len).max(1), |range| {
            for piece in range {
                let (source, target) = self.offsets(piece);
                self.piece(pool.isa(), &x[source..], y, target, self.near.0);
            }
        });
    }

    /// Returns the offsets of a piece in the source and in the result.
    fn offsets(&self, mut piece: usize) -> (usize, usize) {
        let (mut source, mut target) = (0, 0);
        let mut distance = self.last.0;
        for &(size, stride) in self.outer.iter().rev() {
            // The near axis: one step along it is `near.1` elements in the result.
            if stride == 0 {
                distance = self.near.0 * self.near.1;
                continue;
            }
            source += piece % size * stride;
            target += piece % size * distance;
            piece /= size;
            distance *= size;
        }
        (source, target)
    }

    /// Copies the last axis of the result for `columns` of the near axis.
    fn piece<T: Zeroable>(&self, isa: Isa, x: &[T], y: Shared<T>, at: usize, columns: usize) {
        let (size, stride) = self.last;
        if stride == 1 {
            // SAFETY: pieces are disjoint parts of the result, each belongs to one thread.
            unsafe { y.part(at, size) }.copy_from_slice(&x[..size]);
        } else if const { size_of::<T>() == size_of::<f32>() && align_of::<T>() == align_of::<f32>() } {
            assert!(x.len() > (size - 1) * stride + columns - 1);
            // The last element that is written.
            y.at(at + (columns - 1) * self.near.1 + size - 1);
            isa.run(Transpose {
                source: x.as_ptr().cast(),
                source_stride: stride,
                target: y.at(at).cast(),
                target_stride: self.near.1,
                rows: size,
                columns,
            });
        } else {
            for column in 0..columns {
                // SAFETY: as above.
                let target = unsafe { y.part(at + column * self.near.1, size) };
                for (i, target) in target.iter_mut().enumerate() {
                    *target = x[i * stride + column];
                }
            }
        }
    }
}
