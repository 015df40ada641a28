//! Floats that were quantized: whole numbers of steps.

use super::{Floor, median};

impl Floor {
    /// The step of floats that were quantized: all right elements, and all differences of outcomes from them,
    /// are whole numbers of steps. `None` if they are not, or too few to tell.
    pub fn lattice(&self) -> Option<f64> {
        /// The greatest error of a number in steps.
        const OFF: f64 = 0.02;
        /// The fewest elements.
        const FEWEST: usize = 8;
        /// The most steps of a number: those of 16 bits.
        const MOST: f64 = 65536.0;
        let elements = || self.center.iter().map(|value| value.abs());
        if elements().filter(|value| *value > 0.0).count() < FEWEST {
            return None;
        }
        let apart = || {
            let places = 0..self.center.len();
            let finite = places.filter(|place| self.center[*place].is_finite());
            finite.flat_map(|place| {
                self.outcomes_at(place)
                    .map(move |value| (value - self.center[place]).abs())
            })
        };
        let largest = elements().filter(|value| value.is_finite()).fold(0.0, f64::max);
        let step = apart()
            .filter(|apart| *apart > largest / MOST / 2.0)
            .fold(f64::INFINITY, f64::min);
        if !step.is_finite() {
            return None;
        }
        // Most outputs are none; a few small numbers show it, without a list of all.
        let is_whole = |number: f64| (number / step - (number / step).round()).abs() <= 0.1;
        if !apart().filter(|apart| *apart < 4.0 * step).all(is_whole) {
            return None;
        }
        let mut numbers: Vec<f64> = apart()
            .chain(elements())
            .filter(|value| value.is_finite())
            .collect();
        numbers.sort_by(f64::total_cmp);
        // The difference of two floats is a rough step, and each larger number gives a better one.
        let (mut better, rounding) = (step, self.step(largest));
        for number in numbers {
            let steps = (number / better).round();
            if (number / better - steps).abs() > OFF + rounding / better {
                return None;
            }
            if steps >= 1.0 {
                better = number / steps;
            }
        }
        Some(better)
    }

    /// Whether a float is a whole number of steps from the right one.
    pub fn is_on_lattice(&self, place: usize, seen: f64, step: f64) -> bool {
        let steps = (seen - self.center[place]) / step;
        (steps - steps.round()).abs() <= 0.25
    }

    /// Whether an honest run may give this value at a place of a lattice with a step: those between and next
    /// to the outcomes are possible, as of integers ([`Self::admits`]).
    pub fn admits_step(&self, place: usize, seen: f64, step: f64) -> bool {
        let (least, most) = self.ends_at(place);
        let beyond = most - least + step / 2.0;
        self.is_on_lattice(place, seen, step) && (least - beyond..=most + beyond).contains(&seen)
    }

    /// Whether no value is farther from those of the runs at its place than twice their width there, or the
    /// usual width of the places where they differ by a decision, of at least `step`.
    pub(super) fn are_near(&self, observed: &[f64], places: &[usize], step: f64) -> bool {
        let width = |place: usize| {
            let (least, most) = self.ends_at(place);
            most - least
        };
        let widths = (0..self.center.len()).map(width);
        let usual = median(&mut widths.filter(|width| *width > step / 2.0).collect::<Vec<f64>>());
        places.iter().all(|&place| {
            let (least, most) = self.ends_at(place);
            let beyond = (least - observed[place]).max(observed[place] - most);
            beyond <= 2.0 * width(place).max(usual) * (1.0 + 1e-3)
        })
    }
}
