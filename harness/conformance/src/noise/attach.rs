//! Compares a backend's outputs with the model's noise.

use backend_api::Named;
use harness_compare::leaves;
use run_record::{Deviation, Explanation, Judgement, Level, Noise, OutputStats};

use super::floor::{digits, unit};
use super::judge::judge;
use super::texts::scientific;
use super::{Evidence, Floor, fit, median, overlap, scores};

/// The mean relative error that no noise of a model with a significant digit explains.
const GROSS: f64 = 0.1;

/// Adds the judgement, and for floats the comparison with the noise, to the statistics of each output. An
/// output without evidence, or with another type or shape than the reference's, is unchanged.
pub fn attach(outputs: &mut [OutputStats], observed: &[Named], evidence: &Evidence) {
    let observed = leaves(observed);
    for stats in outputs {
        let random = evidence.unspecified.as_ref();
        if let Some(open) = random.filter(|open| open.shapes.contains(&stats.name)) {
            let explanation = Explanation::Open(format!("its shape is not determined: {}", open.reason));
            stats.judgement = Some(Box::new(Judgement::of(explanation)));
            continue;
        }
        let tensor = observed.iter().find(|(name, _)| *name == stats.name);
        if let Some((shapes, (_, tensor))) = evidence.shapes.get(&stats.name).zip(tensor) {
            let is_equal = stats.unequal == 0 && shapes.is_right(tensor.shape());
            let explanation = if is_equal {
                Explanation::Equal
            } else {
                shapes.explanation(tensor, evidence.preliminary)
            };
            stats.judgement = Some(Box::new(Judgement::of(explanation)));
            continue;
        }
        let floor = evidence
            .floors
            .get(&stats.name)
            .and_then(|classes| classes.first());
        let Some(((_, floor), (_, tensor))) = floor.zip(tensor) else {
            if !evidence.missing.is_empty() && tensor.is_some() {
                stats.judgement =
                    without_floor(stats, &evidence.lost).map(|found| Box::new(Judgement::of(found)));
            }
            continue;
        };
        let Some(elements) = floor.elements(tensor) else {
            continue;
        };
        stats.judgement = judge(evidence, &stats.name, &elements).map(Box::new);
        if stats.unequal > 0
            && let Some(problem) = scientific(tensor)
        {
            stats.judgement = Some(Box::new(Judgement::of(Explanation::Nothing(problem))));
        }
        if is_open(stats)
            && let Some(judgement) = &mut stats.judgement
        {
            unless_missing(evidence, &mut judgement.explanation);
        }
        if !floor.exact {
            let mut noise = noise(floor, &elements);
            let explanation = stats.judgement.as_ref().map(|judgement| &judgement.explanation);
            if let Some(Explanation::Nothing(_)) = explanation {
                noise.deviation.digits = worst_digits(floor, &elements);
            }
            stats.noise = Some(Box::new(noise));
        }
    }
}

/// Nothing explains an output only if no run is missing that may.
fn unless_missing(evidence: &Evidence, found: &mut Explanation) {
    if let (Explanation::Nothing(refusal), Some(class)) = (&*found, evidence.missing.first()) {
        *found = Explanation::Open(format!(
            "{refusal}; the reference has no runs with {}, which may explain it ({})",
            class.words(),
            evidence.lost
        ));
    }
}

/// What is said of an output without evidence; `None` if it is equal, or so far off that nothing explains it.
fn without_floor(stats: &OutputStats, lost: &str) -> Option<Explanation> {
    let unfinished = format!("the reference has no runs that show the model's noise ({lost})");
    if is_open(stats) {
        Some(Explanation::Open(format!(
            "it differs by more than the tolerance, and {unfinished}"
        )))
    } else {
        let is_within = stats.differing == 0 && stats.level != Level::Exact;
        is_within.then_some(Explanation::Tolerated(unfinished))
    }
}

/// Whether the noise of the model may explain an output that is outside the tolerance: kinds of values agree,
/// and elements differ by a tenth at most on average.
fn is_open(stats: &OutputStats) -> bool {
    let kinds = stats.special.nan + stats.special.infinity;
    stats.differing > 0 && kinds == 0 && stats.mean_rel <= GROSS
}

