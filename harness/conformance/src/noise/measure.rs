//! The comparison of an answer with the runs of one class, element by element.

use std::cell::OnceCell;

use onnx_tensor::DType;

use super::attach::multiple;
use super::evidence::RUNS;
use super::floor::{SIMILAR, digits, greatest, unit};
use super::quantiles::limit;
use super::spread::{FINITE, kind};
use super::{Floor, median};

/// The rounding errors of a number of steps.
const ROUGH: f64 = 1e-3;

/// With fewer digits, the model's own rounding errors are as large as its output.
const LEAST_DIGITS: f64 = 0.5;

/// The number of wrong elements that more runs may explain though no decision is known.
const FEW: usize = 2;

/// The comparison of an answer with one class.
pub(super) struct Found {
    pub equal: bool,
    /// The number of elements that a decision of rounding determines.
    pub unsettled: u64,
    /// The first element that the class does not explain, or the measure of the whole output.
    pub fault: Option<String>,
    /// Whether only few elements are not explained, no more than the runs decide otherwise: more runs may
    /// give their values.
    pub is_rare: bool,
}

/// How far an honest answer is from the right one at most, in multiples of the noise.
pub(super) struct Limits {
    /// The farthest element.
    reach: f64,
    /// The root mean square of all elements.
    together: f64,
}

impl Limits {
    pub fn of(floor: &Floor) -> Limits {
        Limits {
            reach: floor.reach,
            together: floor.together,
        }
    }

    /// Limits for few runs: a part of the limit that all runs will set for the root mean square, because the
    /// noise of few runs may be too large by chance (that of one run four times, and that of two three times,
    /// with a probability of 1e-4), and for the farthest element that of all runs.
    pub fn preliminary(floor: &Floor) -> Limits {
        let all = f64::from(RUNS);
        let part = if floor.summary.runs == 1 { 4.0 } else { 3.0 };
        Limits {
            reach: limit(all + SIMILAR, floor.center.len()).min(floor.reach),
            together: limit(all, 1) / part,
        }
    }
}

/// Whether integers or steps that no run of the reference gave are as many more elements next to a decision
/// as the runs could not show (`unseen`), each off by one of its outcomes. Of few elements the runs show all.
/// An index changes places with its neighbour, so that honest runs give it there.
fn are_expected(floor: &Floor, observed: &[f64], new: &[usize], unseen: f64) -> bool {
    let apart = |place: &usize| (observed[*place] - floor.center[*place]).abs();
    let most = new.iter().map(apart).fold(0.0, f64::max);
    let is_neighbour = |place: &usize| !floor.holds_indices() || floor.is_beside(*place, observed[*place]);
    are_as_many(new, unseen) && most <= floor.widest() * (1.0 + ROUGH) && new.iter().all(is_neighbour)
}

/// Whether places are no more than `unseen` lets expect.
fn are_as_many(places: &[usize], unseen: f64) -> bool {
    unseen >= 0.5 && places.len() as f64 <= unseen + 3.0 * unseen.sqrt()
}

/// Compares the elements that the specification determines with the runs of one class.
pub(super) fn measure(
    floor: &Floor,
    observed: &[f64],
    unspecified: Option<&[bool]>,
    limits: &Limits,
) -> Found {
    let mut measuring = Measuring::new(floor, observed, limits);
    let open = |place: usize| unspecified.is_some_and(|places| places.get(place) == Some(&true));
    let places = (0..observed.len().min(floor.center.len())).filter(|place| !open(*place));
    places.for_each(|place| measuring.element(place));
    measuring.end()
}

