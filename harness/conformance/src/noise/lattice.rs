//! Floats that were quantized: whole numbers of steps.

use super::Floor;

impl Floor {
    /// The step of floats that were quantized: all right elements, and all differences of outcomes from them,
    /// are whole numbers of steps. `None` if they are not, or too few to tell.
    pub fn lattice(&self) -> Option<f64> {
        /// The greatest error of a number in steps.
        const OFF: f64 = 0.01;
        /// The fewest elements.
        const FEWEST: usize = 8;
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
        let jump = self.least_jump();
        let step = apart()
            .filter(|apart| *apart > jump)
            .fold(f64::INFINITY, f64::min);
        let is_whole = |apart: f64| (apart / step - (apart / step).round()).abs() <= OFF;
        (step.is_finite() && apart().chain(elements()).all(is_whole)).then_some(step)
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
}
