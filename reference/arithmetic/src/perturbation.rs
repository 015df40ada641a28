//! Numbers of f32, each moved at random within its error.

use crate::isa::vectorised;

/// How far numbers are moved. Of numbers below their error a quarter becomes 0, as a sum whose terms cancel
/// or a function in its tail.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Perturbation {
    /// The factor of the error of each number.
    pub factor: f64,
    /// The least error of every number.
    pub least: f64,
    /// The least error relative to the number.
    pub of_value: f64,
    /// What lies below is reflected.
    pub floor: f64,
    /// Whether half of the numbers below the least normal one become 0 where there is no least error.
    pub flushes: bool,
}

/// The errors of numbers before they are multiplied by [`Perturbation::factor`]: no error if it is 0, one ULP
/// if it is not finite, and at least one ULP.
#[derive(Clone, Copy)]
pub enum Errors<'a> {
    /// One ULP of each number.
    OneUlp,
    /// One for each number.
    Each(&'a [f64]),
    /// A function that writes those of the numbers from a position on.
    Written(&'a dyn Fn(usize, &mut [f64])),
}

/// The numbers that are moved at a time.
const CHUNK: usize = 256;

impl Perturbation {
    /// Writes the moved numbers; whether one of them differs. For numbers of which one or more have an error,
    /// `draw` fills a slice with random bits; numbers without an error stay. The slices have the same length.
    pub fn apply(
        &self,
        x: &[f32],
        errors: Errors<'_>,
        mut draw: impl FnMut(&mut [i32]),
        y: &mut [f32],
    ) -> bool {
        let (mut bits, mut errors_of, mut differs) = ([0; CHUNK], [0.0; CHUNK], false);
        for (index, (x, y)) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)).enumerate() {
            let (bits, errors_of) = (&mut bits[..x.len()], &mut errors_of[..x.len()]);
            match errors {
                Errors::OneUlp => errors_of.fill(f64::MIN_POSITIVE),
                Errors::Each(all) => errors_of.copy_from_slice(&all[index * CHUNK..][..x.len()]),
                Errors::Written(write) => write(index * CHUNK, errors_of),
            }
            if errors_of.iter().all(|error| *error == 0.0) {
                y.copy_from_slice(x);
                continue;
            }
            draw(bits);
            differs |= shift(x, errors_of, bits, self, y);
        }
        differs
    }
}

/// What an error leaves of a number that is below it: in half of the cases its sign.
#[inline(always)]
pub fn zero(bits: i32, x: f64) -> f64 {
    if bits & 4 == 0 { 0.0 } else { 0.0_f64.copysign(x) }
}

/// The distance of a finite f32 from the next.
#[inline(always)]
pub(crate) fn ulp(x: f64) -> f64 {
    const LEAST: u64 = 1023 - 126;
    let exponent = (x.to_bits() >> 52 & 0x7FF).max(LEAST);
    f64::from_bits((exponent - 23) << 52)
}

