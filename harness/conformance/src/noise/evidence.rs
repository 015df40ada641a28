//! What the reference's own runs say about the outputs of one data set.

use std::collections::{BTreeMap, BTreeSet};

use run_record::Arithmetic;

use super::shapes::Shapes;
use super::{Floor, SetSpreads, Spread};

/// The number of runs with random rounding by default: σ is then at most 1.7 times the estimate, at 95 %
/// confidence; with 32 runs the factor would be 1.3.
pub const RUNS: u32 = 8;

/// The runs of a class where few elements are wrong that a decision may explain: a tie that one run in ten
/// decides otherwise is then seen in 97 of 100 cases.
pub const MORE: u32 = 32;

/// The runs that show which answers are clearly right.
pub const FEW: u32 = 2;

/// The number of elements of an output from which on one run shows as much: the noise of an element is then
/// above all that of similar ones.
const MANY: usize = 256;

/// The runs that show which answers like `answer` are clearly right.
pub fn few(answer: &SetSpreads) -> u32 {
    let has_many = |output: &Spread| output.mean().len() >= MANY;
    if answer.values().all(has_many) { 1 } else { FEW }
}

/// The runs with other draws: with fewer, two draws of a boolean are often equal.
pub const DRAWS: u32 = 16;

/// The evidence about the outputs of one data set.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The noise of each output under each class that was measured, the most accurate first.
    pub floors: BTreeMap<String, Vec<(Arithmetic, Floor)>>,
    /// The elements that the specification does not determine; `None` if it determines all.
    pub unspecified: Option<Unspecified>,
    /// The outputs of which rounding decides the shape: honest runs give several.
    pub shapes: BTreeMap<String, Shapes>,
    /// Whether there were only a few runs ([`few`]), so that only an answer that is clearly right is
    /// explained: it would be right by all runs, too.
    pub preliminary: bool,
    /// The classes whose runs the reference did not finish: nothing says whether they explain an answer.
    pub missing: Vec<Arithmetic>,
    /// Why the reference did not finish them; empty if none is missing.
    pub lost: String,
}

/// Elements that depend on a random draw or on an undefined result.
#[derive(Clone, Debug)]
pub struct Unspecified {
    /// The first node with such a result, and the sentence.
    pub reason: String,
    /// For each output, whether an element depends on it.
    pub elements: BTreeMap<String, Vec<bool>>,
    /// The outputs whose shape depends on it.
    pub shapes: BTreeSet<String>,
}

/// The runs of the reference on one data set.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The run without random rounding.
    pub answer: SetSpreads,
    /// The runs with random rounding of each class.
    pub noisy: Vec<Noisy>,
    /// Why a run declines that refuses what the specification does not determine; `None` if it answers.
    pub refusal: Option<String>,
    /// Runs with other draws.
    pub drawn: Option<SetSpreads>,
}

/// The runs with random rounding of a class.
#[derive(Clone, Debug)]
pub struct Noisy {
    pub class: Arithmetic,
    /// The number of runs.
    pub count: u32,
    pub spreads: SetSpreads,
}

impl Runs {
    /// The run without random rounding.
    pub fn of(answer: SetSpreads) -> Runs {
        Runs {
            answer,
            noisy: Vec::new(),
            refusal: None,
            drawn: None,
        }
    }
}

impl Evidence {
    /// Whether the specification leaves an element of an output open, of each; `None` if it leaves none open.
    pub(super) fn open(&self, name: &str) -> Option<&[bool]> {
        let open = self.unspecified.as_ref()?;
        open.elements.get(name).map(Vec::as_slice)
    }

