//! Change points of counts.
//!
//! The verdicts of a run are no measurement with noise: a count that differs from that of the run before
//! has changed, however few runs there are on each side. Only a series that keeps going up and down, as
//! cases of a race do, is treated like a measurement ([`change_points`]).

use crate::change_points::{Shift, change_points};

/// The fewest differences of a series that can be restless.
const FEW: usize = 6;

/// The change points of counts, in their order.
pub(crate) fn steps(counts: &[f64]) -> Vec<Shift> {
    if is_restless(counts) {
        change_points(counts)
    } else {
        changes(counts).map(|at| Shift { at, p: 0.0 }).collect()
    }
}

/// The places whose count differs from the one before.
fn changes(counts: &[f64]) -> impl Iterator<Item = usize> {
    let pairs = counts.windows(2).enumerate();
    pairs
        .filter(|(_, pair)| pair[0] != pair[1])
        .map(|(before, _)| before + 1)
}

/// Whether more than two thirds of the runs differ from the one before, and most differences undo the one
/// before.
fn is_restless(counts: &[f64]) -> bool {
    let differences: Vec<f64> = changes(counts).map(|at| counts[at] - counts[at - 1]).collect();
    let turns = differences
        .windows(2)
        .filter(|pair| (pair[0] < 0.0) != (pair[1] < 0.0))
        .count();
    let runs = counts.len().saturating_sub(1);
    runs >= FEW && 3 * differences.len() > 2 * runs && 2 * turns > differences.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(counts: &[f64], expected: &[usize]) {
        let places: Vec<usize> = steps(counts).iter().map(|shift| shift.at).collect();
        assert_eq!(places, expected, "{counts:?}");
    }

    #[test]
    fn every_difference_of_counts_is_a_change() {
        check(&[], &[]);
        check(&[314.0], &[]);
        check(&[314.0; 20], &[]);
        check(&[205.0, 28.0], &[1]);
        check(&[205.0, 160.0, 90.0, 41.0, 28.0], &[1, 2, 3, 4]);
        check(&[314.0, 314.0, 314.0, 314.0, 288.0, 288.0, 288.0], &[4]);
        // One more run does not hide a change.
        check(&[314.0, 314.0, 314.0, 314.0, 288.0, 288.0, 288.0, 314.0], &[4, 7]);
        check(
            &[314.0, 314.0, 288.0, 314.0, 314.0, 288.0, 288.0, 314.0],
            &[2, 3, 5, 7],
        );
    }

    /// A case that passes in every second run: what changes between two runs is no news.
    #[test]
    fn a_count_that_keeps_going_up_and_down_is_a_measurement() {
        let restless = |low: f64, count: usize| (0..count).map(move |run| low + (run % 2) as f64);
        let counts: Vec<f64> = restless(300.0, 12).collect();
        check(&counts, &[]);
        let counts: Vec<f64> = restless(300.0, 10).chain(restless(280.0, 10)).collect();
        check(&counts, &[10]);
    }
}
