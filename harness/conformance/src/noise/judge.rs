//! The judgement of an output by the reference's own runs.
//!
//! Every element is held against one rule. First its kind: NaN, an infinity and a finite number agree only
//! with themselves, unless the reference's runs disagree about the kind of this element. Then, of a float,
//! its distance in multiples of the noise σ of the element; of an integer or a boolean, equality, unless
//! the runs disagree. Elements that the specification does not determine are left out and counted.
//!
//! With α = [`FALSE_ALARMS`] for each output: no element of n may be farther than Student's quantile of α/2n,
//! and the root mean square of all distances must be below that of α/2, with as many degrees of freedom as
//! the runs show: a common factor may move all elements of an honest answer together.

use std::cell::LazyCell;

use backend_api::Named;
use harness_compare::leaves;
use onnx_tensor::DType;
use run_record::{Arithmetic, Explanation, Judgement};

use super::attach::multiple;
use super::evidence::RUNS;
use super::floor::{SIMILAR, greatest};
use super::quantiles::farthest;
use super::spread::{FINITE, kind};
use super::{Evidence, Floor, median};

/// The probability with which an honest answer of the same noise is rejected, for each output.
pub(super) const FALSE_ALARMS: f64 = 1e-4;

/// The rounding errors of a number of steps.
const ROUGH: f64 = 1e-3;

/// With fewer digits, the model's own rounding errors are as large as its output.
const LEAST_DIGITS: f64 = 0.5;

/// Judges the elements of the output `name` by the runs that were made; `None` without evidence about it. An
/// answer of which less than half is determined may be wrong, but cannot be right.
pub fn judge(evidence: &Evidence, name: &str, observed: &[f64]) -> Option<Judgement> {
    let mut judgement = judge_determined(evidence, name, observed)?;
    let (open, all) = (judgement.unspecified, observed.len() as u64);
    let is_right = matches!(
        judgement.explanation,
        Explanation::Equal | Explanation::Arithmetic(_)
    );
    if is_right && 2 * open > all {
        judgement.explanation = Explanation::Open(format!(
            "the specification does not determine {open} of its {all} elements"
        ));
    }
    Some(judgement)
}

/// Judges the elements that the specification determines.
fn judge_determined(evidence: &Evidence, name: &str, observed: &[f64]) -> Option<Judgement> {
    let classes = evidence.floors.get(name)?;
    let (_, first) = classes.first()?;
    let open = evidence.unspecified.as_ref();
    let unspecified = open.and_then(|open| open.elements.get(name)).map(Vec::as_slice);
    let mut judgement = Judgement {
        explanation: Explanation::Equal,
        unsettled: 0,
        unspecified: unspecified.map_or(0, |places| places.iter().filter(|place| **place).count() as u64),
        why: String::new(),
    };
    if judgement.unspecified > 0 {
        judgement.why = open.map(|open| open.reason.clone()).unwrap_or_default();
    }
    if let Some(reason) = cannot_be_judged(first, unspecified) {
        judgement.explanation = Explanation::Open(reason);
        return Some(judgement);
    }
    let mut refusal = String::new();
    for (class, floor) in classes {
        let limits = if evidence.preliminary {
            Limits::preliminary(floor)
        } else {
            Limits::of(floor)
        };
        let mut found = measure(floor, observed, unspecified, &limits);
        if *class >= Arithmetic::Narrow && found.fault.is_none() {
            found.fault = scaled(floor, observed);
        }
        if *class == Arithmetic::Reduced && found.fault.is_none() {
            found.fault = local(floor, first, observed).or_else(|| overflow(first, observed));
        }
        if evidence.preliminary && found.unsettled > 0 {
            // Few runs show neither which values a decision has nor how many elements are next to one.
            let fault = || "more runs show which values a decision has".to_owned();
            found.fault.get_or_insert_with(fault);
        }
        judgement.unsettled = found.unsettled;
        // Its right answer is another one.
        if found.equal && *class == Arithmetic::Wide {
            judgement.explanation = explained(*class, floor);
            return Some(judgement);
        }
        if found.equal {
            let infinite = !first.exact
                && !first.center.is_empty()
                && first.center.iter().all(|value| !value.is_finite());
            if infinite {
                let reason = "no element of the right answer is a finite number".to_owned();
                judgement.explanation = Explanation::Open(reason);
            }
            return Some(judgement);
        }
        match found.fault {
            None => {
                judgement.explanation = explained(*class, first);
                return Some(judgement);
            }
            // The reason of the most accurate class is the one that a person can check.
            Some(fault) if refusal.is_empty() => refusal = fault,
            Some(_) => {}
        }
    }
    judgement.explanation = Explanation::Nothing(refusal);
    Some(judgement)
}

