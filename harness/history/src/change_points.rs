//! Change points of a series: the places where its mean shifts.
//!
//! Candidates come from E-divisive means (Matteson and James, "A nonparametric approach for
//! multiple change point analysis of multivariate data", JASA 109, 2014): a segment is cut where
//! the energy distance between both parts is largest, then each part again. A cut counts if
//! Student's t-test says so, and cuts that do not hold between their neighbours are taken back, the
//! weakest first. This is the form of Apache Otava (Fleming et al., "Hunter: using change point
//! detection to hunt for performance regressions", ICPE 2023), which replaces permutations by the
//! t-test and also looks through windows, so that a short shift in a long series is found.
//!
//! The test of a place is held against [`SIGNIFICANCE`] divided by the number of places
//! (Bonferroni). Of series of normal noise without a change at most 1 % have a change point, of
//! skewed noise at most 2 %; where 5 % of the values are far outliers, up to 11 % of series of 500
//! values (three outliers in a row look like a change). A test of this module measures these rates.

use std::collections::BTreeSet;
use std::ops::Range;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The significance of a change point, over all places of a series.
const SIGNIFICANCE: f64 = 0.003;

/// The significance of a candidate at its place: one edge of a short shift is weak until the other
/// edge is found.
const CANDIDATE: f64 = 0.03;

/// The fewest values on each side: one or two values that differ are outliers.
const LEAST: usize = 3;

/// The length of the windows; the next one begins half a window later.
const WINDOW: usize = 50;

/// A place where a series changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// The first value after the change.
    pub at: usize,
    /// The probability that both sides, up to the neighbouring changes, have the same mean
    /// (Student's t-test, equal variances).
    pub p: f64,
}

/// The change points of a series, in its order. All values must be finite; a series that has
/// another has none.
pub fn change_points(values: &[f64]) -> Vec<Shift> {
    let Some(&first) = values
        .first()
        .filter(|_| values.iter().all(|value| value.is_finite()))
    else {
        return Vec::new();
    };
    // A constant series is exactly zero then.
    let values: Vec<f64> = values.iter().map(|value| value - first).collect();
    let mut cuts = BTreeSet::new();
    candidates(&values, 0, &mut cuts);
    for start in (0..values.len())
        .step_by(WINDOW / 2)
        .filter(|_| values.len() > WINDOW)
    {
        let end = values.len().min(start + WINDOW);
        candidates(&values[start..end], start, &mut cuts);
    }
    let mut cuts: Vec<usize> = cuts.into_iter().collect();
    let limit = SIGNIFICANCE / values.len() as f64;
    take_back(&values, &mut cuts, limit);
    place_best(&values, &mut cuts);
    take_back(&values, &mut cuts, limit)
}

/// Adds the cuts of a segment that begins at `start` of the series.
fn candidates(segment: &[f64], start: usize, cuts: &mut BTreeSet<usize>) {
    let mut open = vec![(0, segment.len())];
    while let Some((from, to)) = open.pop() {
        let part = &segment[from..to];
        let Some(cut) = best_cut(part) else { continue };
        if p_value(&part[..cut], &part[cut..]) < CANDIDATE {
            cuts.insert(start + from + cut);
            open.extend([(from, from + cut), (from + cut, to)]);
        }
    }
}

/// Takes back the cut that is least certain between its neighbours until all hold; gives those that are left.
fn take_back(values: &[f64], cuts: &mut Vec<usize>, limit: f64) -> Vec<Shift> {
    loop {
        let shifts: Vec<Shift> = (0..cuts.len())
            .map(|place| {
                let Range { start, end } = between(cuts, place, values.len());
                let at = cuts[place];
                let p = p_value(&values[start..at], &values[at..end]);
                Shift { at, p }
            })
            .collect();
        let weakest = shifts
            .iter()
            .enumerate()
            .max_by(|(_, a), (_, b)| a.p.total_cmp(&b.p));
        match weakest {
            Some((place, weakest)) if weakest.p >= limit => drop(cuts.remove(place)),
            _ => return shifts,
        }
    }
}