/// A comparison of an answer with the runs of one class.
struct Measuring<'f> {
    floor: &'f Floor,
    observed: &'f [f64],
    limits: &'f Limits,
    /// From this distance on, a float is behind a decision.
    jump: f64,
    /// The step of what was quantized, where the output is on a lattice.
    lattice: OnceCell<Option<f64>>,
    /// The kinds of values that the runs gave anywhere.
    all_kinds: u8,
    /// The range of all runs, where no digit is certain.
    range: Option<(f64, f64)>,
    unit: f64,
    found: Found,
    /// The number of elements that no decision explains so far.
    wrong: usize,
    /// The sum of the squares of the distances, and that of the noises.
    distances: f64,
    noises: f64,
    /// The farthest element, with its distance.
    farthest: (f64, usize),
    new: New,
}

/// Elements with a value that no run of the reference gave there.
#[derive(Default)]
struct New {
    /// Integers and steps.
    integers: Vec<usize>,
    /// NaN, infinities and finite numbers, of which runs gave others.
    kinds: Vec<usize>,
    /// Floats behind a decision.
    floats: Vec<usize>,
}

impl<'f> Measuring<'f> {
    fn new(floor: &'f Floor, observed: &'f [f64], limits: &'f Limits) -> Measuring<'f> {
        let is_open = !floor.exact && uncertain(floor).is_some();
        Measuring {
            floor,
            observed,
            limits,
            jump: floor.least_jump(),
            lattice: OnceCell::new(),
            all_kinds: floor.kinds.iter().fold(0, |all, kinds| all | kinds),
            range: is_open.then(|| floor.ends()),
            unit: greatest(&floor.sigma),
            found: Found {
                equal: true,
                unsettled: 0,
                fault: None,
                is_rare: false,
            },
            wrong: 0,
            distances: 0.0,
            noises: 0.0,
            farthest: (0.0, 0),
            new: New::default(),
        }
    }

    fn lattice(&self) -> Option<f64> {
        *self.lattice.get_or_init(|| self.floor.lattice())
    }

    /// Records what is wrong at a place, if nothing was before.
    fn fault(&mut self, place: usize, why: &str) {
        self.wrong += 1;
        let (floor, seen) = (self.floor, self.observed[place]);
        self.found
            .fault
            .get_or_insert_with(|| sentence(floor, seen, place, why));
    }

    fn element(&mut self, place: usize) {
        let (floor, seen, center) = (self.floor, self.observed[place], self.floor.center[place]);
        if seen == center || seen.is_nan() && center.is_nan() {
            // An element that is not finite has no noise.
            self.noises += square(floor.sigma[place] / self.unit);
            return;
        }
        self.found.equal = false;
        let is_new_kind = floor.kinds[place] & kind(seen) == 0;
        // A kind that honest runs give elsewhere may occur here as well.
        if is_new_kind && self.all_kinds & kind(seen) != 0 {
            self.found.unsettled += 1;
            self.new.kinds.push(place);
        } else if is_new_kind {
            self.fault(place, "");
        } else if floor.unmoved {
            self.fault(place, ", which no rounding changes");
        } else if floor.exact && !floor.admits(place, seen) {
            self.new.integers.push(place);
        } else {
            self.possible(place);
        }
    }

    /// An element with another value than the right one, of a kind that runs gave there.
    fn possible(&mut self, place: usize) {
        let (floor, seen, center) = (self.floor, self.observed[place], self.floor.center[place]);
        self.found.unsettled += u64::from(floor.exact || kind(seen) != kind(center));
        // Where no digit is certain, a few runs show no limits of an element.
        let is_possible = self
            .range
            .is_some_and(|(least, most)| (least..=most).contains(&seen));
        if floor.exact || kind(seen) != FINITE || is_possible {
            return;
        }
        match floor.groups(place, self.jump) {
            Some(groups) => self.decided(place, groups),
            None => self.rounded(place),
        }
    }

    /// A float of which the runs gave two groups of values.
    fn decided(&mut self, place: usize, groups: [(f64, f64); 2]) {
        let (floor, seen, center) = (self.floor, self.observed[place], self.floor.center[place]);
        self.found.unsettled += 1;
        let is_far = !is_near(floor, groups, (seen, center), self.limits.reach);
        let is_step = || {
            self.lattice()
                .is_some_and(|step| floor.admits_step(place, seen, step))
        };
        if is_far && !is_step() {
            if self.is_decision(place) {
                self.new.floats.push(place);
            } else {
                self.fault(place, &why_new(floor, place, seen, self.jump, self.limits));
            }
        }
    }

    /// A float with a noise.
    fn rounded(&mut self, place: usize) {
        let (apart, sigma) = (
            self.observed[place] - self.floor.anchor[place],
            self.floor.sigma[place],
        );
        let distance = multiple(apart, sigma);
        // All runs may make a decision alike by chance.
        if distance > self.limits.reach && self.is_decision(place) {
            self.new.floats.push(place);
            return;
        }
        if distance > self.farthest.0 {
            self.farthest = (distance, place);
        }
        if distance > self.limits.reach {
            self.wrong += 1;
            return;
        }
        self.distances += (apart / self.unit).powi(2);
        self.noises += square(sigma / self.unit);
    }

    /// Whether a value differs by a decision: what was quantized is a whole number of steps; else a decision
    /// is a jump.
    fn is_decision(&self, place: usize) -> bool {
        let seen = self.observed[place];
        match self.lattice() {
            Some(step) => self.floor.is_on_lattice(place, seen, step),
            None => (seen - self.floor.anchor[place]).abs() > self.jump,
        }
    }

    fn end(mut self) -> Found {
        let (floor, observed) = (self.floor, self.observed);
        let new = std::mem::take(&mut self.new);
        let wrong = self.wrong + new.integers.len() + new.kinds.len() + new.floats.len();
        let is_usual = self.range.is_some() || are_as_many(&new.kinds, floor.unseen_kinds());
        if let Some(&place) = new.kinds.first().filter(|_| !is_usual) {
            self.fault(place, "");
        }
        if let Some(&place) = new.integers.first()
            && !are_expected(floor, observed, &new.integers, floor.unseen())
        {
            self.fault(place, "");
        }
        if let Some(&place) = new.floats.first() {
            let step = self.lattice().unwrap_or(self.jump);
            let unseen = floor.unseen_steps(step);
            let is_expected = are_expected(floor, observed, &new.floats, unseen);
            if is_expected && floor.are_near(observed, &new.floats, step) {
                self.found.unsettled += new.floats.len() as u64;
            } else {
                self.fault(
                    place,
                    &why_new(floor, place, observed[place], self.jump, self.limits),
                );
            }
        }
        self.limited();
        let is_of_few = || (1..=FEW.max(floor.decided(self.jump))).contains(&wrong);
        self.found.is_rare = !self.is_beyond() && is_of_few();
        self.found
    }

    /// Holds the farthest element and the root mean square of all against their limits.
    fn limited(&mut self) {
        let (distance, place) = self.farthest;
        if distance > self.limits.reach {
            let why = format!(": {}, the limit is {:.1}", times(distance), self.limits.reach);
            self.fault(place, &why);
        }
        if self.is_beyond() {
            let (together, limit) = (self.together(), self.limits.together);
            self.found.fault.get_or_insert_with(|| {
                let off = times(together);
                format!("all elements together are {off} off, the limit is {limit:.1}")
            });
        }
    }

    /// The root mean square of all distances within the limit of one, in multiples of the noise.
    fn together(&self) -> f64 {
        (self.distances / self.noises).sqrt()
    }

    fn is_beyond(&self) -> bool {
        !self.floor.exact && self.together() > self.limits.together
    }
}

/// Why a value behind a decision is wrong.
fn why_new(floor: &Floor, place: usize, seen: f64, jump: f64, limits: &Limits) -> String {
    match floor.groups(place, jump) {
        Some([(_, below), (above, _)]) => {
            format!(": honest runs give values up to {below} or from {above}")
        }
        None => {
            let distance = multiple(seen - floor.anchor[place], floor.sigma[place]);
            format!(": {}, the limit is {:.1}", times(distance), limits.reach)
        }
    }
}

/// The square of a noise; 0 for an element that is not finite, which has none.
pub(super) fn square(sigma: f64) -> f64 {
    if sigma.is_nan() { 0.0 } else { sigma.powi(2) }
}

/// Whether a value behind a jump is near one of the two groups of values that honest runs gave.
fn is_near(floor: &Floor, groups: [(f64, f64); 2], (seen, center): (f64, f64), reach: f64) -> bool {
    // The group of few runs has the width of the other.
    let widths = groups.map(|(least, most)| most - least);
    let width = widths.into_iter().fold(0.0, f64::max);
    let margin = reach * width.max(floor.step(center.abs().max(seen.abs())));
    let near = |(least, most): (f64, f64)| (least - margin..=most + margin).contains(&seen);
    groups.into_iter().any(near)
}

/// What an element is and should be, and `why` it is wrong.
pub(super) fn sentence(floor: &Floor, seen: f64, place: usize, why: &str) -> String {
    let center = floor.center[place];
    let [seen, center] = match floor.integers_at(place) {
        // The double next to the greatest integer is beyond the type.
        Some(center) if floor.dtype == DType::Uint64 => [(seen as u64).to_string(), center.to_string()],
        Some(center) => [(seen as i64).to_string(), center.to_string()],
        _ if floor.exact => [seen, center].map(|value| value.to_string()),
        _ => numbers([seen, center]),
    };
    format!(
        "element {:?} is {seen}, expected {center}{why}",
        floor.position(place)
    )
}

/// A distance in words.
fn times(distance: f64) -> String {
    if distance < 1e6 {
        format!("{distance:.1} times the noise")
    } else {
        "more than a million times the noise".to_owned()
    }
}

/// Two values with as many digits as a float has, or all if they differ only in others.
fn numbers(values: [f64; 2]) -> [String; 2] {
    let short = values.map(|value| match value.to_string() {
        text if text.len() > 10 => format!("{value:.7e}"),
        text => text,
    });
    if short[0] == short[1] {
        values.map(|value| format!("{value:e}"))
    } else {
        short
    }
}

/// Whether the noise of an output is as large as the output.
pub(super) fn has_no_digit(floor: &Floor) -> bool {
    floor.summary.digits < LEAST_DIGITS
}

/// Whether the elements of at least a tenth of the greatest magnitude have significant digits, as the text
/// in a map of scores that are nearly 0 elsewhere.
pub(super) fn has_digits_where_large(floor: &Floor) -> bool {
    const LARGE: f64 = 0.1;
    let magnitudes = floor.center.iter().map(|center| center.abs());
    let greatest = magnitudes.filter(|x| x.is_finite()).fold(0.0, f64::max);
    let pairs = floor.center.iter().zip(&floor.sigma);
    let large = pairs.filter(|(center, sigma)| center.abs() >= LARGE * greatest && !sigma.is_nan());
    let unit = unit(floor.dtype).unwrap_or(f64::NAN);
    let found = large.filter_map(|(center, sigma)| digits(*center, *sigma, unit));
    median(&mut found.collect::<Vec<f64>>()) >= LEAST_DIGITS
}

/// Why honest runs show too little of an output to judge it.
pub(super) fn uncertain(floor: &Floor) -> Option<String> {
    /// The part of the elements, and the least number of them.
    const MANY: (f64, usize) = (1.0 / 8.0, 8);
    if has_no_digit(floor) {
        return Some(format!(
            "the model has no significant digit: its own rounding errors are as large as its output ({:.1} digits)",
            floor.summary.digits
        ));
    }
    let (open, all) = (floor.of_several_kinds(), floor.center.len());
    (open as f64 > MANY.0 * all as f64 && open >= MANY.1)
        .then(|| format!("honest runs disagree whether {open} of its {all} elements are finite numbers"))
}
