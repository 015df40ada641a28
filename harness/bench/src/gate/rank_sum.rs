//! Bounds of the shift between two samples, by the rank-sum test of Mann, Whitney and Wilcoxon (Hodges
//! and Lehmann, 1963).

use statrs::distribution::{ContinuousCDF, Normal};

use super::Bounds;

/// The median of all differences new − old, with bounds like those of [`super::signed_rank::bounds`].
/// `None` for too few values.
///
/// The distribution of the statistic is approximated by the normal distribution. Its tail is heavier, so
/// that the bounds are slightly wide.
pub(super) fn bounds(new: &[f64], old: &[f64], alpha: f64, beta: f64) -> Option<Bounds> {
    let low = place(new.len(), old.len(), alpha)?;
    let high = place(new.len(), old.len(), beta)?;
    let mut differences: Vec<f64> = new
        .iter()
        .flat_map(|new| old.iter().map(move |old| new - old))
        .collect();
    differences.sort_unstable_by(f64::total_cmp);
    let last = differences.len().checked_sub(1)?;
    Some(Bounds {
        estimate: f64::midpoint(differences[last / 2], differences[last.div_ceil(2)]),
        low: *differences.get(low)?,
        high: *differences.get(last.checked_sub(high)?)?,
    })
}

/// The number of the smallest differences below the lower bound.
fn place(new: usize, old: usize, level: f64) -> Option<usize> {
    let (new, old) = (new as f64, old as f64);
    let deviation = (new * old * (new + old + 1.0) / 12.0).sqrt();
    let quantile = new * old / 2.0 - Normal::standard().inverse_cdf(1.0 - level) * deviation - 0.5;
    (quantile >= 0.0).then_some(quantile as usize)
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use super::*;

    #[test]
    fn places_agree_with_published_tables() {
        // Published critical values of U, one-sided: 10 and 10 at 5 % is 27, at 1 % is 19; 20 and
        // 20 at 1 % is 114.
        for (new, old, level, critical) in [(10, 10, 0.05, 27), (10, 10, 0.01, 19), (20, 20, 0.01, 114)] {
            let found = place(new, old, level).unwrap();
            assert!(
                (critical - 1..=critical).contains(&found),
                "{new}, {old}: {found}"
            );
        }
        assert_eq!(place(3, 3, 0.01), None);
    }

    #[test]
    fn a_shift_lies_within_its_bounds() {
        let old: Vec<f64> = (0..12).map(|x| f64::from(x) / 100.0).collect();
        let new: Vec<f64> = old.iter().map(|x| x + 1.0).collect();
        let found = bounds(&new, &old, 0.01, 0.01).unwrap();
        assert_abs_diff_eq!(found.estimate, 1.0, epsilon = 1e-12);
        assert!(
            found.low < 1.0 && found.low > 0.9 && found.high > 1.0 && found.high < 1.1,
            "{found:?}"
        );
        assert_eq!(bounds(&new[..2], &old[..2], 0.01, 0.01), None);
    }
}
