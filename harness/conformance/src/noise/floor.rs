//! The noise of one output.

use std::collections::BTreeMap;

use onnx_tensor::{DType, Tensor};
use run_record::NoiseFloor;
use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor, StudentsT};

use super::judge::{FALSE_ALARMS, limit};
use super::{Spread, median, numbers};

/// The confidence of the upper limit of σ, and of the limit within which equal noise stays.
const CONFIDENCE: f64 = 0.95;

/// The weight of the noise of similar elements in that of an element, in runs: a σ of a few runs may be small
/// by chance.
pub(super) const SIMILAR: f64 = 4.0;

/// The fewest similar elements whose noise is a measure.
const ENOUGH: usize = 16;

/// The number of rounded elements of all runs from which on one of them has changed: each does with a
/// probability of one half.
const CERTAIN: f64 = 14.0;

/// The noise of one output.
#[derive(Clone, Debug)]
pub struct Floor {
    /// The reference's output, in row-major order: every operator is exact, and its result is rounded
    /// once.
    pub center: Vec<f64>,
    /// What the finite values of an element are compared with: the center or, if it is not finite, the mean
    /// of the runs in which the element is finite.
    pub anchor: Vec<f64>,
    /// The noise of each element; NaN if it has none, because it is not finite. Of an integer 0 if all runs
    /// agree.
    pub sigma: Vec<f64>,
    /// The kinds of values of each element over all runs ([`super::spread::kind`]).
    pub kinds: Vec<u8>,
    /// Whether elements must be equal: integers and booleans.
    pub exact: bool,
    /// Whether no run changed any element of floats, and not by chance: nothing on the way is rounded.
    pub unmoved: bool,
    /// The different outputs of the runs ([`Spread::outcomes`]).
    pub outcomes: Vec<Vec<f64>>,
    /// The maximum distance of an element in multiples of its noise.
    pub reach: f64,
    /// The maximum root mean square of all distances, in multiples of that of the noise.
    pub together: f64,
    /// The type of the output.
    pub dtype: DType,
    pub shape: Vec<usize>,
    /// The figures that are the same for every backend.
    pub summary: NoiseFloor,
}

impl Floor {
    /// Computed from the reference's output and its runs with random rounding. `None` if they belong to
    /// different outputs, or if there are fewer than two runs.
    pub fn new(answer: &Spread, noisy: &Spread) -> Option<Floor> {
        if answer.shape != noisy.shape || answer.dtype != noisy.dtype || noisy.runs() < 2 {
            return None;
        }
        let unit = unit(answer.dtype);
        let center = answer.mean().to_vec();
        // The spread is around the exact output, not around the mean of the runs: a common deviation of
        // the runs is also noise.
        let anchor = |(center, mean): (&f64, &f64)| if center.is_finite() { *center } else { *mean };
        let anchor: Vec<f64> = center.iter().zip(noisy.mean()).map(anchor).collect();
        let about = noisy.about(&anchor);
        // The noise is at least half a unit in the last place, however well the runs agree.
        let least = |center: &f64| unit.unwrap_or(0.0) * center.abs();
        let own: Vec<f64> = anchor
            .iter()
            .zip(&about)
            .map(|(center, about)| about.max(least(center)) + 0.0 * about)
            .collect();
        let freedom = f64::from(noisy.runs());
        let finite = about.iter().filter(|about| !about.is_nan()).count();
        let unmoved = unit.is_some()
            && about.iter().all(|about| about.is_nan() || *about == 0.0)
            && finite as f64 * freedom >= CERTAIN;
        let sigma = match unit {
            Some(unit) => shared(&anchor, &own, unit, freedom),
            None => own.clone(),
        };
        let mut noises: Vec<f64> = own.iter().copied().filter(|sigma| !sigma.is_nan()).collect();
        let pairs = anchor.iter().zip(&own).filter(|(_, sigma)| !sigma.is_nan());
        let mut digits: Vec<f64> = match unit {
            Some(unit) => pairs
                .filter_map(|(center, sigma)| digits(*center, *sigma, unit))
                .collect(),
            None => Vec::new(),
        };
        let reach = limit(freedom + SIMILAR, noises.len());
        let summary = NoiseFloor {
            runs: noisy.runs(),
            elements: noises.len() as u64,
            digits: median(&mut digits),
            least_digits: digits.iter().copied().reduce(f64::min).unwrap_or(f64::NAN),
            margin: margin(freedom)?,
            sigma: median(&mut noises),
            largest_sigma: noises.iter().copied().reduce(f64::max).unwrap_or(f64::NAN),
            reach,
        };
        let kinds = answer.kinds().iter().zip(noisy.kinds()).map(|(a, b)| a | b);
        Some(Floor {
            kinds: kinds.collect(),
            exact: unit.is_none(),
            unmoved,
            outcomes: answer
                .outcomes()
                .iter()
                .chain(noisy.outcomes())
                .cloned()
                .collect(),
            reach,
            together: together(&anchor, &sigma, noisy),
            sigma,
            center,
            anchor,
            dtype: answer.dtype,
            shape: answer.shape.clone(),
            summary,
        })
    }

