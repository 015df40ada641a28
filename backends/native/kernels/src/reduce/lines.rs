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
        let values = self.0;
        let mut folded = s.splat(start);
        let mut vectors = values.chunks_exact(S::LANES);
        for vector in &mut vectors {
            // SAFETY: a whole vector.
            folded = f(folded, unsafe { s.load(vector.as_ptr()) });
        }
        let rest = vectors.remainder();
        if !rest.is_empty() {
            let mut padded = [start; 16];
            let last = match values.len().checked_sub(S::LANES) {
                // Repeats some values.
                Some(at) => values[at..].as_ptr(),
                None => {
                    padded[..rest.len()].copy_from_slice(rest);
                    padded.as_ptr()
                }
            };
            // SAFETY: a whole vector; no vector has more than 16 lanes.
            folded = f(folded, unsafe { s.load(last) });
        }
        extreme_lane(s, folded, f)
    }
}

/// The numbers from 0 to 15, twice.
const ORDER: [i32; 32] = {
    let mut order = [0; 32];
    let mut at = 0;
    while at < 32 {
        order[at] = at as i32 % 16;
        at += 1;
    }
    order
};

/// Combines the lanes of a vector with `f`, which must not depend on order or repetition.
#[inline(always)]
pub(crate) fn extreme_lane<S: Simd>(s: S, vector: S::V, f: impl Fn(S::V, S::V) -> S::V) -> f32 {
    let mut folded = vector;
    let mut step = S::LANES / 2;
    while step > 0 {
        // SAFETY: there are 16 numbers from each of the first 16 positions on.
        let order = s.bits(unsafe { s.load(ORDER.as_ptr().add(step).cast()) });
        let order = s.and_i(order, s.splat_i(S::LANES as i32 - 1));
        folded = f(folded, s.permute(folded, order));
        step /= 2;
    }
    let mut lanes = [0.0; 16];
    // SAFETY: no vector has more than 16 lanes.
    unsafe { s.store(lanes.as_mut_ptr(), folded) }
    lanes[0]
}