vectorised! {
    /// Adds as many ULP of each number to its error; an infinite one of a number that is not finite.
    pub fn add_ulps(x: &[f32], ulps: f64, errors: &mut [f64]) {
        for (x, error) in x.iter().zip(errors) {
            let unit = if x.is_finite() { ulp(f64::from(*x)) } else { f64::INFINITY };
            *error += ulps * unit;
        }
    }

    fn shift(x: &[f32], errors: &[f64], bits: &[i32], by: &Perturbation, y: &mut [f32]) -> bool {
        let greatest = f64::from(f32::MAX);
        // What a larger error moves in half of the runs alone has no noise by chance.
        let flushes = by.flushes & (by.least == 0.0);
        let mut changed = 0;
        for (((x, error), bits), y) in x.iter().zip(errors).zip(bits).zip(y) {
            let exact = f64::from(*x);
            let known = if *error < f64::INFINITY { *error } else { 0.0 };
            let known = known.max(ulp(exact));
            let reach = (known * by.factor).max(by.least).max(exact.abs() * by.of_value);
            // In steps of 2⁻³¹, which need only 32 random bits.
            let part = f64::from(*bits) / f64::from(1_u32 << 31);
            // No rounding to nearest makes a finite number infinite here.
            let moved = (exact + part * reach).clamp(-greatest, greatest);
            let moved = moved.max(2.0 * by.floor - moved) as f32;
            let is_flushed = flushes & (exact.abs() < f64::from(f32::MIN_POSITIVE)) & (bits % 2 == 0);
            let is_lost = (exact.abs() < reach) & (bits % 4 == 0);
            let moved = if is_lost { zero(*bits, exact) as f32 } else { moved };
            let moved = if is_flushed { 0.0 } else { moved };
            let moved = if (*error == 0.0) | !x.is_finite() { *x } else { moved };
            changed |= moved.to_bits() ^ x.to_bits();
            *y = moved;
        }
        changed != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::on_each;

    /// One number, as the documentation says.
    fn plain(by: &Perturbation, x: f32, error: f64, bits: i32) -> f32 {
        let unit = f64::from(x.abs().max(f32::MIN_POSITIVE)).log2().floor().exp2() * 2_f64.powi(-23);
        if !x.is_finite() || error == 0.0 {
            return x;
        }
        let error = if error.is_finite() { error.max(unit) } else { unit };
        let reach = (error * by.factor)
            .max(by.least)
            .max(f64::from(x.abs()) * by.of_value);
        if by.flushes && by.least == 0.0 && x.abs() < f32::MIN_POSITIVE && bits % 2 == 0 {
            return 0.0;
        }
        if f64::from(x.abs()) < reach && bits % 4 == 0 {
            return zero(bits, x.into()) as f32;
        }
        let moved = f64::from(x) + f64::from(bits) / 2_f64.powi(31) * reach;
        let moved = moved.clamp(-f64::from(f32::MAX), f64::from(f32::MAX));
        moved.max(2.0 * by.floor - moved) as f32
    }

    fn words() -> impl Iterator<Item = i32> {
        (1_u64..).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as i32)
    }

    #[test]
    fn each_number_is_moved_within_its_error() {
        let special = [
            0.0,
            -0.0,
            f32::NAN,
            f32::INFINITY,
            f32::MAX,
            1e-42,
            -3e-39,
            1.0,
            -1.5,
        ];
        let x: Vec<f32> = (0..1000)
            .map(|at| {
                special[at % 9]
                    + if at % 5 == 0 {
                        at as f32 * 0.37 - 100.0
                    } else {
                        0.0
                    }
            })
            .collect();
        let radii: Vec<f64> = (0..1000)
            .map(|at| {
                [0.0, 1e-3, f64::INFINITY, 1e-12, 5.0, f64::NAN]
                    [at % 6 * usize::from(at < 300) + usize::from(at >= 300)]
            })
            .collect();
        for (floor, flushes, factor, least) in [
            (f64::NEG_INFINITY, false, 1.0, 1e-8),
            (0.0, true, 8.0, 0.0),
            (0.0, true, 8.0, 8e-8),
        ] {
            let by = Perturbation {
                factor,
                least,
                of_value: 0.0,
                floor,
                flushes,
            };
            let write = |from: usize, errors: &mut [f64]| {
                errors.copy_from_slice(&radii[from..][..errors.len()]);
            };
            for errors in [Errors::OneUlp, Errors::Each(&radii), Errors::Written(&write)] {
                let found = on_each(|| {
                    let (mut y, mut bits) = (vec![9.0; x.len()], words());
                    let draw = |into: &mut [i32]| {
                        into.iter_mut()
                            .for_each(|into| *into = bits.next().expect("endless"))
                    };
                    by.apply(&x, errors, draw, &mut y);
                    y.iter().map(|y| y.to_bits()).collect::<Vec<_>>()
                });
                let mut bits = words();
                let expected: Vec<u32> = x
                    .iter()
                    .zip(&radii)
                    .map(|(&x, &radius)| {
                        let unit =
                            f64::from(x.abs().max(f32::MIN_POSITIVE)).log2().floor().exp2() * 2_f64.powi(-23);
                        let error = match errors {
                            Errors::OneUlp => unit,
                            Errors::Each(_) | Errors::Written(_) => radius,
                        };
                        plain(&by, x, error, bits.next().expect("endless")).to_bits()
                    })
                    .collect();
                found.iter().for_each(|found| assert_eq!(*found, expected));
            }
        }
    }
}
