//! Bounds of the centre of paired differences, by Wilcoxon's signed-rank test (Hodges and Lehmann, 1963).

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::Bounds;

/// The median of the Walsh averages (the means of all pairs of values, including each value with
/// itself), with a lower bound that is above the centre with a probability of at most `alpha`, and an
/// upper bound that is below it with a probability of at most `beta`. `None` if the values are too few
/// for such bounds.
pub(super) fn bounds(values: &[f64], alpha: f64, beta: f64) -> Option<Bounds> {
    let low = place(values.len(), alpha)?;
    let high = place(values.len(), beta)?;
    let mut averages: Vec<f64> = values
        .iter()
        .enumerate()
        .flat_map(|(index, a)| values.iter().take(index + 1).map(move |b| f64::midpoint(*a, *b)))
        .collect();
    let last = averages.len().checked_sub(1)?;
    let mut nth = |place: usize| *averages.select_nth_unstable_by(place, f64::total_cmp).1;
    Some(Bounds {
        estimate: f64::midpoint(nth(last / 2), nth(last.div_ceil(2))),
        low: nth(low),
        high: nth(last - high),
    })
}

/// The number of the smallest Walsh averages that may be below the lower bound. The bound is wrong if
/// the statistic (the number of averages above the centre, on the other side) is at most this number;
/// the probability of that is at most `level`.
fn place(count: usize, level: f64) -> Option<usize> {
    // The distribution takes time in O(count³), and every gate needs the same values.
    static KNOWN: Mutex<BTreeMap<(usize, u64), Option<usize>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known
        .entry((count, level.to_bits()))
        .or_insert_with(|| new_place(count, level))
}

fn new_place(count: usize, level: f64) -> Option<usize> {
    let mut total = 0.0;
    let likely = distribution(count).into_iter().position(|probability| {
        total += probability;
        total > level
    });
    // The statistic is below `likely` with a probability of at most `level`, so that `likely` − 1
    // averages may be excluded.
    likely?.checked_sub(1)
}

/// The distribution of the sum of those ranks from 1 to `count` that have a positive sign, each with
/// probability ½.
fn distribution(count: usize) -> Vec<f64> {
    let mut probabilities = vec![1.0];
    for rank in 1..=count {
        let mut next = vec![0.0; probabilities.len() + rank];
        for (sum, probability) in probabilities.iter().enumerate() {
            next[sum] += 0.5 * probability;
            next[sum + rank] += 0.5 * probability;
        }
        probabilities = next;
    }
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_agrees_with_published_tables() {
        // There are 2⁵ sign patterns of the ranks 1 to 5; the sums 0 to 4 occur in 1, 1, 1, 2, 2 of
        // them.
        let found: Vec<f64> = distribution(5).iter().map(|p| p * 32.0).collect();
        assert_eq!(found[..5], [1.0, 1.0, 1.0, 2.0, 2.0]);
        assert_eq!(found.len(), 16);
        // Published critical values of W, one-sided: n = 10 at 5 % is 10, at 1 % is 5; n = 20
        // at 5 % is 60, at 1 % is 43.
        for (count, level, critical) in [(10, 0.05, 10), (10, 0.01, 5), (20, 0.05, 60), (20, 0.01, 43)] {
            assert_eq!(place(count, level), Some(critical), "{count} at {level}");
        }
        assert_eq!(place(3, 0.05), None);
    }

    #[test]
    fn bounds_are_walsh_averages() {
        // Values 1 to 5: the 15 averages are 1, 1.5, 2, 2, 2.5, 2.5, 3, 3, 3, 3.5, 3.5, 4, 4, 4.5
        // and 5. At 1/16 the statistic may be 1.
        let values = [5.0, 1.0, 3.0, 2.0, 4.0];
        let found = bounds(&values, 0.0625, 0.0625).unwrap();
        assert_eq!(
            found,
            Bounds {
                estimate: 3.0,
                low: 1.5,
                high: 4.5
            }
        );
        assert_eq!(bounds(&values, 0.01, 0.0625), None);
        assert_eq!(bounds(&[], 0.1, 0.1), None);
    }
}