/// The root mean square of the differences of other outputs from the right ones, in multiples of the noise of
/// the most accurate class; the largest of all outputs, infinite where a kind of value or an integer differs.
/// `None` without evidence.
pub fn effect(evidence: &Evidence, outputs: &[Named]) -> Option<f64> {
    let outputs = leaves(outputs);
    let of_output = |(name, classes): (&String, &Vec<(Arithmetic, Floor)>)| {
        let (_, floor) = classes.first()?;
        let (_, tensor) = outputs.iter().find(|(known, _)| known == name)?;
        let observed = floor.elements(tensor)?;
        let open = evidence
            .unspecified
            .as_ref()
            .and_then(|open| open.elements.get(name));
        let mut sums = (0.0, 0.0);
        let unit = greatest(&floor.sigma);
        for (place, (seen, center)) in observed.iter().zip(&floor.center).enumerate() {
            if open.is_some_and(|places| places.get(place) == Some(&true)) {
                continue;
            }
            match (seen - floor.anchor[place], floor.sigma[place]) {
                _ if seen.is_nan() && center.is_nan() || seen == center => {}
                (apart, sigma) if apart.is_finite() && sigma > 0.0 => sums.0 += (apart / unit).powi(2),
                _ => return Some(f64::INFINITY),
            }
            sums.1 += square(floor.sigma[place] / unit);
        }
        (sums.1 > 0.0).then(|| (sums.0 / sums.1).sqrt()).or(Some(0.0))
    };
    evidence.floors.iter().filter_map(of_output).reduce(f64::max)
}

/// A common factor of all elements that results of few bits do not make, because their errors have both
/// signs, and that no run shows.
fn scaled(floor: &Floor, observed: &[f64]) -> Option<String> {
    /// The unit roundoff of float16 and of a factor of TF32.
    const LEAST: f64 = 1.0 / 2048.0;
    /// In standard errors.
    const CERTAIN: f64 = 6.0;
    if floor.exact {
        return None;
    }
    // In multiples of the noise: one large factor of a row has one error, which looks like a factor of that
    // row.
    let in_noise = |values: &[f64]| -> Vec<f64> {
        let pairs = values.iter().zip(&floor.sigma).filter(|(_, sigma)| **sigma > 0.0);
        pairs.map(|(value, sigma)| value / sigma).collect()
    };
    let right = in_noise(&floor.center);
    let fit = |values: &[f64]| super::fit::line(&right, &in_noise(values));
    let found = fit(observed)?;
    let apart = (found.slope - 1.0).abs();
    if apart <= LEAST || apart <= CERTAIN * found.slope_error {
        return None;
    }
    // A factor that all elements of a run have, as that of one normalisation.
    let of_runs = floor.outcomes.iter().skip(1).filter_map(|run| fit(run));
    let squares: Vec<f64> = of_runs.map(|fit| (fit.slope - 1.0).powi(2)).collect();
    let count = squares.len().max(1) as f64;
    let own = (squares.iter().sum::<f64>() / count).sqrt();
    (apart > own * limit(count, 1)).then(|| format!("all elements are multiplied by {:.5}", found.slope))
}

/// Few elements that are far off beside many that are not: factors of few bits move all that depend on them.
fn local(floor: &Floor, first: &Floor, observed: &[f64]) -> Option<String> {
    /// In multiples of the noise of float, of which the median distance is 0.7 for normal errors.
    const LEAST: f64 = 2.0;
    /// Of fewer elements most may be right by chance.
    const FEWEST: usize = 8;
    let wider = |place: &usize| floor.sigma[*place] > 2.0 * first.sigma[*place];
    let places = (0..observed.len().min(floor.sigma.len())).filter(wider);
    let distance = |place: usize| multiple(observed[place] - floor.anchor[place], first.sigma[place]);
    let mut distances: Vec<f64> = places.map(distance).collect();
    let are_many = distances.len() >= FEWEST;
    // Most steps of a quantization are right also with a large error before it.
    let is_local = !floor.exact && are_many && median(&mut distances) < LEAST && floor.lattice().is_none();
    is_local.then(|| "most elements are as accurate as float, and few are far off".to_owned())
}