/// Moves each cut to the best place between its neighbours: windows and early cuts see only a part
/// of both sides.
fn place_best(values: &[f64], cuts: &mut [usize]) {
    for place in 0..cuts.len() {
        let Range { start, end } = between(cuts, place, values.len());
        if let Some(cut) = best_cut(&values[start..end]) {
            cuts[place] = start + cut;
        }
    }
}

/// From the cut before to the cut behind.
fn between(cuts: &[usize], place: usize, length: usize) -> Range<usize> {
    let start = place.checked_sub(1).map_or(0, |before| cuts[before]);
    start..cuts.get(place + 1).copied().unwrap_or(length)
}

/// Where the energy distance between both parts is largest; none of a segment that is too short to
/// be cut.
///
/// With m and n values in the parts it is (m·n / (m+n)) · (2·E|X−Y| − E|X−X′| − E|Y−Y′|), the means
/// over pairs of different values.
fn best_cut(values: &[f64]) -> Option<usize> {
    let distances = |of: f64, others: &[f64]| others.iter().map(|other| (of - other).abs()).sum::<f64>();
    let pairs = |count: f64| count * (count - 1.0) / 2.0;
    // Sums over pairs across the cut, before it and behind it.
    let (mut across, mut before) = (0.0, 0.0);
    let mut behind: f64 = (0..values.len())
        .map(|at| distances(values[at], &values[at + 1..]))
        .sum();
    let mut best: Option<(usize, f64)> = None;
    for (at, &value) in values.iter().enumerate() {
        let (to_left, to_right) = (
            distances(value, &values[..at]),
            distances(value, &values[at + 1..]),
        );
        across += to_right - to_left;
        before += to_left;
        behind -= to_right;
        let cut = at + 1;
        if cut < LEAST || values.len() - cut < LEAST {
            continue;
        }
        let (m, n) = (cut as f64, (values.len() - cut) as f64);
        let energy = 2.0 * across / (m * n) - before / pairs(m) - behind / pairs(n);
        let energy = energy * m * n / (m + n);
        if best.is_none_or(|(_, most)| energy > most) {
            best = Some((cut, energy));
        }
    }
    best.map(|(cut, _)| cut)
}