    /// The elements of a backend's tensor, if it has the output's type and shape.
    pub fn elements(&self, tensor: &Tensor) -> Option<Vec<f64>> {
        let same = tensor.dtype() == self.dtype && tensor.shape() == self.shape;
        numbers(tensor).filter(|_| same)
    }

    /// The values of the runs at a place.
    fn outcomes_at(&self, place: usize) -> impl Iterator<Item = f64> {
        self.outcomes
            .iter()
            .filter_map(move |outcome| outcome.get(place).copied())
    }

    /// The least and the greatest value of the runs at a place.
    fn ends_at(&self, place: usize) -> (f64, f64) {
        ends(self.outcomes_at(place))
    }

    /// Whether an honest run may give this integer or boolean at a place: one of the runs did. Quantized
    /// values have many neighbours, of which the runs show some: those between and next to the outcomes are
    /// possible.
    pub fn admits(&self, place: usize, seen: f64) -> bool {
        let quantized = matches!(
            self.dtype,
            DType::Uint8 | DType::Int8 | DType::Uint16 | DType::Int16
        );
        let (least, most) = self.ends_at(place);
        let beyond = most - least;
        self.outcomes_at(place).any(|value| value == seen)
            || quantized && beyond > 0.0 && (least - beyond..=most + beyond).contains(&seen)
    }

    /// The distance of adjacent floats of the type at a magnitude.
    pub fn step(&self, magnitude: f64) -> f64 {
        unit(self.dtype).map_or(0.0, |unit| 2.0 * unit * magnitude)
    }

    /// The least difference of outcomes of floats that is a jump and no rounding: a thousandth of the largest
    /// element, or many units of the type.
    pub fn least_jump(&self) -> f64 {
        let finite = self.center.iter().filter(|value| value.is_finite());
        let largest = finite.fold(0.0, |most: f64, value| most.max(value.abs()));
        largest * unit(self.dtype).map_or(1e-3, |unit| (64.0 * unit).max(1e-3))
    }

    /// The two groups of outcomes of a float that depends on a decision, as a rounded number or a branch: the
    /// gap between them is more than `jump`, and ten times as wide as they are. `None` if the runs show one
    /// group.
    pub fn groups(&self, place: usize, jump: f64) -> Option<[(f64, f64); 2]> {
        const GAP: f64 = 10.0;
        let finite = || self.outcomes_at(place).filter(|value| value.is_finite());
        // Most elements have no gap at all; they need no list.
        let (least, most) = ends(finite());
        if most - least <= jump {
            return None;
        }
        let mut values: Vec<f64> = finite().collect();
        values.sort_by(f64::total_cmp);
        let gaps = values.windows(2).map(|pair| pair[1] - pair[0]);
        let (after, gap) = gaps.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let (below, above) = values.split_at(after + 1);
        let groups = [below, above].map(|group| (group[0], group[group.len() - 1]));
        let width = groups
            .map(|(least, most)| most - least)
            .into_iter()
            .fold(0.0, f64::max);
        (gap > jump && gap > GAP * width).then_some(groups)
    }

    /// The greatest difference of outcomes of an element.
    pub fn widest(&self) -> f64 {
        let spread = |place: usize| {
            let (least, most) = self.ends_at(place);
            most - least
        };
        (0..self.center.len()).map(spread).fold(0.0, f64::max)
    }

    /// The number of elements that one more honest run is expected to give as no other run did: those that
    /// one run gave alone, per run (I. J. Good, *The Population Frequencies of Species*, 1953).
    pub fn unseen(&self) -> f64 {
        let alone = |place: &usize| {
            let values = || self.outcomes_at(*place);
            values().any(|value| values().filter(|other| *other == value).count() == 1)
        };
        let runs = self.outcomes.len();
        (0..self.center.len()).filter(alone).count() as f64 / runs.max(1) as f64
    }

