//! Products and sums in double-double.

use super::kernel::{Kernel, LANES, spread};
use crate::isa::vectorised;

/// A factor in f64 whose products are summed in double-double.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
#[repr(transparent)]
pub struct Compensated(pub f64);

impl Compensated {
    /// Numbers as factors.
    pub fn slice(numbers: &[f64]) -> &[Compensated] {
        // SAFETY: the representation of `Compensated` is that of its only field.
        unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), numbers.len()) }
    }
}

/// A sum in double-double: its value and what that lost.
pub type Sum = [f64; 2];

/// Adds a·b to a sum of `high` and `low` (Ogita, Rump and Oishi, "Accurate Sum and Dot Product", 2005,
/// algorithm Dot2). A sum that is not finite stays so; its error term means nothing.
#[inline(always)]
pub fn push(a: f64, b: f64, high: &mut f64, low: &mut f64) {
    let product = a * b;
    let error = a.mul_add(b, -product);
    let sum = *high + product;
    let part = sum - *high;
    let lost = (*high - (sum - part)) + (product - part);
    *high = sum;
    *low += lost + error;
}

/// The value of a sum.
#[inline]
pub fn value([high, low]: Sum) -> f64 {
    if high.is_finite() { high + low } else { high }
}

vectorised! {
    fn tile(a: &[[Compensated; LANES]], b: &[[Compensated; LANES]], sums: &mut [[Sum; LANES]; LANES]) {
        // Two rows at a time: more do not fit the registers.
        for row in (0..LANES).step_by(2) {
            let mut high = [[0.0; LANES]; 2];
            let mut low = [[0.0; LANES]; 2];
            for half in 0..2 {
                for lane in 0..LANES {
                    [high[half][lane], low[half][lane]] = sums[row + half][lane];
                }
            }
            for (a, b) in a.iter().zip(b) {
                for half in 0..2 {
                    for lane in 0..LANES {
                        push(a[row + half].0, b[lane].0, &mut high[half][lane], &mut low[half][lane]);
                    }
                }
            }
            for half in 0..2 {
                for lane in 0..LANES {
                    sums[row + half][lane] = [high[half][lane], low[half][lane]];
                }
            }
        }
    }

    fn scaled(factor: Compensated, row: &[Compensated], partial: &mut [Sum]) {
        for ([high, low], x) in partial.iter_mut().zip(row) {
            push(factor.0, x.0, high, low);
        }
    }
}

impl Kernel for Compensated {
    type Sum = Sum;

    fn tile(a: &[Compensated], b: &[Compensated], sums: &mut [[Sum; LANES]; LANES]) {
        tile(a.as_chunks().0, b.as_chunks().0, sums);
    }

    fn is_finite(self) -> bool {
        self.0.is_finite()
    }

    fn scaled(factor: Compensated, row: &[Compensated], partial: &mut [Sum]) {
        scaled(factor, row, partial);
    }

    fn open(sum: &[Sum], partial: &mut [Sum]) {
        partial.copy_from_slice(sum);
    }

    fn close(partial: &[Sum], sum: &mut [Sum]) {
        sum.copy_from_slice(partial);
    }

    fn spread(row: &[Compensated], index: usize, count: usize, into: &mut [Compensated]) {
        spread(row, index, count, into);
    }
}