/// The two-sided p-value of Student's t-test with a pooled variance; 1 where a side is too short.
fn p_value(left: &[f64], right: &[f64]) -> f64 {
    if left.len() < LEAST || right.len() < LEAST {
        return 1.0;
    }
    let (m, n) = (left.len() as f64, right.len() as f64);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let squares = |values: &[f64], mean: f64| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let (left_mean, right_mean) = (mean(left), mean(right));
    let freedom = m + n - 2.0;
    let variance = (squares(left, left_mean) + squares(right, right_mean)) / freedom;
    let difference = (left_mean - right_mean).abs();
    if variance == 0.0 {
        return if difference == 0.0 { 1.0 } else { 0.0 };
    }
    let t = difference / (variance * (1.0 / m + 1.0 / n)).sqrt();
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| 2.0 * student.sf(t))
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use rand::prelude::*;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Normally distributed noise with standard deviation 1 (Box and Muller).
    fn noise(random: &mut ChaCha8Rng, count: usize) -> Vec<f64> {
        let one = |_| {
            let (a, b) = (1.0 - random.random::<f64>(), random.random::<f64>());
            (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
        };
        (0..count).map(one).collect()
    }

    fn places(values: &[f64]) -> Vec<usize> {
        change_points(values).iter().map(|shift| shift.at).collect()
    }

    #[track_caller]
    fn check(parts: &[(usize, f64)], expected: &[usize]) {
        let part = |&(count, value): &(usize, f64)| std::iter::repeat_n(value, count);
        let values: Vec<f64> = parts.iter().flat_map(part).collect();
        assert_eq!(places(&values), expected, "{parts:?}");
    }

    #[test]
    fn a_step_without_noise_is_found_exactly() {
        check(&[], &[]);
        check(&[(1, 5.0)], &[]);
        check(&[(500, 1724.0)], &[]);
        check(&[(3, 1724.0), (3, 1726.0)], &[3]);
        check(&[(10, 1724.0), (7, 1726.0), (20, 1700.0)], &[10, 17]);
        check(&[(200, 0.1), (5, 0.2), (200, 0.1)], &[200, 205]);
        // Too few to tell from outliers.
        check(&[(10, 5.0), (2, 6.0)], &[]);
        check(&[(10, 5.0), (1, 6.0), (10, 5.0)], &[]);
        check(&[(3, f64::NAN), (3, 1.0)], &[]);
    }

    /// The p-value of [1, 2, 3] and [4, 5, 6]: t² = 3² / (1 · 2/3) = 13.5 with 4 degrees of
    /// freedom. For 4 degrees the two-sided tail has a closed form: with x = t² / (4 + t²) = 13.5 /
    /// 17.5 it is 1 − √x · (3 − x) / 2 = 1 − 0.878310 · 1.114286 = 0.021312.
    #[test]
    fn the_test_is_students() {
        let p = p_value(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]);
        assert_abs_diff_eq!(p, 0.021_312, epsilon = 1e-6);
        assert_eq!(p_value(&[1.0, 2.0], &[4.0, 5.0, 6.0]), 1.0);
    }

    /// Energy of the cut of [0, 0, 0, 1, 1, 1] in the middle: (9/6) · (2·1 − 0 − 0) = 3; at no
    /// other place is it as large.
    #[test]
    fn a_segment_is_cut_where_its_parts_differ_most() {
        assert_eq!(best_cut(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), Some(3));
        assert_eq!(best_cut(&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), Some(4));
        assert_eq!(best_cut(&[0.0; 5]), None);
    }

    /// A seeded draw of 1,000 series without a change: at most `per_mille` of them may have a change point.
    #[track_caller]
    fn check_alarms(bend: fn(f64) -> f64, rows: &[(usize, usize)]) {
        for &(count, per_mille) in rows {
            let mut random = ChaCha8Rng::seed_from_u64(17);
            let alarms = (0..1000).filter(|_| {
                let values: Vec<f64> = noise(&mut random, count).into_iter().map(bend).collect();
                !change_points(&values).is_empty()
            });
            let alarms = alarms.count();
            assert!(alarms <= per_mille, "{count} values: {alarms} of 1000");
        }
    }

    #[test]
    fn normal_noise_has_no_change_point() {
        check_alarms(|z| z, &[(10, 10), (40, 10), (100, 10), (200, 10)]);
    }

    /// Medians of latencies are skewed: logarithmic normal, with a spread of 30 %.
    #[test]
    fn skewed_noise_has_hardly_a_change_point() {
        check_alarms(|z| (0.3 * z).exp(), &[(10, 20), (40, 20), (100, 20), (200, 20)]);
    }

    /// 5 % of the values are five standard deviations from the mean.
    #[test]
    fn noise_with_outliers_seldom_has_a_change_point() {
        check_alarms(
            |z| if z > 1.645 { z + 5.0 } else { z },
            &[(10, 10), (40, 30), (100, 50), (200, 80)],
        );
    }

    /// A planted shift of 5 % in noise of 1 % or 2 % is found within two runs of its place.
    #[test]
    fn a_planted_change_is_found() {
        for (spread, before, behind) in [(0.01, 20, 10), (0.02, 40, 40), (0.01, 300, 8)] {
            let mut random = ChaCha8Rng::seed_from_u64(18);
            let series = 200;
            let found = (0..series).filter(|_| {
                let mut values: Vec<f64> = noise(&mut random, before + behind)
                    .into_iter()
                    .map(|z| spread * z)
                    .collect();
                values[before..]
                    .iter_mut()
                    .for_each(|value| *value += 1.05_f64.ln());
                places(&values).iter().any(|at| at.abs_diff(before) <= 2)
            });
            let found = found.count();
            assert!(
                found * 100 >= series * 95,
                "{spread}, {before}, {behind}: {found} of {series}"
            );
        }
    }
}