    /// Whether elements are integers of a type that holds indices.
    pub fn holds_indices(&self) -> bool {
        matches!(self.dtype, DType::Int32 | DType::Int64)
    }

    /// Whether some run gives `seen` at a neighbour of a place along an axis, or the place is the last of its
    /// row: what would follow there is not known.
    pub fn is_beside(&self, place: usize, seen: f64) -> bool {
        let last = self.shape.last().copied().unwrap_or(1).max(1);
        let mut strides = self.shape.iter().rev().scan(1, |stride, extent| {
            let here = *stride;
            *stride *= extent.max(&1);
            Some(here)
        });
        let gives = |place: usize| self.outcomes_at(place).any(|value| value == seen);
        let is_near = |stride: usize| gives(place + stride) || place.checked_sub(stride).is_some_and(gives);
        place % last == last - 1 || strides.any(is_near)
    }

    /// The index of the `flat`-th element in row-major order.
    pub fn position(&self, mut flat: usize) -> Vec<u64> {
        let mut index: Vec<u64> = Vec::with_capacity(self.shape.len());
        for &extent in self.shape.iter().rev() {
            index.push((flat % extent.max(1)) as u64);
            flat /= extent.max(1);
        }
        index.reverse();
        index
    }
}

/// The greatest noise of any element, 1 if none has noise: squares are summed in multiples of it, since
/// those of tiny and of huge numbers are no doubles.
pub(super) fn greatest(sigma: &[f64]) -> f64 {
    let known = sigma.iter().filter(|sigma| sigma.is_finite());
    match known.copied().fold(0.0, f64::max) {
        0.0 => 1.0,
        most => most,
    }
}

/// The least and the greatest of `values`; infinities in reverse order if there are none.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    values.fold(none, |(least, most), value| (least.min(value), most.max(value)))
}

/// The noise of each element together with that of elements of the same magnitude: the variance of `runs`
/// runs, and the median one of the others with the weight of [`SIMILAR`] runs. Where few elements have this
/// magnitude, the median noise relative to the value takes its place, but no more than the greatest noise of
/// any element: errors relative to a range are the same for small and large elements. An element that is zero
/// in every run, for example after a ReLU, has the noise of all.
fn shared(center: &[f64], own: &[f64], unit: f64, runs: f64) -> Vec<f64> {
    let known = || center.iter().zip(own).filter(|(_, sigma)| !sigma.is_nan());
    let typical = median(&mut known().map(|(_, sigma)| *sigma).collect::<Vec<f64>>());
    let relative = known().filter(|(center, _)| **center != 0.0);
    let relative = median(
        &mut relative
            .map(|(center, sigma)| sigma / center.abs())
            .collect::<Vec<f64>>(),
    );
    let greatest = known().map(|(_, sigma)| *sigma).fold(0.0, f64::max);
    let magnitude = |value: f64| {
        if value == 0.0 {
            i32::MIN
        } else {
            value.abs().log2().floor() as i32
        }
    };
    let mut similar: BTreeMap<i32, Vec<f64>> = BTreeMap::new();
    for (center, sigma) in known() {
        similar.entry(magnitude(*center)).or_default().push(*sigma);
    }
    let medians: BTreeMap<i32, f64> = similar
        .into_iter()
        .filter(|(_, group)| group.len() >= ENOUGH)
        .map(|(magnitude, mut group)| (magnitude, median(&mut group)))
        .collect();
    let noise = |(center, own): (&f64, &f64)| {
        let group = medians.get(&magnitude(*center)).copied();
        let group = group.unwrap_or(if *center == 0.0 {
            typical
        } else {
            (relative * center.abs()).min(greatest)
        });
        let both = (runs.sqrt() * own).hypot(SIMILAR.sqrt() * group);
        if *own == 0.0 {
            typical
        } else {
            (both / (runs + SIMILAR).sqrt()).max(unit * center.abs())
        }
    };
    center.iter().zip(own).map(noise).collect()
}

