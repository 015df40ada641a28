//! Outputs of which rounding decides the number of rows: what Compress, NonZero or NonMaxSuppression keeps.
//!
//! Honest runs keep other rows at the edge of the decision, so that places do not belong together. Each row
//! of an answer is held against the rows of all runs, and each row that all runs have against the answer.

use std::collections::HashSet;

use super::Spread;
use super::floor::unit;
use super::spread::{FINITE, kind};

/// The distance of rows, relative to the largest element, from which on they are two and no rounding is
/// between them.
const JUMP: f64 = 1e-3;

/// The limit of a row's distance, in multiples of the greatest of the runs.
const REACH: f64 = 4.0;

/// The most rows that a run may have elsewhere.
const EDITS: usize = 64;

/// The most comparisons of rows, which mostly differ in the first element.
const MOST: usize = 1 << 28;

/// The rows of the runs of an output.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rows {
    axis: usize,
    /// The largest magnitude of each element of a row; empty if elements must be equal.
    scale: Vec<f64>,
    /// The rows of the run without random rounding, in their order.
    right: Vec<Vec<f64>>,
    /// The rows of `right` that every run has.
    always: Vec<usize>,
    /// The rows of runs that are none of `right`.
    others: Vec<Vec<f64>>,
    /// The most rows that a run has and `right` has not, or the reverse.
    decided: usize,
    /// The greatest distance of a row that belongs to one of the runs.
    reach: f64,
    /// The most rows that a run has in addition, less, or in another place; `None` if there are many.
    edits: Option<usize>,
}

/// What the rows of the runs say about an answer.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Verdict {
    /// Each row is one of the runs, and no row is missing that all runs have.
    Right,
    /// More rows are none of the runs, or missing, than rounding decides.
    Wrong(String),
    /// Too little is known.
    Open,
}

impl Rows {
    /// `None` if the shapes of the runs differ in several axes or in rank, or the output is large.
    pub fn of(right: &Spread, runs: &[&Spread]) -> Option<Rows> {
        let shape = &right.shape;
        let parts = || runs.iter().flat_map(|spread| spread.parts());
        if parts().any(|part| part.shape.len() != shape.len()) {
            return None;
        }
        let differing = (0..shape.len()).filter(|axis| parts().any(|part| part.shape[*axis] != shape[*axis]));
        let [axis] = differing.collect::<Vec<usize>>()[..] else {
            return None;
        };
        let values = right.outcomes().first()?;
        let right_rows = rows(values, shape, axis);
        let others: Vec<Vec<Vec<f64>>> = parts()
            .flat_map(|part| part.outcomes().iter().map(|run| rows(run, &part.shape, axis)))
            .collect();
        let count: usize = others.iter().map(Vec::len).sum();
        if count.saturating_mul(right_rows.len()) > MOST {
            return None;
        }
        let unit = unit(right.dtype);
        let mut found = Rows {
            axis,
            scale: unit.map_or(Vec::new(), |_| scale(&right_rows)),
            always: (0..right_rows.len()).collect(),
            right: right_rows,
            others: Vec::new(),
            decided: 0,
            reach: 8.0 * unit.unwrap_or(0.0),
            edits: Some(0),
        };
        others.iter().for_each(|run| found.add(run));
        let edits = others.iter().map(|run| found.edits(run, found.reach, EDITS));
        found.edits = edits
            .collect::<Option<Vec<usize>>>()
            .map(|edits| edits.into_iter().max().unwrap_or(0));
        found.reach *= REACH;
        Some(found)
    }

    /// Adds the rows of a run.
    fn add(&mut self, run: &[Vec<f64>]) {
        let mut matched = HashSet::new();
        let mut new = 0;
        for row in run {
            match nearest(&self.scale, &self.right, row) {
                Some((place, apart)) if apart <= JUMP => {
                    self.reach = self.reach.max(apart);
                    matched.insert(place);
                }
                _ => {
                    new += 1;
                    self.others.push(row.clone());
                }
            }
        }
        self.decided = self.decided.max(new).max(self.right.len() - matched.len());
        self.always.retain(|place| matched.contains(place));
    }

