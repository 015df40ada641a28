//! Resizes images along two axes, nearest or linear.
//!
//! The caller computes the sources: each axis is a table of sources and weights.

use crate::Pool;
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

/// For each pixel of the result along one axis: its two neighbours, and the weight of the second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResizeAxis {
    sources: Vec<[u32; 2]>,
    shares: Vec<f32>,
}

impl ResizeAxis {
    /// Makes an axis that copies pixels.
    pub fn nearest(sources: impl IntoIterator<Item = u32>) -> Self {
        let sources: Vec<_> = sources.into_iter().map(|source| [source; 2]).collect();
        Self {
            shares: vec![0.0; sources.len()],
            sources,
        }
    }

    /// Makes an axis of `(first, second, share)`: `(1 - share)·x[first] + share·x[second]`.
    pub fn linear(pixels: impl IntoIterator<Item = (u32, u32, f32)>) -> Self {
        let (sources, shares) = pixels.into_iter().map(|(a, b, share)| ([a, b], share)).unzip();
        Self { sources, shares }
    }

    /// The number of pixels of the result.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether the result has no pixels.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    fn is_nearest(&self) -> bool {
        self.shares.iter().all(|share| *share == 0.0)
    }

    fn check(&self, size: usize) -> Result<()> {
        let inside = self
            .sources
            .iter()
            .flatten()
            .all(|source| (*source as usize) < size);
        ensure(inside, "resize", || format!("a source outside of {size} pixels"))
    }
}

/// Resizes `planes` images of `size` pixels of `inner` adjacent values (1 in the plain layout, `c` in the
/// blocked).
pub fn resize(
    pool: &Pool,
    [planes, inner]: [usize; 2],
    size: [usize; 2],
    [rows, columns]: [&ResizeAxis; 2],
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    rows.check(size[0])?;
    columns.check(size[1])?;
    need(
        "resize: image",
        product("resize", &[planes, size[0], size[1], inner])?,
        x.len(),
    )?;
    let row_len = product("resize", &[columns.len(), inner])?;
    let all = product("resize", &[planes, rows.len()])?;
    need("resize: result", product("resize", &[all, row_len])?, y.len())?;
    let y = Shared::new(y);
    let nearest = rows.is_nearest() && columns.is_nearest();
    pool.split(
        if row_len == 0 { 0 } else { all },
        (8192 / row_len.max(1)).max(1),
        |range| {
            for index in range {
                let (plane, row) = (index / rows.len(), index % rows.len());
                let line = |source: u32| {
                    let at = (plane * size[0] + source as usize) * size[1] * inner;
                    &x[at..at + size[1] * inner]
                };
                let [first, second] = rows.sources[row];
                // SAFETY: rows are disjoint, each belongs to one thread.
                let target = unsafe { y.part(index * row_len, row_len) };
                if nearest {
                    let source = line(first);
                    for (pixel, [at, _]) in target.chunks_exact_mut(inner).zip(&columns.sources) {
                        pixel.copy_from_slice(&source[*at as usize * inner..][..inner]);
                    }
                    continue;
                }
                let lines = [line(first), line(second)];
                pool.isa().run(Between {
                    lines,
                    share: rows.shares[row],
                    columns,
                    inner,
                    target,
                });
            }
        },
    );
    Ok(())
}

/// Interpolates one row of the result between two lines of the image.
struct Between<'a> {
    lines: [&'a [f32]; 2],
    share: f32,
    columns: &'a ResizeAxis,
    inner: usize,
    target: &'a mut [f32],
}

impl Kernel for Between<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (upper, lower) = (1.0 - self.share, self.share);
        let columns = self.columns.sources.iter().zip(&self.columns.shares);
        for (pixel, ([a, b], share)) in self.target.chunks_exact_mut(self.inner).zip(columns) {
            let (a, b) = (*a as usize * self.inner, *b as usize * self.inner);
            let weights = [
                upper * (1.0 - share),
                upper * share,
                lower * (1.0 - share),
                lower * share,
            ];
            let corners = [
                &self.lines[0][a..],
                &self.lines[0][b..],
                &self.lines[1][a..],
                &self.lines[1][b..],
            ];
            for (i, values) in pixel.chunks_mut(S::LANES).enumerate() {
                let mut sum = s.zero();
                for (corner, weight) in corners.iter().zip(weights) {
                    // A corner with weight 0 is skipped, so that infinities there have no effect.
                    if weight != 0.0 {
                        let corner = &corner[i * S::LANES..][..values.len()];
                        // SAFETY: only the remaining values are read.
                        let corner = unsafe { s.load_n(corner.as_ptr(), corner.len()) };
                        sum = s.fma(corner, s.splat(weight), sum);
                    }
                }
                // SAFETY: only the remaining values are written.
                unsafe { s.store_n(values.as_mut_ptr(), sum, values.len()) }
            }
        }
    }
}