/// The maximum root mean square of the distances of an honest answer. If the runs vary in it as one number
/// does, a common factor moves all elements, and the limit is Student's quantile. The less they vary, the
/// more elements are independent (Satterthwaite, 1946): the limit becomes that of a ratio of variances, times
/// what errors of one sign add to uniform ones.
fn together(anchor: &[f64], sigma: &[f64], noisy: &Spread) -> f64 {
    /// The fewest runs that show how much they vary.
    const ENOUGH: usize = 4;
    /// The probability with which the runs vary less by chance than is assumed.
    const CHANCE: f64 = 1e-3;
    /// The limit for any number of elements: the noise of ordinary implementations differs by such a factor.
    const LEAST: f64 = 3.0;
    let runs = f64::from(noisy.runs());
    let one = limit(runs, 1);
    let unit = greatest(sigma);
    let ratio = |outcome: &Vec<f64>| {
        let places = outcome.iter().zip(anchor).zip(sigma);
        let known = places.filter(|((seen, _), sigma)| seen.is_finite() && **sigma > 0.0);
        let sums = known.fold((0.0, 0.0), |sums, ((seen, anchor), sigma)| {
            let (apart, sigma) = ((seen - anchor) / unit, sigma / unit);
            (sums.0 + apart.powi(2), sums.1 + sigma.powi(2))
        });
        sums.0 / sums.1
    };
    let ratios: Vec<f64> = noisy.outcomes().iter().map(ratio).collect();
    if ratios.len() == 1 && noisy.runs() > 1 {
        // No rounding reaches the output but its own.
        return one.min(LEAST);
    }
    if ratios.len() < ENOUGH {
        return one;
    }
    let count = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / count;
    let variance = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let Ok(chance) = ChiSquared::new(count - 1.0) else {
        return one;
    };
    let most = variance * (count - 1.0) / chance.inverse_cdf(CHANCE);
    let independent = (2.0 * mean * mean / most).clamp(1.0, 1e4);
    let quantile = FisherSnedecor::new(independent, runs * independent)
        .map_or(f64::INFINITY, |ratio| ratio.inverse_cdf(1.0 - FALSE_ALARMS / 2.0));
    // Not a number if no element has noise.
    match (3.0 * quantile).sqrt() {
        limit if limit < one => limit.max(LEAST),
        _ => one,
    }
}

/// Half the distance of adjacent floats, relative to the value: the minimum error of a rounded real
/// number. `None` for types whose elements must be equal.
pub(super) fn unit(dtype: DType) -> Option<f64> {
    let precision = match dtype {
        DType::Double => 53,
        DType::Float => 24,
        DType::Float16 => 11,
        DType::Bfloat16 => 8,
        _ => return None,
    };
    Some(2_f64.powi(-precision))
}

/// The number of decimal digits of an element, from 0 to the precision of its type; `None` for 0, which has
/// no first digit: most elements after a ReLU are 0.
pub(super) fn digits(center: f64, noise: f64, unit: f64) -> Option<f64> {
    let all = -unit.log10();
    (center != 0.0).then(|| (center.abs() / noise).log10().clamp(0.0, all))
}

/// The possible loss of digits: σ² is at most N·s²/χ², with the 5 % quantile of χ² with N degrees of
/// freedom.
fn margin(freedom: f64) -> Option<f64> {
    let chi_squared = ChiSquared::new(freedom).ok()?.inverse_cdf(1.0 - CONFIDENCE);
    Some((freedom / chi_squared).log10() / 2.0)
}

/// The limit for the largest of `count` elements with the same noise: a distance of variance σ² divided
/// by an s from N runs has Student's distribution.
pub(super) fn reach(freedom: f64, elements: usize) -> Option<f64> {
    farthest(1.0 - CONFIDENCE, freedom, elements)
}

