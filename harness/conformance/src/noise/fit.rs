//! Fits a line from the reference's elements to a backend's, by least squares.

use run_record::Fit;

/// The line; `None` for fewer than three finite pairs, or if all expected elements are equal.
pub(super) fn line(right: &[f64], seen: &[f64]) -> Option<Fit> {
    let pairs = || {
        let pairs = right.iter().copied().zip(seen.iter().copied());
        pairs.filter(|(x, y)| x.is_finite() && y.is_finite())
    };
    let count = pairs().count() as f64;
    let (sum_x, sum_y) = pairs().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs() {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    if count < 3.0 || !(xx.is_normal() && xy.is_finite() && yy.is_finite()) {
        return None;
    }
    let slope = xy / xx;
    let intercept = mean_y - slope * mean_x;
    // Computed from the residuals: a difference of sums would lose them to rounding.
    let residuals: f64 = pairs()
        .map(|(x, y)| (y - mean_y) - slope * (x - mean_x))
        .map(|residual| residual * residual)
        .sum();
    Some(Fit {
        slope,
        slope_error: (residuals / (count - 2.0) / xx).sqrt(),
        intercept,
        r_squared: if yy > 0.0 { 1.0 - residuals / yy } else { 0.0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seen: impl Fn(f64) -> f64, slope: f64, intercept: f64) -> Fit {
        let right: Vec<f64> = (0..100).map(|n| f64::from(n) / 10.0 - 3.0).collect();
        let seen: Vec<f64> = right.iter().map(|x| seen(*x)).collect();
        let fit = line(&right, &seen).expect("a line");
        let near = |found: f64, wanted: f64| (found - wanted).abs() < 1e-3;
        assert!(
            near(fit.slope, slope) && near(fit.intercept, intercept),
            "{fit:?}"
        );
        fit
    }

    #[test]
    fn a_fault_of_scale_changes_the_slope_but_noise_does_not() {
        let scaled = check(|x| 1.01 * x + 2.0, 1.01, 2.0);
        assert!(scaled.slope_error < 1e-12 && scaled.r_squared > 1.0 - 1e-12);
        let noisy = check(|x| x + 1e-3 * (1e4 * x).sin(), 1.0, 0.0);
        assert!((noisy.slope - 1.0).abs() < 3.0 * noisy.slope_error, "{noisy:?}");
        assert!(noisy.r_squared < 1.0);
        check(|_| 7.0, 0.0, 7.0);
    }

    #[test]
    fn a_constant_has_no_line() {
        assert_eq!(line(&[1.0; 9], &[1.0; 9]), None);
        assert_eq!(line(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(line(&[1.0, f64::NAN, 2.0], &[1.0, 2.0, f64::NAN]), None);
    }
}
