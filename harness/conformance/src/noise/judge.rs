//! The judgement of an output by the reference's own runs.
//!
//! Every element is held against one rule. First its kind: NaN, an infinity and a finite number agree only
//! with themselves, unless the reference's runs disagree about the kind of this element. Then, of a float,
//! its distance in multiples of the noise σ of the element; of an integer or a boolean, equality, unless
//! the runs disagree. Elements that the specification does not determine are left out and counted.
//!
//! With α = `FALSE_ALARMS` for each output: no element of n may be farther than Student's quantile of α/2n,
//! and the root mean square of all distances must be below that of α/2, with as many degrees of freedom as
//! the runs show: a common factor may move all elements of an honest answer together.

use backend_api::Named;
use harness_compare::leaves;
use run_record::{Arithmetic, Explanation, Judgement, OutputStats};

use super::attach::multiple;
use super::floor::greatest;
use super::measure::{Limits, has_digits_where_large, has_no_digit, measure, sentence, square, uncertain};
use super::quantiles::limit;
use super::spread::kind;
use super::{Evidence, Floor, median};

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

/// Whether more runs may explain the outputs that nothing explains: few of their elements are wrong under a
/// class that passes.
pub fn may_be_unseen(evidence: &Evidence, outputs: &[OutputStats], observed: &[Named]) -> bool {
    let is_unexplained = |output: &&OutputStats| {
        let judgement = output.judgement.as_ref();
        judgement.is_some_and(|found| matches!(found.explanation, Explanation::Nothing(_)))
    };
    let observed = leaves(observed);
    let is_rare = |output: &OutputStats| {
        let (_, tensor) = observed.iter().find(|(name, _)| *name == output.name)?;
        let open = evidence.open(&output.name);
        let mut classes = evidence.floors.get(&output.name)?.iter();
        classes.find_map(|(class, floor)| {
            let elements = floor.elements(tensor).filter(|_| class.passes())?;
            measure(floor, &elements, open, &Limits::of(floor))
                .is_rare
                .then_some(())
        })
    };
    let mut unexplained = outputs.iter().filter(is_unexplained);
    !evidence.preliminary && unexplained.all(|output| is_rare(output).is_some())
}

/// Judges the elements that the specification determines.
fn judge_determined(evidence: &Evidence, name: &str, observed: &[f64]) -> Option<Judgement> {
    let classes = evidence.floors.get(name)?;
    let (_, first) = classes.first()?;
    let unspecified = evidence.open(name);
    let mut judgement = Judgement {
        explanation: Explanation::Equal,
        unsettled: 0,
        unspecified: unspecified.map_or(0, |places| places.iter().filter(|place| **place).count() as u64),
        why: String::new(),
    };
    if judgement.unspecified > 0 {
        let open = evidence.unspecified.as_ref();
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
                let lost = first.summary.digits - floor.summary.digits;
                if class.passes() && has_no_digit(floor) && !has_digits_where_large(floor) && lost > 1.0 {
                    judgement.explanation = Explanation::Open(format!(
                        "only {} explain it, which leave the output no significant digit",
                        class.words()
                    ));
                }
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
        let open = evidence.open(name);
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

#[cfg(test)]
mod tests;
