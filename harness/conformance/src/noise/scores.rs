//! Compares the classes that a backend chooses with those of the reference.
//!
//! Scores of classes are recognised as follows: rows of at least two elements along the last axis (in
//! rank 3 and more, trailing axes of extent 1 are ignored). They are probabilities (none negative, and
//! each row's sum is 1 within 0.1 %) or, if at most one other axis is longer than 1, anything else:
//! logits. A vector of features has the same form; comparing its largest element is harmless.

use std::cmp::Ordering;

use run_record::Scores;

use super::Floor;
use super::attach::multiple;
use super::quantiles::reach;

/// The maximum deviation from 1 of the sum of a row of probabilities.
const SUM: f64 = 1e-3;

/// The number of best classes that are compared, in addition to the best one.
const BEST: usize = 5;

/// The classes that the reference and a backend choose; `None` if the output does not have the form of
/// scores.
pub(super) fn compare(floor: &Floor, observed: &[f64]) -> Option<Scores> {
    let classes = classes(floor)?;
    // A larger margin is more than noise.
    let reach = reach(f64::from(floor.summary.runs), 1)?;
    let mut found = Scores {
        classes: classes as u64,
        top5: (classes > BEST).then_some(0),
        margin: f64::INFINITY,
        ..Scores::default()
    };
    let rows = floor
        .center
        .chunks_exact(classes)
        .zip(floor.sigma.chunks_exact(classes));
    for ((right, sigma), seen) in rows.zip(observed.chunks_exact(classes)) {
        // NaN has no order.
        if right.iter().any(|x| x.is_nan()) {
            continue;
        }
        found.rows += 1;
        row(&mut found, right, sigma, seen, reach);
    }
    (found.rows > 0).then_some(found)
}

fn row(found: &mut Scores, right: &[f64], sigma: &[f64], seen: &[f64], reach: f64) {
    let (wanted, chosen) = (best(right), best(seen));
    let (Some(&first), Some(&other)) = (wanted.first(), chosen.first()) else {
        return;
    };
    // The difference of two of the reference's scores, in multiples of its noise.
    let margin = |a: usize, b: usize| {
        let noise = sigma[a].hypot(sigma[b]);
        multiple(right[a] - right[b], if noise.is_nan() { 0.0 } else { noise })
    };
    if let Some(&second) = wanted.get(1) {
        found.margin = found.margin.min(margin(first, second));
    }
    if first == other {
        found.top1 += 1
    } else if seen[other].is_nan() || margin(first, other) > reach {
        found.flips_beyond += 1
    } else {
        found.flips_within += 1
    }
    if let Some(same) = &mut found.top5 {
        *same += u64::from(wanted.iter().all(|class| chosen.contains(class)));
    }
}

/// The best classes, best first; of equal ones the first, like ArgMax. NaN is last.
fn best(scores: &[f64]) -> Vec<usize> {
    let order = |&a: &usize, &b: &usize| {
        let (x, y) = (scores[a], scores[b]);
        let by_number = y.partial_cmp(&x).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()));
        by_number.then(a.cmp(&b))
    };
    let mut classes: Vec<usize> = (0..scores.len()).collect();
    if classes.len() > BEST {
        classes.select_nth_unstable_by(BEST, order);
        classes.truncate(BEST);
    }
    classes.sort_by(|a, b| match order(a, b) {
        Ordering::Equal => a.cmp(b),
        unequal => unequal,
    });
    classes
}

/// Whether a row can be probabilities.
pub(super) fn probable(row: &[f64]) -> bool {
    row.iter().all(|x| *x >= 0.0) && (row.iter().sum::<f64>() - 1.0).abs() <= SUM
}

/// The length of a row of scores.
fn classes(floor: &Floor) -> Option<usize> {
    let mut shape = floor.shape.as_slice();
    while let [axes @ .., 1] = shape
        && axes.len() >= 2
    {
        shape = axes;
    }
    let (&classes, axes) = shape.split_last().filter(|(classes, _)| **classes >= 2)?;
    let rows = axes.iter().filter(|extent| **extent != 1).count();
    let probabilities = floor.center.chunks_exact(classes).all(probable);
    (probabilities || rows <= 1).then_some(classes)
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use onnx_tensor::DType;
    use run_record::NoiseFloor;

    use super::*;

    fn floor(shape: &[usize], center: &[f64], sigma: f64) -> Floor {
        Floor {
            center: center.to_vec(),
            anchor: center.to_vec(),
            sigma: vec![sigma; center.len()],
            kinds: vec![1; center.len()],
            exact: false,
            unmoved: false,
            outcomes: Vec::new(),
            integers: Vec::new(),
            reach: 4.0,
            together: f64::INFINITY,
            dtype: DType::Float,
            shape: shape.to_vec(),
            summary: NoiseFloor {
                runs: 8,
                ..NoiseFloor::default()
            },
        }
    }

    #[test]
    fn outputs_with_the_form_of_scores_are_recognised() {
        for (shape, value, classes) in [
            (vec![2, 10], 7.0, Some(10)),
            (vec![1, 10, 1, 1], 7.0, Some(10)),
            (vec![3, 2, 10], 0.1, Some(10)),
            (vec![3, 2, 10], 7.0, None),
            (vec![3, 2, 10], -0.1, None),
            (vec![3, 1], 1.0, None),
            (vec![1, 1], 1.0, None),
            (vec![0, 10], 1.0, None),
        ] {
            let count = shape.iter().product();
            let found = compare(&floor(&shape, &vec![value; count], 0.1), &vec![value; count]);
            assert_eq!(found.map(|found| found.classes), classes, "{shape:?} of {value}");
        }
    }

    /// A row of six elements with the best class 2, by 0.1 over class 4.
    #[test]
    fn flips_differ_from_noise_by_the_margin() {
        let right = [0.0, 1.0, 5.0, 2.0, 4.9, 3.0];
        let flipped = [0.0, 1.0, 4.9, 2.0, 5.0, 3.0];
        let check = |sigma, seen: &[f64]| compare(&floor(&[1, 6], &right, sigma), seen).expect("scores");
        let same = check(0.1, &right);
        assert_eq!((same.top1, same.top5, same.flips()), (1, Some(1), 0));
        assert_abs_diff_eq!(same.margin, 0.1 / 0.02_f64.sqrt(), epsilon = 1e-9);
        let noise = check(0.1, &flipped);
        assert_eq!(
            (noise.top1, noise.top5, noise.flips_within, noise.flips_beyond),
            (0, Some(1), 1, 0)
        );
        let fault = check(0.01, &flipped);
        assert_eq!((fault.flips_within, fault.flips_beyond), (0, 1));
        let far = check(0.1, &[9.0, 1.0, 5.0, 2.0, 4.9, 3.0]);
        assert_eq!((far.top5, far.flips_beyond), (Some(0), 1));
        let broken = check(0.1, &[f64::NAN; 6]);
        assert_eq!((broken.top1, broken.flips_beyond), (0, 1));
    }

    #[test]
    fn of_equal_scores_the_first_is_best() {
        assert_eq!(best(&[1.0, 3.0, 3.0, f64::NAN]), [1, 2, 0, 3]);
        assert_eq!(best(&[1.0; 8])[0], 0);
    }
}
