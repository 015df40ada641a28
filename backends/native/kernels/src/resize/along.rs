//! Resizes one axis: each pixel of the result is a weighted sum of some pixels of the image.

use crate::Pool;
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

/// For each pixel of the result along one axis: the pixels of the image that it is a sum of, with their
/// weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// The pixels of all sums, one after the other, and where each sum ends.
    terms: Vec<(u32, f32)>,
    ends: Vec<usize>,
}

impl Weights {
    /// Makes the weights of these sums.
    pub fn new(sums: impl IntoIterator<Item = Vec<(u32, f32)>>) -> Self {
        let mut weights = Self::default();
        for sum in sums {
            weights.terms.extend(sum);
            weights.ends.push(weights.terms.len());
        }
        weights
    }

    /// The number of pixels of the result.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the result has no pixels.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn sum(&self, pixel: usize) -> &[(u32, f32)] {
        let start = pixel.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.terms[start..self.ends[pixel]]
    }
}

/// Resizes the middle axis of an image of `[outer, from, inner]` elements. A pixel with no terms is 0; a
/// single term with the weight 1 is a copy.
///
/// # Errors
/// A term is outside of the image, or an operand is too short.
pub fn resize_along(
    pool: &Pool,
    [outer, from, inner]: [usize; 3],
    weights: &Weights,
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    let what = "resize";
    let inside = weights.terms.iter().all(|(place, _)| (*place as usize) < from);
    ensure(inside, what, || format!("a source outside of {from} pixels"))?;
    need("resize: image", product(what, &[outer, from, inner])?, x.len())?;
    let to = weights.len();
    need("resize: result", product(what, &[outer, to, inner])?, y.len())?;
    if outer * to * inner == 0 {
        return Ok(());
    }
    let y = Shared::new(y);
    let grain = |len: usize| (8192 / len).max(1);
    if inner == 1 {
        pool.split(outer, grain(to), |range| {
            for line in range {
                // SAFETY: lines are disjoint, each belongs to one thread.
                let target = unsafe { y.part(line * to, to) };
                widen(&x[line * from..][..from], weights, target);
            }
        });
        return Ok(());
    }
    pool.split(outer * to, grain(inner), |range| {
        for row in range {
            // SAFETY: rows are disjoint, each belongs to one thread.
            let target = unsafe { y.part(row * inner, inner) };
            let (plane, terms) = (
                &x[row / to * from * inner..][..from * inner],
                weights.sum(row % to),
            );
            match terms {
                &[(place, 1.0)] => target.copy_from_slice(&plane[place as usize * inner..][..inner]),
                _ => pool.isa().run(Mix { plane, terms, target }),
            }
        }
    });
    Ok(())
}

/// Resizes a line of single elements.
fn widen(line: &[f32], weights: &Weights, target: &mut [f32]) {
    for (pixel, target) in target.iter_mut().enumerate() {
        *target = match weights.sum(pixel) {
            &[(place, 1.0)] => line[place as usize],
            terms => terms
                .iter()
                .map(|&(place, weight)| line[place as usize] * weight)
                .sum(),
        };
    }
}

/// Computes a weighted sum of rows.
struct Mix<'a> {
    /// Rows as long as the target.
    plane: &'a [f32],
    terms: &'a [(u32, f32)],
    target: &'a mut [f32],
}

impl Kernel for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let len = self.target.len();
        let inside = |(place, _): &(u32, f32)| (*place as usize + 1) * len <= self.plane.len();
        assert!(self.terms.iter().all(inside), "the rows are inside of the image");
        for at in (0..len).step_by(S::LANES) {
            let count = S::LANES.min(len - at);
            let mut sum = s.zero();
            for &(place, weight) in self.terms {
                // SAFETY: the row is inside of the image, and has `len` elements.
                let row = unsafe { s.load_n(self.plane.as_ptr().add(place as usize * len + at), count) };
                sum = s.fma(row, s.splat(weight), sum);
            }
            // SAFETY: the target has `len` elements.
            unsafe { s.store_n(self.target.as_mut_ptr().add(at), sum, count) };
        }
    }
}
