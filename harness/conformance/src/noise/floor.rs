//! The noise of one output.

use std::collections::BTreeMap;

use onnx_tensor::{DType, Tensor};
use run_record::NoiseFloor;

use super::quantiles::{limit, margin, together};
use super::spread::kind;
use super::texts::as_numbers;
use super::{Spread, integers, median, numbers};

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
    /// The same in all bits, of the runs with an integer that is no double ([`Spread::integers`]).
    pub integers: Vec<Vec<i128>>,
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
    /// different outputs.
    pub fn new(answer: &Spread, noisy: &Spread) -> Option<Floor> {
        if !noisy.is_shaped_as(answer) || answer.dtype != noisy.dtype {
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
            integers: [answer, noisy]
                .iter()
                .flat_map(|runs| runs.integers())
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

    /// The elements of a backend's tensor, if it has the output's type and shape. An integer that is one
    /// double with that of some run, and not equal to that of any, is the next double.
    pub fn elements(&self, tensor: &Tensor) -> Option<Vec<f64>> {
        let tensor = &*as_numbers(tensor);
        let same = tensor.dtype() == self.dtype && tensor.shape() == self.shape;
        let mut elements = numbers(tensor).filter(|_| same)?;
        for (place, seen) in integers(tensor).into_iter().flatten().enumerate() {
            let mut close = (self.integers.iter())
                .filter_map(|run| run.get(place))
                .filter(|run| **run as f64 == elements[place])
                .peekable();
            if close.peek().is_some() && close.all(|run| *run != seen) {
                elements[place] = elements[place].next_up();
            }
        }
        Some(elements)
    }

    /// The values of the runs at a place.
    pub(super) fn outcomes_at(&self, place: usize) -> impl Iterator<Item = f64> {
        self.outcomes
            .iter()
            .filter_map(move |outcome| outcome.get(place).copied())
    }

    /// The least and the greatest value of the runs at a place.
    pub(super) fn ends_at(&self, place: usize) -> (f64, f64) {
        ends(self.outcomes_at(place))
    }

    /// The number of elements whose kind the runs disagree about.
    pub(super) fn of_several_kinds(&self) -> usize {
        self.kinds.iter().filter(|kinds| kinds.count_ones() > 1).count()
    }

    /// The least and the greatest finite value of all runs at all places.
    pub(super) fn ends(&self) -> (f64, f64) {
        let all = self.outcomes.iter().flatten().chain(&self.anchor).copied();
        ends(all.filter(|value| value.is_finite()))
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

    /// The number of elements whose value a decision determines: integers of which the runs give several, and
    /// floats that are in two groups.
    pub fn decided(&self, jump: f64) -> usize {
        let is_decided = |place: &usize| {
            let (least, most) = self.ends_at(*place);
            if self.exact {
                least < most
            } else {
                self.groups(*place, jump).is_some()
            }
        };
        (0..self.center.len()).filter(is_decided).count()
    }

    /// The number of elements that one more honest run is expected to give as no other run did: those that
    /// one run gave alone, per run (I. J. Good, *The Population Frequencies of Species*, 1953).
    pub fn unseen(&self) -> f64 {
        self.unseen_of(|value| value)
    }

    /// The same of floats that are whole numbers of steps.
    pub fn unseen_steps(&self, step: f64) -> f64 {
        self.unseen_of(|value| (value / step).round())
    }

    /// The same of kinds of values.
    pub fn unseen_kinds(&self) -> f64 {
        self.unseen_of(|value| f64::from(kind(value)))
    }

    fn unseen_of(&self, outcome: impl Fn(f64) -> f64) -> f64 {
        let alone = |place: &usize| {
            let values = || self.outcomes_at(*place).map(&outcome);
            values().any(|value| values().filter(|other| *other == value).count() == 1)
        };
        let runs = self.outcomes.len();
        (0..self.center.len()).filter(alone).count() as f64 / runs.max(1) as f64
    }

    /// The right integer at a place, if one of the output is no double.
    pub fn integers_at(&self, place: usize) -> Option<i128> {
        self.integers.first()?.get(place).copied()
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

    /// 2⁶⁰ and 2⁶⁰ + 1 are one double; both are right where the runs give both.
    #[test]
    fn integers_that_are_one_double_are_told_apart() {
        let tensor = |value: i64| Tensor::vector(vec![value, 7]);
        let of = |value: i64| Spread::of(&tensor(value)).unwrap();
        let floor = |other: i64| Floor::new(&of(1 << 60), &of(1 << 60).join(&of(other)).unwrap()).unwrap();
        let admits = |floor: &Floor, value: i64| {
            let seen = floor.elements(&tensor(value)).unwrap();
            (0..2).all(|place| floor.admits(place, seen[place]))
        };
        for (other, value, right) in [
            (1 << 60, 1 << 60, true),
            (1 << 60, (1 << 60) + 1, false),
            ((1 << 60) + 1, (1 << 60) + 1, true),
            ((1 << 60) + 1, (1 << 60) + 2, false),
            (5, 5, true),
        ] {
            assert_eq!(admits(&floor(other), value), right, "{other} {value}");
        }
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
}
