//! Resizes images: along two axes, nearest or linear, in one pass, or along one axis by any weights
//! ([`resize_along`]).
//!
//! The caller computes the sources: each axis is a table of sources and weights.

mod along;

use std::sync::Mutex;

pub use along::{Weights, resize_along};

use crate::Pool;
use crate::error::{KernelError, Result, ensure, need, product};
use crate::memory::{Buffer, Shared};
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
    let lines = if row_len == 0 { 0 } else { all };
    let short = Mutex::new(None);
    pool.split(lines, (8192 / row_len.max(1)).max(1), |range| {
        let mut widened = match Widened::new(columns, inner, row_len) {
            Ok(widened) => widened,
            Err(error) => {
                if let Ok(mut first) = short.lock() {
                    *first = Some(error);
                }
                return;
            }
        };
        for index in range {
            let (plane, row) = (index / rows.len(), index % rows.len());
            let line = |source: u32| Line {
                number: plane * size[0] + source as usize,
                values: &x[(plane * size[0] + source as usize) * size[1] * inner..][..size[1] * inner],
            };
            let [first, second] = rows.sources[row].map(line);
            let share = rows.shares[row];
            // SAFETY: rows are disjoint, each belongs to one thread.
            let target = unsafe { y.part(index * row_len, row_len) };
            // A line with weight 0 is skipped, so that infinities there have no effect.
            if share == 0.0 || share == 1.0 {
                let only = if share == 0.0 { first } else { second };
                let at = widened.hold(pool, only, None);
                target.copy_from_slice(&widened.values[at]);
            } else {
                let a = widened.hold(pool, first, None);
                let b = widened.hold(pool, second, Some(a));
                let [a, b] = [a, b].map(|at| &widened.values[at][..]);
                pool.isa().run(Between { a, b, share, target });
            }
        }
    });
    match short.into_inner() {
        Ok(None) => Ok(()),
        Ok(Some(error)) => Err(error),
        Err(_) => Err(KernelError::Overflow("resize")),
    }
}

/// A line of an image, with its number among all lines.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    values: &'a [f32],
}

/// The last two lines, resized along the columns: neighbouring rows of the result use the same lines.
struct Widened<'a> {
    columns: &'a ResizeAxis,
    inner: usize,
    numbers: [Option<usize>; 2],
    values: [Buffer<f32>; 2],
}

impl<'a> Widened<'a> {
    fn new(columns: &'a ResizeAxis, inner: usize, row_len: usize) -> Result<Self> {
        Ok(Self {
            columns,
            inner,
            numbers: [None; 2],
            values: [Buffer::try_zeroed(row_len)?, Buffer::try_zeroed(row_len)?],
        })
    }

    /// Returns the place of a resized line. It is resized if neither place has it; the place `kept` stays.
    fn hold(&mut self, pool: &Pool, line: Line, kept: Option<usize>) -> usize {
        if let Some(place) = self
            .numbers
            .iter()
            .position(|number| *number == Some(line.number))
        {
            return place;
        }
        // The line with the smaller number is further behind.
        let older = usize::from(self.numbers[1] < self.numbers[0]);
        let place = kept.map_or(older, |kept| 1 - kept);
        self.numbers[place] = Some(line.number);
        pool.isa().run(Widen {
            line: line.values,
            columns: self.columns,
            inner: self.inner,
            target: &mut self.values[place],
        });
        place
    }
}

/// Resizes one line along the columns.
struct Widen<'a> {
    line: &'a [f32],
    columns: &'a ResizeAxis,
    inner: usize,
    target: &'a mut [f32],
}

impl Kernel for Widen<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let columns = self.columns.sources.iter().zip(&self.columns.shares);
        if self.inner == 1 {
            for (pixel, (&[a, b], &share)) in self.target.iter_mut().zip(columns) {
                let (a, b) = (self.line[a as usize], self.line[b as usize]);
                *pixel = match share {
                    0.0 => a,
                    1.0 => b,
                    _ => (1.0 - share) * a + share * b,
                };
            }
            return;
        }
        for (pixel, (&[a, b], &share)) in self.target.chunks_exact_mut(self.inner).zip(columns) {
            let [a, b] = [a, b].map(|at| &self.line[at as usize * self.inner..][..self.inner]);
            match share {
                0.0 => pixel.copy_from_slice(a),
                1.0 => pixel.copy_from_slice(b),
                _ => Between {
                    a,
                    b,
                    share,
                    target: pixel,
                }
                .run(s),
            }
        }
    }
}

/// Computes `(1 - share)·a + share·b`.
struct Between<'a> {
    a: &'a [f32],
    b: &'a [f32],
    share: f32,
    target: &'a mut [f32],
}

impl Kernel for Between<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (upper, lower) = (s.splat(1.0 - self.share), s.splat(self.share));
        let len = self.target.len().min(self.a.len()).min(self.b.len());
        let (whole, rest) = (len - len % S::LANES, len % S::LANES);
        let (a, b, y) = (self.a.as_ptr(), self.b.as_ptr(), self.target.as_mut_ptr());
        // SAFETY: each of the three has at least `len` values.
        unsafe {
            for i in (0..whole).step_by(S::LANES) {
                let sum = s.fma(s.load(b.add(i)), lower, s.mul(s.load(a.add(i)), upper));
                s.store(y.add(i), sum);
            }
            if rest > 0 {
                let [a, b] = [a, b].map(|line| s.load_n(line.add(whole), rest));
                s.store_n(y.add(whole), s.fma(b, lower, s.mul(a, upper)), rest);
            }
        }
    }
}
