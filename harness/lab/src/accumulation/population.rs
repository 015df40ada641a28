//! The statistics of a population, and its verdict.
//!
//! A correct sum rounds each partial sum sₖ and each product pₖ to nearest, in the precision u of
//! float (of double for double), and its result y to the type of the output, whose roundoff is v.
//! If these roundings are independent, the error e of the sum has a variance of at most W/3 with W
//! = u²·(Σ sₖ² + Σ pₖ²) + v²·y²: an error that is uniform in ±u·|s| has the variance u²·s²/3. Then
//! for r = e/√W of T sums
//! - Σ r² ≤ T/3 is expected, whatever the order of the terms and with or without fused
//!   multiply-add. [`SQUARE`] leaves a fifth more, 4.4 standard deviations of a mean of 1,000
//!   squares;
//! - Σ ±r, with the sign of each sum, has the variance Σ r². [`BIAS`] standard deviations are
//!   exceeded in 6 of 100,000 populations.
//!
//! A fused multiply-add, a wider accumulator and sums of blocks make the errors smaller, so that
//! the limits apply to them as well.

use onnx_tensor::DType;
use run_record::sums::Verdict;

use crate::accumulation::layout::Layout;
use crate::accumulation::subject::Kind;
use crate::accumulation::wide::Wide;

/// The limit for the mean of r².
pub const SQUARE: f64 = 0.4;

/// The limit for |Σ ±r| / √(Σ r²).
pub const BIAS: f64 = 4.0;

/// The errors of a population.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Population {
    /// The number of sums.
    pub sums: usize,
    /// The number of terms of each.
    pub length: usize,
    /// The mean of r².
    pub square: f64,
    /// Σ ±r / √(Σ r²): negative if results are too small in magnitude.
    pub bias: f64,
    /// The mean of ±e, in units of roundoff of the output's type times the sum of magnitudes.
    pub mean: f64,
    /// The number of results that are NaN or infinite.
    pub not_finite: usize,
}

impl Population {
    /// The verdict. Errors that are too wide are named first: they also may have a direction.
    pub fn verdict(&self) -> Verdict {
        if self.not_finite > 0 {
            Verdict::NotFinite
        } else if self.square > SQUARE {
            Verdict::Wide
        } else if self.bias.abs() > BIAS {
            Verdict::Biased
        } else {
            Verdict::Explained
        }
    }
}

/// Unit roundoff of an element type with arithmetic.
pub(crate) fn unit(dtype: DType) -> f64 {
    let bits = match dtype {
        DType::Double => 53.0,
        DType::Float16 => 11.0,
        DType::Bfloat16 => 8.0,
        _ => 24.0,
    };
    f64::exp2(-bits)
}

/// One sum: its exact value, and the limit of its error.
struct Sum {
    exact: Wide,
    /// Σ sₖ² + Σ pₖ².
    partial: f64,
    /// Σ |pₖ|.
    magnitude: f64,
}

/// The statistics of results `found` for the operands `first` and `second`, which is empty if the
/// operator has none.
pub fn measure(
    layout: &Layout,
    kind: Kind,
    dtype: DType,
    first: &[f64],
    second: &[f64],
    found: &[f64],
) -> Population {
    let (inner, outer) = (unit(dtype).min(unit(DType::Float)), unit(dtype));
    let divisor = if kind.divides() { layout.length as f64 } else { 1.0 };
    let (mut squares, mut signed, mut mean, mut not_finite) = (0.0, 0.0, 0.0, 0);
    for (index, found) in found.iter().enumerate() {
        if !found.is_finite() {
            not_finite += 1;
            continue;
        }
        let sum = sum(layout, kind, index, first, second);
        let exact = sum.exact.over(divisor);
        let (error, value) = (exact.error_of(*found), exact.value());
        let variance = (inner / divisor).powi(2) * sum.partial + (outer * value).powi(2);
        if variance == 0.0 {
            continue;
        }
        let (r, sign) = (error / variance.sqrt(), value.signum());
        squares += r * r;
        signed += r * sign;
        mean += error * sign * divisor / (outer * sum.magnitude);
    }
    let count = found.len() as f64;
    Population {
        sums: found.len(),
        length: layout.length,
        square: squares / count,
        bias: if squares == 0.0 {
            0.0
        } else {
            signed / squares.sqrt()
        },
        mean: mean / count,
        not_finite,
    }
}

