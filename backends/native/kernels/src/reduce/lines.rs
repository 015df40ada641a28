//! Sums, minima and maxima of adjacent values.

use crate::simd::Simd;

/// The number of values summed in f32 before they are added to a sum in f64: 64 additions in each of 16
/// lanes.
const PIECE: usize = 1024;

/// Returns the sum of `f(x)`; `f(0)` must be 0.
#[inline(always)]
pub(crate) fn sum<S: Simd>(s: S, values: &[f32], f: impl Fn(S::V) -> S::V) -> f64 {
    let mut total = 0.0;
    for piece in values.chunks(PIECE) {
        let mut sums = [s.zero(); 4];
        let mut quads = piece.chunks_exact(4 * S::LANES);
        for quad in &mut quads {
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: the chunk holds four vectors.
                *sum = s.add(*sum, f(unsafe { s.load(quad.as_ptr().add(i * S::LANES)) }));
            }
        }
        for rest in quads.remainder().chunks(S::LANES) {
            // SAFETY: only the remaining values are read.
            sums[0] = s.add(sums[0], f(unsafe { s.load_n(rest.as_ptr(), rest.len()) }));
        }
        total += f64::from(s.sum(s.add(s.add(sums[0], sums[1]), s.add(sums[2], sums[3]))));
    }
    total
}

/// Returns the sum of squares.
#[inline(always)]
pub(crate) fn sum_of_squares<S: Simd>(s: S, values: &[f32]) -> f64 {
    sum(
        s,
        values,
        #[inline(always)]
        |x| s.mul(x, x),
    )
}

/// A line of adjacent values.
pub(crate) struct Lines<'a>(pub &'a [f32]);

impl Lines<'_> {
    /// Combines the values with `f`, starting with `start`. `f` must not depend on order or repetition.
    #[inline(always)]
    pub fn extreme<S: Simd>(&self, s: S, start: f32, f: impl Fn(S::V, S::V) -> S::V) -> f32 {
        let mut folded = s.splat(start);
        let mut vectors = self.0.chunks_exact(S::LANES);
        for vector in &mut vectors {
            // SAFETY: a whole vector.
            folded = f(folded, unsafe { s.load(vector.as_ptr()) });
        }
        for x in vectors.remainder() {
            folded = f(folded, s.splat(*x));
        }
        let mut lanes = [start; 16];
        // SAFETY: no vector has more than 16 lanes.
        unsafe { s.store(lanes.as_mut_ptr(), folded) }
        let mut result = s.splat(start);
        lanes[..S::LANES]
            .iter()
            .for_each(|x| result = f(result, s.splat(*x)));
        // SAFETY: as above.
        unsafe { s.store(lanes.as_mut_ptr(), result) }
        lanes[0]
    }
}