/// An element that is not finite where float is: factors of few bits have its range.
fn overflow(first: &Floor, observed: &[f64]) -> Option<String> {
    let mut elements = observed.iter().enumerate();
    let (place, seen) = elements.find(|(place, seen)| first.kinds[*place] & kind(**seen) == 0)?;
    Some(sentence(first, *seen, place, ""))
}

fn explained(class: Arithmetic, floor: &Floor) -> Explanation {
    uncertain(floor).map_or(Explanation::Arithmetic(class), Explanation::Open)
}

/// Why honest runs show too little of an output to judge it.
fn uncertain(floor: &Floor) -> Option<String> {
    /// The part of the elements, and the least number of them.
    const MANY: (f64, usize) = (1.0 / 8.0, 8);
    if floor.summary.digits < LEAST_DIGITS {
        return Some(format!(
            "the model has no significant digit: its own rounding errors are as large as its output ({:.1} digits)",
            floor.summary.digits
        ));
    }
    let (open, all) = (floor.of_several_kinds(), floor.center.len());
    (open as f64 > MANY.0 * all as f64 && open >= MANY.1)
        .then(|| format!("honest runs disagree whether {open} of its {all} elements are finite numbers"))
}

/// Why no element of an output can be judged.
fn cannot_be_judged(floor: &Floor, unspecified: Option<&[bool]>) -> Option<String> {
    if floor.center.is_empty() {
        return None;
    }
    if unspecified.is_some_and(|places| places.iter().all(|place| *place)) {
        return Some("the specification determines none of its elements".to_owned());
    }
    let all_nan = floor.center.iter().all(|value| value.is_nan());
    all_nan.then(|| "every element of the right answer is NaN".to_owned())
}

/// The comparison of an answer with one class.
struct Found {
    equal: bool,
    unsettled: u64,
    /// The first element that the class does not explain, or the measure of the whole output.
    fault: Option<String>,
}

/// How far an honest answer is from the right one at most, in multiples of the noise.
struct Limits {
    /// The farthest element.
    reach: f64,
    /// The root mean square of all elements.
    together: f64,
}

impl Limits {
    fn of(floor: &Floor) -> Limits {
        Limits {
            reach: floor.reach,
            together: floor.together,
        }
    }