fn noise(floor: &Floor, observed: &[f64]) -> Noise {
    let (boxes, masks) = (overlap::boxes(floor, observed), overlap::masks(floor, observed));
    let regions = boxes.is_some() || masks.is_some();
    Noise {
        deviation: deviation(floor, observed),
        // Boxes and masks have no classes in their last axis.
        scores: (!regions).then(|| scores::compare(floor, observed)).flatten(),
        boxes,
        masks,
        fit: fit::line(&floor.center, observed),
        floor: floor.summary.clone(),
    }
}

/// Distances in multiples of each element's noise. NaN where the reference has a number is infinitely
/// far.
fn deviation(floor: &Floor, observed: &[f64]) -> Deviation {
    let mut found = Deviation {
        median: f64::NAN,
        max: f64::NAN,
        ..Deviation::default()
    };
    let (mut distances, mut farthest) = (Vec::with_capacity(observed.len()), 0);
    for (index, (&seen, (&center, &sigma))) in observed
        .iter()
        .zip(floor.center.iter().zip(&floor.sigma))
        .enumerate()
    {
        if sigma.is_nan() {
            continue;
        }
        let distance = multiple(seen - center, sigma);
        if found.max.is_nan() || distance > found.max {
            (found.max, farthest) = (distance, index);
        }
        found.beyond += u64::from(distance > floor.reach);
        distances.push(distance);
    }
    if !distances.is_empty() {
        found.at = floor.position(farthest);
    }
    found.median = median(&mut distances);
    found.digits = shared_digits(floor, observed);
    found.cosine = cosine(&floor.center, observed);
    found
}

/// The digits of the element that is farthest off in multiples of its noise.
fn worst_digits(floor: &Floor, observed: &[f64]) -> f64 {
    let distance = |place: usize| {
        let sigma = floor.sigma.get(place).copied().unwrap_or(f64::NAN);
        let distance = multiple(observed[place] - floor.center[place], sigma);
        if sigma.is_nan() { 0.0 } else { distance }
    };
    let places = 0..observed.len().min(floor.center.len());
    let worst = places.max_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    worst.map_or(f64::NAN, |place| {
        let unit = unit(floor.dtype).unwrap_or(f64::NAN);
        let apart = (observed[place] - floor.center[place]).abs();
        if apart.is_finite() {
            digits(floor.center[place], apart, unit).unwrap_or(0.0)
        } else {
            0.0
        }
    })
}

/// The median of the digits that elements share; NaN on either side shares none.
fn shared_digits(floor: &Floor, observed: &[f64]) -> f64 {
    let Some(unit) = unit(floor.dtype) else {
        return f64::NAN;
    };
    let pairs = floor.center.iter().zip(observed).zip(&floor.sigma);
    let numbers = pairs.filter(|(_, sigma)| !sigma.is_nan());
    let shared = numbers.filter_map(|((center, seen), _)| match (seen - center).abs() {
        apart if apart.is_finite() => digits(*center, apart, unit),
        _ => Some(0.0),
    });
    median(&mut shared.collect::<Vec<f64>>())
}

/// The cosine of the angle between two vectors; NaN if a vector is zero or has an element that is not
/// finite.
fn cosine(right: &[f64], seen: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let length = |a: &[f64]| product(a, a).sqrt();
    product(right, seen) / (length(right) * length(seen))
}