fn sum(layout: &Layout, kind: Kind, index: usize, first: &[f64], second: &[f64]) -> Sum {
    let at = |operand: &[f64], place: usize| operand.get(place).copied().unwrap_or(0.0);
    let (mut exact, mut partial, mut magnitude) = (Wide::default(), 0.0, 0.0);
    for term in 0..layout.length {
        let (a, b) = layout.factors(index, term);
        let a = at(first, a);
        let b = match kind {
            Kind::ReduceSumSquare => a,
            Kind::ReduceSum | Kind::ReduceMean | Kind::GlobalAveragePool => 1.0,
            Kind::MatMul | Kind::Gemm | Kind::Einsum | Kind::Conv => at(second, b),
        };
        exact.add_product(a, b);
        partial += exact.value().powi(2) + (a * b).powi(2);
        magnitude += (a * b).abs();
    }
    Sum {
        exact,
        partial,
        magnitude,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accumulation::simulated::{Adder, Loss, Order, populations};
    use crate::accumulation::subject::Terms;

    /// Seeded trials: the fraction of populations of this adder that are not explained, for each
    /// kind of terms.
    fn alarms(adder: &Adder, dtype: DType, length: usize, trials: u64) -> Vec<(Terms, f64)> {
        [Terms::Signed, Terms::Positive, Terms::Wide]
            .into_iter()
            .map(|terms| {
                let all = populations(adder, dtype, terms, length, trials);
                let raised = all.filter(|found| found.verdict() != Verdict::Explained).count();
                (terms, raised as f64 / trials as f64)
            })
            .collect()
    }

    /// Correct sums: at most one alarm in a thousand populations. 18 kinds of populations of short
    /// sums, 200 trials each, and 30 populations of long ones: at most 3 of 3,630.
    #[test]
    fn correct_sums_raise_no_alarm() {
        let mut raised = 0.0;
        let float = Adder::FLOAT;
        for adder in [
            float,
            Adder {
                order: Order::Lanes(8),
                ..float
            },
            Adder {
                order: Order::Pairwise,
                ..float
            },
            Adder { fused: true, ..float },
            Adder { bits: 53, ..float },
        ] {
            for (_, share) in alarms(&adder, DType::Float, 16, 200) {
                raised += share * 200.0;
            }
        }
        for (_, share) in alarms(&float, DType::Float16, 16, 200) {
            raised += share * 200.0;
        }
        for (_, share) in alarms(&float, DType::Float, 1024, 10) {
            raised += share * 10.0;
        }
        assert!(
            raised <= 3.6,
            "{raised} alarms in 3630 populations of correct sums"
        );
    }

    /// At least 99 of 100 populations with a fault are found, with the terms that show it.
    #[track_caller]
    fn check(fault: &str, adder: &Adder, dtype: DType, length: usize) {
        const TRIALS: u64 = 100;
        let found = alarms(adder, dtype, length, TRIALS);
        let best = found.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        assert!(best >= 0.99, "{fault}, {dtype}, {length} terms: found {found:?}");
    }

    #[test]
    fn planted_faults_are_found() {
        let float = Adder::FLOAT;
        for length in [16, 64] {
            let truncating = Adder {
                toward_zero: true,
                ..float
            };
            check("partial sums are truncated", &truncating, DType::Float, length);
            let narrow = Adder { bits: 11, ..float };
            check("an accumulator of float16", &narrow, DType::Float, length);
            check("an accumulator of float16", &narrow, DType::Float16, 64);
            let small = Adder {
                loss: Loss::Below((-11_f64).exp2()),
                ..float
            };
            check("products below 2^-11 are dropped", &small, DType::Float, length);
            let term = Adder {
                loss: Loss::OneIn(1000),
                ..float
            };
            check("one term in a thousand is lost", &term, DType::Float, length);
            let factors = Adder {
                factor_bits: 11,
                ..float
            };
            check("factors of 11 bits (TF32)", &factors, DType::Float, length);
        }
    }

    /// Truncated sums stay within the bound of each element, γₙ·Σ|p|: only the population shows them.
    #[test]
    fn the_bound_of_an_element_does_not_show_truncation() {
        let adder = Adder {
            toward_zero: true,
            ..Adder::FLOAT
        };
        let population = populations(&adder, DType::Float, Terms::Wide, 64, 1).next();
        let population = population.expect("one trial");
        assert_ne!(population.verdict(), Verdict::Explained);
        let bound = population.length as f64;
        assert!(
            population.mean.abs() < 0.7 * bound,
            "{} of {bound}",
            population.mean
        );
    }
}