    /// Judges an answer with the extents that `shape` says.
    pub fn judge(&self, observed: &[f64], shape: &[usize]) -> Verdict {
        let seen = rows(observed, shape, self.axis);
        let mut found = HashSet::new();
        let (mut is_near, mut strange) = (true, Vec::new());
        for (number, row) in seen.iter().enumerate() {
            let right = nearest(&self.scale, &self.right, row);
            let other = nearest(&self.scale, &self.others, row);
            let distances = [right, other].into_iter().flatten().map(|(_, apart)| apart);
            let apart = distances.fold(f64::INFINITY, f64::min);
            is_near &= apart <= self.reach;
            if apart > JUMP {
                strange.push(number);
            }
            found.extend(right.filter(|(_, apart)| *apart <= JUMP).map(|(place, _)| place));
        }
        let missing = self.always.iter().filter(|place| !found.contains(place)).count();
        if strange.len() + missing > 2 * self.decided + 2 {
            return Verdict::Wrong(self.why(&strange, seen.len(), missing));
        }
        let is_in_order = || {
            let most = self.edits.map(|edits| 2 * edits + 2);
            most.is_some_and(|most| self.edits(&seen, self.reach, most).is_some())
        };
        let is_known = missing == 0 && 2 * self.always.len() > seen.len();
        if is_near && is_known && is_in_order() {
            Verdict::Right
        } else {
            Verdict::Open
        }
    }

    fn why(&self, strange: &[usize], all: usize, missing: usize) -> String {
        let axis = self.axis;
        match strange {
            [first, ..] => format!(
                "{} of {all} rows along axis {axis} are those of no honest run, first row {first}",
                strange.len()
            ),
            [] => format!(
                "{missing} of the {} rows along axis {axis} that all honest runs have are missing",
                self.always.len()
            ),
        }
    }

    /// The number of rows that are to be taken out of `run` or put in, so that it is the right answer; `None`
    /// if there are more than `most`, which the runs do not show.
    fn edits(&self, run: &[Vec<f64>], reach: f64, most: usize) -> Option<usize> {
        let none = most + 1;
        // The least number for the rows so far and each number of right ones, near the diagonal (E. Ukkonen,
        // *Algorithms for Approximate String Matching*, 1985).
        let mut before: Vec<usize> = (0..=self.right.len()).map(|taken| taken.min(none)).collect();
        for (number, row) in run.iter().enumerate() {
            let mut after = vec![none; before.len()];
            let band = (number + 1).saturating_sub(most)..=(number + 1 + most).min(self.right.len());
            for place in band {
                let put_in = before[place] + 1;
                let left_out = if place > 0 { after[place - 1] + 1 } else { none };
                let is_same = |place: usize| apart(&self.scale, &self.right[place], row) <= reach;
                let same = place
                    .checked_sub(1)
                    .filter(|place| before[*place] < none && is_same(*place));
                let same = same.map_or(none, |place| before[place]);
                after[place] = put_in.min(left_out).min(same).min(none);
            }
            before = after;
        }
        before.last().copied().filter(|edits| *edits <= most)
    }
}

/// The slices of an output along an axis.
fn rows(values: &[f64], shape: &[usize], axis: usize) -> Vec<Vec<f64>> {
    let extent = shape.get(axis).copied().unwrap_or(0);
    let inner: usize = shape.iter().skip(axis + 1).product::<usize>().max(1);
    let mut rows = vec![Vec::new(); extent];
    for (at, part) in values.chunks(inner).enumerate() {
        if let Some(row) = rows.get_mut(at % extent.max(1)) {
            row.extend_from_slice(part);
        }
    }
    rows
}

/// The largest magnitude at each place of a row.
fn scale(rows: &[Vec<f64>]) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    let largest = |column: usize| {
        let finite = rows
            .iter()
            .map(|row| row[column].abs())
            .filter(|value| value.is_finite());
        finite.fold(f64::MIN_POSITIVE, f64::max)
    };
    (0..width).map(largest).collect()
}