/// `|apart|` in multiples of `sigma`.
pub(super) fn multiple(apart: f64, sigma: f64) -> f64 {
    match apart.abs() {
        apart if apart.is_nan() => f64::INFINITY,
        0.0 => 0.0,
        apart => apart / sigma,
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use onnx_tensor::{DType, Tensor};
    use run_record::{Arithmetic, NoiseFloor};

    use super::super::{Noisy, Runs, SetSpreads, Spread};
    use super::*;

    #[test]
    fn distances_are_multiples_of_each_elements_noise() {
        let floor = Floor {
            center: vec![1.0, 10.0, f64::INFINITY, 0.0],
            sigma: vec![0.1, 1.0, f64::NAN, 0.0],
            anchor: Vec::new(),
            kinds: vec![1, 1, 4, 1],
            exact: false,
            unmoved: false,
            outcomes: Vec::new(),
            integers: Vec::new(),
            reach: 4.0,
            together: f64::INFINITY,
            dtype: DType::Float,
            shape: vec![2, 2],
            summary: NoiseFloor {
                reach: 4.0,
                ..NoiseFloor::default()
            },
        };
        let found = deviation(&floor, &[1.2, 5.0, 0.0, 0.0]);
        assert_abs_diff_eq!(found.median, 2.0, epsilon = 1e-9);
        assert_eq!(
            (found.max, found.at.as_slice(), found.beyond),
            (5.0, [0, 1].as_slice(), 1)
        );
        let found = deviation(&floor, &[f64::NAN, 10.0, 0.0, 1e-30]);
        assert_eq!(
            (found.max, found.at.as_slice(), found.beyond),
            (f64::INFINITY, [0, 0].as_slice(), 2)
        );
    }

    /// Without the runs of the reference, only a gross difference is wrong.
    #[test]
    fn a_difference_without_evidence_is_open() {
        let check = |stats: OutputStats, missing: Vec<Arithmetic>, open: bool| {
            let stats = OutputStats {
                name: "y".to_owned(),
                ..stats
            };
            let mut outputs = [stats];
            let observed = [("y".to_owned(), Tensor::vector(vec![1.0_f32]).into())];
            let evidence = Evidence {
                missing,
                ..Evidence::default()
            };
            attach(&mut outputs, &observed, &evidence);
            assert_eq!(outputs[0].is_open(), open, "{outputs:?}");
        };
        let stats = |differing, mean_rel| OutputStats {
            differing,
            mean_rel,
            ..OutputStats::default()
        };
        let rounded = || vec![Arithmetic::Rounded];
        check(stats(1, 0.01), rounded(), true);
        check(stats(1, 0.5), rounded(), false);
        check(stats(0, 0.01), rounded(), false);
        check(stats(1, 0.01), Vec::new(), false);
    }

    /// An answer that is far off is wrong whether some runs of the reference finished or none.
    #[test]
    fn a_gross_difference_is_wrong_with_part_of_the_evidence() {
        let check = |seen: f32, open: bool| {
            let spread = |value: f32| Spread::of(&Tensor::vector(vec![value; 4])).expect("numbers");
            let noisy = spread(1.0).join(&spread(1.000_001)).expect("one shape");
            let runs = Runs {
                noisy: vec![Noisy {
                    class: Arithmetic::Rounded,
                    count: 2,
                    spreads: SetSpreads::from([("y".to_owned(), noisy)]),
                }],
                ..Runs::of(SetSpreads::from([("y".to_owned(), spread(1.0))]))
            };
            let evidence = Evidence {
                missing: vec![Arithmetic::Approximated],
                ..Evidence::new(&runs)
            };
            let mut outputs = [OutputStats {
                name: "y".to_owned(),
                differing: 4,
                mean_rel: f64::from(seen - 1.0),
                ..OutputStats::default()
            }];
            attach(
                &mut outputs,
                &[("y".to_owned(), Tensor::vector(vec![seen; 4]).into())],
                &evidence,
            );
            assert_eq!(outputs[0].is_open(), open, "{outputs:?}");
            let words = format!("{:?}", outputs[0].judgement);
            let asks = words.contains("no runs with");
            assert_eq!(asks, open, "{words}");
        };
        check(1.01, true);
        check(1.5, false);
    }

    #[test]
    fn shared_digits_and_the_angle_are_those_of_the_elements() {
        let floor = Floor {
            center: vec![1.0, 10.0, 100.0],
            sigma: vec![0.1; 3],
            anchor: Vec::new(),
            kinds: vec![1; 3],
            exact: false,
            unmoved: false,
            outcomes: Vec::new(),
            integers: Vec::new(),
            reach: 4.0,
            together: f64::INFINITY,
            dtype: DType::Float,
            shape: vec![3],
            summary: NoiseFloor::default(),
        };
        // Errors of 1/10, 1/100 and 1/1000 of the element: 1, 2 and 3 digits.
        let found = deviation(&floor, &[1.1, 10.1, 100.1]);
        assert_abs_diff_eq!(found.digits, 2.0, epsilon = 1e-9);
        assert!(found.cosine < 1.0 && found.cosine > 0.999, "{found:?}");
        let exact = deviation(&floor, &[1.0, 10.0, 100.0]);
        assert_abs_diff_eq!(exact.digits, 24.0 * 2_f64.log10(), epsilon = 1e-9);
        assert_abs_diff_eq!(
            deviation(&floor, &[-1.0, -10.0, -100.0]).cosine,
            -1.0,
            epsilon = 1e-12
        );
        assert!(deviation(&floor, &[f64::NAN, 10.0, 100.0]).cosine.is_nan());
    }
}
