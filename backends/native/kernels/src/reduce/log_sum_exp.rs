//! The logarithm of a sum of exponentials, computed as `m + ln Σ e^(x - m)` where `m` is the maximum.

use super::lines::{Lines, sum};
use super::{COLUMNS, Columns};
use crate::math::exp;
use crate::simd::Simd;

/// Returns the result for adjacent values: negative infinity of no values, NaN if any value is NaN.
#[inline(always)]
pub(super) fn of_row<S: Simd>(s: S, values: &[f32]) -> f32 {
    const { assert!(S::LANES <= 16) }
    let most = Lines(values).extreme(
        s,
        f32::NEG_INFINITY,
        #[inline(always)]
        |a, b| s.max_nan(a, b),
    );
    if most.is_infinite() {
        return most;
    }
    let shift = s.splat(most);
    let (vectors, rest) = values.split_at(values.len() - values.len() % S::LANES);
    let mut padded = [f32::NEG_INFINITY; 16];
    padded[..rest.len()].copy_from_slice(rest);
    // SAFETY: no vector has more than 16 lanes.
    let last = exp(s, s.sub(unsafe { s.load(padded.as_ptr()) }, shift));
    let others = sum(
        s,
        vectors,
        #[inline(always)]
        |x| exp(s, s.sub(x, shift)),
    );
    (f64::from(most) + (others + f64::from(s.sum(last))).ln()) as f32
}

/// Computes the results of adjacent columns.
#[inline(always)]
pub(super) fn of_columns<S: Simd>(columns: &mut Columns, s: S) {
    let mut most = [f32::NEG_INFINITY; COLUMNS];
    for i in 0..columns.n {
        columns.line(
            s,
            i,
            &mut most,
            #[inline(always)]
            |a, b| s.max_nan(a, b),
        );
    }
    let shifts = most.map(|most| if most.is_infinite() { 0.0 } else { most });
    let mut sums = [0.0f64; COLUMNS];
    for start in (0..columns.n).step_by(Columns::PIECE) {
        let mut piece = [0.0f32; COLUMNS];
        for i in start..(start + Columns::PIECE).min(columns.n) {
            let mut powers = shifts;
            columns.line(
                s,
                i,
                &mut powers,
                #[inline(always)]
                |shift, x| exp(s, s.sub(x, shift)),
            );
            piece
                .iter_mut()
                .zip(powers)
                .for_each(|(piece, power)| *piece += power);
        }
        sums.iter_mut()
            .zip(piece)
            .for_each(|(sum, piece)| *sum += f64::from(piece));
    }
    for (y, (most, sum)) in columns.y.iter_mut().zip(most.into_iter().zip(sums)) {
        *y = if most.is_infinite() {
            most
        } else {
            (f64::from(most) + sum.ln()) as f32
        };
    }
}