/// The greatest distance of two rows at a place, relative to the scale there; infinite if they must be equal
/// and are not.
fn apart(scale: &[f64], a: &[f64], b: &[f64]) -> f64 {
    let mut greatest: f64 = 0.0;
    for (place, (a, b)) in a.iter().zip(b).enumerate() {
        let distance = match scale.get(place) {
            _ if a == b || a.is_nan() && b.is_nan() => 0.0,
            Some(scale) if kind(*a) == FINITE && kind(*b) == FINITE => (a - b).abs() / scale,
            _ => f64::INFINITY,
        };
        greatest = greatest.max(distance);
        if greatest > JUMP {
            return greatest;
        }
    }
    greatest
}

/// The nearest of some rows, with its distance.
fn nearest(scale: &[f64], rows: &[Vec<f64>], row: &[f64]) -> Option<(usize, f64)> {
    let distances = rows.iter().map(|other| apart(scale, other, row)).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::*;

    fn spread(rows: &[[f32; 2]]) -> Spread {
        let values: Vec<f32> = rows.iter().flatten().copied().collect();
        let tensor = Tensor::new(&[rows.len(), 2], values).expect("rows");
        Spread::of(&tensor).expect("floats")
    }

    /// Twelve rows, of which one run has not the third, and another has one more.
    fn known() -> (Vec<[f32; 2]>, Rows) {
        let all: Vec<[f32; 2]> = (0..12)
            .map(|row| [row as f32, 100.0 - 3.0 * row as f32])
            .collect();
        let (mut less, mut more) = (all.clone(), all.clone());
        less.remove(3);
        more.insert(7, [55.0, 5.0]);
        more[2][0] += 2e-6;
        let runs = spread(&less).join(&spread(&more)).expect("one type");
        let found = Rows::of(&spread(&all), &[&runs]).expect("rows of two extents");
        (all, found)
    }

    #[track_caller]
    fn check(change: impl Fn(&mut Vec<[f32; 2]>), wanted: impl Fn(&Verdict) -> bool) {
        let (mut rows, known) = known();
        change(&mut rows);
        let values: Vec<f64> = rows.iter().flatten().map(|value| f64::from(*value)).collect();
        let found = known.judge(&values, &[rows.len(), 2]);
        assert!(wanted(&found), "{found:?}");
    }

    #[test]
    fn rows_of_the_runs_are_right() {
        let right = |found: &Verdict| *found == Verdict::Right;
        check(|_| {}, right);
        check(|rows| rows.retain(|row| row[0] != 3.0), right);
        check(|rows| rows.insert(7, [55.0, 5.0]), right);
        check(|rows| rows[4][1] += 1e-5, right);
    }

    #[test]
    fn other_rows_are_wrong_if_they_are_many() {
        let wrong = |found: &Verdict| matches!(found, Verdict::Wrong(_));
        let open = |found: &Verdict| *found == Verdict::Open;
        check(|rows| rows.iter_mut().for_each(|row| row[1] = -row[1]), wrong);
        check(|rows| rows.truncate(6), wrong);
        check(|rows| rows[5][0] = 77.0, open);
        check(|rows| rows.reverse(), open);
        check(|rows| rows.iter_mut().for_each(|row| row[1] *= 1.0005), open);
    }

    #[test]
    fn rows_are_slices_along_the_axis_of_several_extents() {
        let of = |shape: &[usize], values: Vec<i64>| {
            Spread::of(&Tensor::new(shape, values).expect("a tensor")).expect("integers")
        };
        let right = of(&[2, 3], vec![0, 1, 2, 10, 11, 12]);
        let other = of(&[2, 2], vec![0, 2, 10, 12]);
        let rows = Rows::of(&right, &[&other]).expect("rows");
        assert_eq!(rows.judge(&[0.0, 2.0, 10.0, 12.0], &[2, 2]), Verdict::Right);
        assert_eq!(rows.judge(&[0.0, 2.0, 12.0, 10.0], &[2, 2]), Verdict::Open);
        for (shape, values) in [(vec![1, 2], vec![0, 2]), (vec![2], vec![0, 2])] {
            assert_eq!(Rows::of(&right, &[&of(&shape, values)]), None, "{shape:?}");
        }
    }
}