/// The limit that the largest of `count` elements exceeds with the probability `beyond`.
pub(super) fn farthest(beyond: f64, freedom: f64, count: usize) -> Option<f64> {
    let beyond = beyond / (2.0 * count.max(1) as f64);
    // The lower tail does not lose precision to rounding near 1.
    Some(-StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(beyond))
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use onnx_tensor::Tensor;

    use super::*;

    fn floor(answer: &[f32], runs: &[&[f32]]) -> Floor {
        let of = |values: &[f32]| Spread::of(&Tensor::vector(values.to_vec())).unwrap();
        let noisy = runs[1..]
            .iter()
            .fold(of(runs[0]), |sum, run| sum.join(&of(run)).unwrap());
        Floor::new(&of(answer), &noisy).unwrap()
    }

    #[test]
    fn a_known_spread_gives_known_digits() {
        // σ = 0.1, 0.01 and 0.001 for the value 1: one, two and three digits.
        let runs = [0.1, -0.1].map(|off: f32| [1.0 + off, 1.0 + off / 10.0, 1.0 + off / 100.0]);
        let found = floor(&[1.0; 3], &[&runs[0], &runs[1]]).summary;
        assert_abs_diff_eq!(found.digits, 2.0, epsilon = 1e-4);
        assert_abs_diff_eq!(found.least_digits, 1.0, epsilon = 1e-4);
        assert_abs_diff_eq!(found.sigma, 0.01, epsilon = 1e-6);
        assert_abs_diff_eq!(found.largest_sigma, 0.1, epsilon = 1e-6);
        assert_eq!((found.runs, found.elements), (2, 3));
    }

    /// The noise of a sigmoid that is approximated is relative to its range: that of a small element says
    /// nothing about a large one.
    #[test]
    fn no_element_has_more_noise_than_the_noisiest() {
        let found = floor(&[1e-13, 0.5], &[&[2e-7, 0.5 + 2e-7], &[1e-13, 0.5 - 2e-7]]);
        assert!(found.sigma[1] < 3e-7, "{:?}", found.sigma);
    }

    /// Eight runs of elements that vary alone show that all cannot be several times the noise off; runs that
    /// a common factor moves do not, and runs without noise leave what rounding the output adds.
    #[test]
    fn the_runs_show_how_far_all_elements_may_be_together() {
        let limit = |moved: &dyn Fn(usize, usize) -> f32| {
            let run = |run: usize| {
                (0..256)
                    .map(|place| 1.0 + moved(run, place))
                    .collect::<Vec<f32>>()
            };
            let runs: Vec<Vec<f32>> = (0..8).map(run).collect();
            let runs: Vec<&[f32]> = runs.iter().map(Vec::as_slice).collect();
            floor(&[1.0; 256], &runs).together
        };
        let random = |seed: usize| ((seed * 2_654_435_761) % 1009) as f32 / 1009.0 - 0.5;
        let alone = limit(&|run, place| 1e-3 * random(run * 257 + place));
        let common = limit(&|run, _| 1e-3 * random(run * run + 3));
        assert!(alone < 4.0 && common > 6.0, "{alone} {common}");
        assert_eq!(limit(&|_, _| 0.0), 3.0);
    }

    #[test]
    fn zeros_have_no_digits() {
        let found = floor(
            &[0.0, 0.0, 0.0, 1.0],
            &[&[0.0, 1e-3, 0.0, 1.01], &[0.0, -1e-3, 0.0, 0.99]],
        );
        assert_abs_diff_eq!(found.summary.digits, 2.0, epsilon = 1e-4);
    }

    #[test]
    fn runs_that_agree_on_another_value_are_noise() {
        let found = floor(&[1.0], &[&[3.0], &[3.0]]);
        assert_abs_diff_eq!(found.sigma[0], 2.0, epsilon = 1e-12);
        assert_eq!(found.summary.digits, 0.0);
    }

    #[test]
    fn a_constant_has_all_digits_and_the_noise_of_its_type_or_its_neighbours() {
        let found = floor(
            &[1.0, 0.0, f32::NAN],
            &[&[1.0, 0.0, f32::NAN], &[1.0, 0.0, f32::NAN]],
        );
        let unit = 2_f64.powi(-24);
        assert_abs_diff_eq!(found.sigma[0], unit, epsilon = 1e-12 * unit);
        // The median of 0 and the other's.
        assert_abs_diff_eq!(found.sigma[1], unit / 2.0, epsilon = 1e-12 * unit);
        assert!(found.sigma[2].is_nan() && found.summary.elements == 2);
        assert_eq!(found.summary.digits, -unit.log10());
    }

    /// From tables: χ² of 7 at 5 % is 2.167, t of 7 at 97.5 % is 2.365, at 99.75 % 4.029.
    #[test]
    fn quantiles_agree_with_published_tables() {
        for (found, wanted) in [
            (margin(7.0), (7.0_f64 / 2.1673).log10() / 2.0),
            (reach(7.0, 1), 2.3646),
            (reach(7.0, 10), 4.0293),
        ] {
            assert_abs_diff_eq!(found.unwrap(), wanted, epsilon = 1e-3);
        }
        let far = reach(7.0, 10_000_000).unwrap();
        assert!(far.is_finite() && far > reach(7.0, 1_000_000).unwrap(), "{far}");
    }
}