    /// The evidence of `runs`.
    pub fn new(runs: &Runs) -> Evidence {
        let Runs {
            answer,
            noisy,
            refusal,
            drawn,
        } = runs;
        let mut floors: BTreeMap<String, Vec<(Arithmetic, Floor)>> = BTreeMap::new();
        for class in Arithmetic::ALL {
            let Some(runs) = noisy.iter().find(|runs| runs.class == class) else {
                continue;
            };
            // Values that are kept in float have a right answer of their own.
            let centers = if class == Arithmetic::Wide {
                &runs.spreads
            } else {
                answer
            };
            for (name, floor) in class_floors(centers, runs) {
                floors.entry(name).or_default().push((class, floor));
            }
        }
        let unspecified = refusal.as_ref().zip(drawn.as_ref());
        let unspecified = unspecified.map(|(reason, drawn)| Unspecified {
            reason: reason.clone(),
            elements: differing(answer, drawn),
            shapes: answer
                .iter()
                .filter(|(name, answer)| of_shape(drawn, name, answer).is_none())
                .map(|(name, _)| name.clone())
                .collect(),
        });
        Evidence {
            floors,
            unspecified,
            shapes: Shapes::of(answer, noisy),
            preliminary: false,
            missing: Vec::new(),
            lost: String::new(),
        }
    }
}

/// The draws of an output; `None` if its shape depends on them.
fn of_shape<'d>(drawn: &'d SetSpreads, name: &str, answer: &Spread) -> Option<&'d Spread> {
    drawn.get(name).filter(|drawn| drawn.is_shaped_as(answer))
}

/// The greatest share of the elements of an output that differ from the answer in some run.
pub fn undetermined(answer: &SetSpreads, drawn: &SetSpreads) -> f64 {
    let share = |elements: &Vec<bool>| {
        let open = elements.iter().filter(|is_open| **is_open).count();
        open as f64 / elements.len().max(1) as f64
    };
    differing(answer, drawn).values().map(share).fold(0.0, f64::max)
}

/// For each output, the elements that differ from the answer in some run.
fn differing(answer: &SetSpreads, drawn: &SetSpreads) -> BTreeMap<String, Vec<bool>> {
    let of_output = |(name, answer): (&String, &Spread)| {
        let elements = match of_shape(drawn, name, answer) {
            Some(drawn) => {
                let about = drawn.about(answer.mean());
                let kinds = answer.kinds().iter().zip(drawn.kinds());
                kinds
                    .zip(about)
                    .map(|((a, b), about)| a != b || about > 0.0)
                    .collect()
            }
            None => vec![true; answer.mean().len()],
        };
        (name.clone(), elements)
    };
    answer.iter().map(of_output).collect()
}

/// The floors of a data set under one class, for every output that the reference and all runs gave.
fn class_floors(answer: &SetSpreads, noisy: &Noisy) -> BTreeMap<String, Floor> {
    let floor = |(name, answer): (&String, &Spread)| {
        let of_all = noisy.spreads.get(name).filter(|runs| runs.runs() == noisy.count);
        Some((name.clone(), Floor::new(answer, of_all?)?))
    };
    answer.iter().filter_map(floor).collect()
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::*;
    use crate::reference::join;

    fn spreads(names: &[&str], value: f32) -> SetSpreads {
        let spread = Spread::of(&Tensor::vector(vec![value, 1.0])).unwrap();
        names
            .iter()
            .map(|name| ((*name).to_owned(), spread.clone()))
            .collect()
    }

    #[test]
    fn only_outputs_of_all_runs_have_a_floor() {
        let mut runs = spreads(&["a", "b"], 1.0);
        join(&mut runs, spreads(&["a"], 1.5));
        let noisy = |count| Noisy {
            class: Arithmetic::Rounded,
            count,
            spreads: runs.clone(),
        };
        let found = class_floors(&spreads(&["a", "b", "c"], 1.25), &noisy(2));
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a"]);
        assert!(class_floors(&spreads(&["a"], 1.0), &noisy(3)).is_empty());
    }

    #[test]
    fn elements_that_depend_on_a_draw_differ() {
        let found = differing(&spreads(&["a"], 1.0), &spreads(&["a"], 2.0));
        assert_eq!(found["a"], [true, false]);
    }
}