    /// Limits for few runs: a part of the limit that all runs will set for the root mean square, because the
    /// noise of few runs may be too large by chance (that of one run four times, and that of two three times,
    /// with a probability of 1e-4), and for the farthest element that of all runs.
    fn preliminary(floor: &Floor) -> Limits {
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

fn measure(floor: &Floor, observed: &[f64], unspecified: Option<&[bool]>, limits: &Limits) -> Found {
    let mut found = Found {
        equal: true,
        unsettled: 0,
        fault: None,
    };
    let (mut distances, mut noises, mut farthest) = (0.0, 0.0, (0.0, 0));
    // The integers and the kinds of values that no run of the reference gave there.
    let (mut new, mut new_kinds): (Vec<usize>, Vec<usize>) = Default::default();
    let jump = floor.least_jump();
    let lattice = LazyCell::new(|| floor.lattice());
    // The floats behind a decision that no run made so.
    let mut new_floats: Vec<usize> = Vec::new();
    // What was quantized is a whole number of steps; else a decision is a jump.
    let is_decision = |place: usize, seen: f64| match *lattice {
        Some(step) => floor.is_on_lattice(place, seen, step),
        None => (seen - floor.anchor[place]).abs() > jump,
    };
    let is_open = !floor.exact && uncertain(floor).is_some();
    let all_kinds = floor.kinds.iter().fold(0, |all, kinds| all | kinds);
    let range = is_open.then(|| floor.ends());
    let unit = greatest(&floor.sigma);
    let differs = |place: usize, why: &str| sentence(floor, observed[place], place, why);
    for (place, (&seen, &center)) in observed.iter().zip(&floor.center).enumerate() {
        if unspecified.is_some_and(|places| places.get(place) == Some(&true)) {
            continue;
        }
        if seen == center || seen.is_nan() && center.is_nan() {
            // An element that is not finite has no noise.
            noises += square(floor.sigma[place] / unit);
            continue;
        }
        found.equal = false;
        // A kind that honest runs give elsewhere may occur here as well.
        if floor.kinds[place] & kind(seen) == 0 && all_kinds & kind(seen) != 0 {
            found.unsettled += 1;
            new_kinds.push(place);
            continue;
        }
        if floor.kinds[place] & kind(seen) == 0 {
            found.fault.get_or_insert_with(|| differs(place, ""));
            continue;
        }
        if floor.unmoved {
            let fault = || differs(place, ", which no rounding changes");
            found.fault.get_or_insert_with(fault);
            continue;
        }
        if floor.exact && !floor.admits(place, seen) {
            new.push(place);
            continue;
        }
        found.unsettled += u64::from(floor.exact || kind(seen) != kind(center));
        // Where no digit is certain, a few runs show no limits of an element.
        let is_possible = || range.is_some_and(|(least, most)| (least..=most).contains(&seen));
        if floor.exact || kind(seen) != FINITE || is_possible() {
            continue;
        }
        if let Some(groups) = floor.groups(place, jump) {
            found.unsettled += 1;
            let is_far = !is_near(floor, groups, (seen, center), limits.reach);
            let is_step = || lattice.is_some_and(|step| floor.admits_step(place, seen, step));
            if is_far && !is_step() {
                new_floats.push(place);
                if !is_decision(place, seen) {
                    let why = why_new(floor, place, seen, jump, limits);
                    found.fault.get_or_insert_with(|| differs(place, &why));
                }
            }
            continue;
        }
        let (apart, sigma) = (seen - floor.anchor[place], floor.sigma[place]);
        let distance = multiple(apart, sigma);
        // All runs may make a decision alike by chance.
        if distance > limits.reach && is_decision(place, seen) {
            new_floats.push(place);
            continue;
        }
        distances += (apart / unit).powi(2);
        noises += square(sigma / unit);
        if distance > farthest.0 {
            farthest = (distance, place);
        }
    }
    if let Some(&place) = new_kinds
        .first()
        .filter(|_| !is_open && !are_as_many(&new_kinds, floor.unseen_kinds()))
    {
        found.fault.get_or_insert_with(|| differs(place, ""));
    }
    if let Some(&place) = new
        .first()
        .filter(|_| !are_expected(floor, observed, &new, floor.unseen()))
    {
        found.fault.get_or_insert_with(|| differs(place, ""));
    }
    if let Some(&place) = new_floats.first() {
        let step = lattice.unwrap_or(jump);
        let unseen = floor.unseen_steps(step);
        if are_expected(floor, observed, &new_floats, unseen) && floor.are_near(observed, &new_floats, step) {
            found.unsettled += new_floats.len() as u64;
        } else {
            let why = why_new(floor, place, observed[place], jump, limits);
            found.fault.get_or_insert_with(|| differs(place, &why));
        }
    }
    let (distance, place) = farthest;
    if distance > limits.reach {
        let why = format!(": {}, the limit is {:.1}", times(distance), limits.reach);
        found.fault.get_or_insert_with(|| differs(place, &why));
    }
    let (together, limit) = ((distances / noises).sqrt(), limits.together);
    if !floor.exact && together > limit {
        found.fault.get_or_insert_with(|| {
            let off = times(together);
            format!("all elements together are {off} off, the limit is {limit:.1}")
        });
    }
    found
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
fn square(sigma: f64) -> f64 {
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
fn sentence(floor: &Floor, seen: f64, place: usize, why: &str) -> String {
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

/// The limit for the largest of `count` distances of an honest answer.
pub(super) fn limit(freedom: f64, count: usize) -> f64 {
    farthest(FALSE_ALARMS, freedom, count).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests;
