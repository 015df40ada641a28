//! The evidence about one data set, as far as answers needed it.

use std::thread;

use backend_api::Named;
use harness_compare::Comparison;
use onnx_model::{Limits, Model, Source};
use run_record::standing::Standing;
use run_record::{Arithmetic, Explanation, OutputStats};

use super::effort::Effort;
use crate::noise::{self, DRAWS, Evidence, FEW, Runs, SetSpreads, attach};
use crate::reference::{join, spreads};
use crate::reference::runner::{REFUSED, RunRequest, Runner, RunnerError, unspecified};

/// The evidence about the outputs of one data set, as far as answers needed it. It is kept for the answers of
/// all backends.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The runs; `None` before the first answer needed some, and if the reference has none.
    runs: Option<Runs>,
    /// The number of stages whose runs were requested.
    stages: usize,
    evidence: Evidence,
    /// Whether the model has 16-bit floats, which a runtime may keep in float; `None` before anybody asked.
    has_halves: Option<bool>,
}

impl Collected {
    /// Notes an answer of the reference in which the specification determines every result: it is not asked
    /// for another before its runs with random rounding.
    pub fn know(&mut self, outputs: &[Named]) {
        self.runs.get_or_insert_with(|| of_answer(spreads(outputs)));
    }

    /// Judges an answer, whose comparison with the expected outputs is `comparison`: the judgement of each
    /// output is attached to it. `reference` makes the runs that the answer needs.
    ///
    /// # Errors
    /// A worker of the reference cannot be started again, or the command is interrupted.
    pub fn judge(
        &mut self,
        comparison: &mut Comparison,
        observed: &[Named],
        request: &RunRequest,
        effort: &Effort,
        reference: &mut Runner,
    ) -> Result<Standing, RunnerError> {
        let mut standing = noise::standing(comparison);
        for stage in 0..effort.stages().len() {
            let first = stage == 0 && effort.always;
            if !first && !is_open(standing, &comparison.outputs) {
                break;
            }
            let evidence = self.evidence(stage, request, effort, reference)?;
            attach(&mut comparison.outputs, observed, evidence);
            standing = noise::standing(comparison);
        }
        Ok(standing)
    }

    /// What the runs of the first class say about the outputs, all of them.
    ///
    /// # Errors
    /// Like [`Self::judge`].
    pub fn of_first_class(
        &mut self,
        request: &RunRequest,
        effort: &Effort,
        reference: &mut Runner,
    ) -> Result<&Evidence, RunnerError> {
        let stages = effort.stages();
        let full = stages.iter().rposition(|stage| stage.classes.len() == 1);
        self.evidence(full.unwrap_or(0), request, effort, reference)
    }

    /// The evidence of the stages up to the one with this number. Runs that were made for another answer are
    /// not repeated.
    fn evidence(
        &mut self,
        stage: usize,
        request: &RunRequest,
        effort: &Effort,
        reference: &mut Runner,
    ) -> Result<&Evidence, RunnerError> {
        // A backend that the user trusts in the place of the reference has no such runs.
        if !reference.description().options.contains_key("noise") {
            return Ok(&self.evidence);
        }
        if self.stages == 0 {
            self.runs = match self.runs.take() {
                None => answered(request, reference)?,
                known => known,
            };
            self.evidence.missing = effort.classes.to_vec();
        }
        let stages = effort.stages();
        for later in stages.get(self.stages..=stage).unwrap_or_default() {
            self.stages += 1;
            let Some(runs) = &mut self.runs else { continue };
            let classes = possible(later.classes, &mut self.has_halves, request);
            let finished = extend(runs, (&classes, later.runs), request, effort, reference)?;
            let complete = finished || runs.count == later.runs;
            let measured =
                |class: &Arithmetic| complete && runs.noisy.iter().any(|(known, _)| known == class);
            let missing = |class: &&Arithmetic| !finished && !measured(class);
            self.evidence = Evidence {
                preliminary: runs.count == FEW && effort.runs.is_none(),
                missing: effort.classes.iter().filter(missing).copied().collect(),
                ..Evidence::new(runs)
            };
            if !finished {
                self.stages = stages.len();
            }
        }
        Ok(&self.evidence)
    }
}

/// The classes that a runtime may show on the model: one without 16-bit floats keeps none in float.
fn possible(classes: &[Arithmetic], known: &mut Option<bool>, request: &RunRequest) -> Vec<Arithmetic> {
    let mut has_halves = || {
        *known.get_or_insert_with(|| {
            let source = Source::named("the model");
            let model = Model::decode(request.model.clone(), &source, &Limits::default());
            // External data is of no interest.
            model.as_ref().map_or(true, super::has_halves)
        })
    };
    let is_possible = |class: &&Arithmetic| **class != Arithmetic::Wide || has_halves();
    classes.iter().filter(is_possible).copied().collect()
}

/// Adds the runs of a stage; returns whether the reference finished them. A class whose further runs are
/// missing keeps those that it has.
fn extend(
    runs: &mut Runs,
    (classes, count): (&[Arithmetic], u32),
    request: &RunRequest,
    effort: &Effort,
    reference: &mut Runner,
) -> Result<bool, RunnerError> {
    let before = runs.count;
    for class in classes {
        let known = runs.noisy.iter_mut().find(|(known, _)| known == class);
        let from = if known.is_some() { before } else { 0 };
        if from == count {
            continue;
        }
        let seeds = (effort.seed.wrapping_add(from.into()), count - from);
        match (noisy(*class, seeds, request, effort.parallel, reference)?, known) {
            (Ok(found), Some((_, spreads))) => join(spreads, found),
            (Ok(found), None) => runs.noisy.push((*class, found)),
            (Err(_), _) => return Ok(false),
        }
        runs.count = count;
    }
    Ok(true)
}

/// Runs with the errors of a class: the first seed, and the number of runs. They are divided among workers at
/// the same time; the result does not depend on their number.
fn noisy(
    class: Arithmetic,
    (seed, count): (u64, u32),
    request: &RunRequest,
    parallel: usize,
    reference: &mut Runner,
) -> Result<Result<SetSpreads, String>, RunnerError> {
    let shares = shares(seed, count, parallel);
    let options = shares.iter().map(|(seed, _)| rounding(class, *seed).to_vec());
    let options: Vec<_> = options.collect();
    let found = reference.siblings(&options, |runners| {
        thread::scope(|scope| {
            let start = |(runner, (_, runs)): (_, &(u64, u32))| {
                let (runner, runs): (&mut Runner, u32) = (runner, *runs);
                scope.spawn(move || runner.spreads(request, runs))
            };
            let started: Vec<_> = runners.iter_mut().zip(&shares).map(start).collect();
            let joined = started.into_iter().map(|one| match one.join() {
                Ok(found) => found,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect::<Result<Vec<_>, RunnerError>>()
        })
    })?;
    let mut all = SetSpreads::new();
    for part in found {
        match part {
            Ok(part) => join(&mut all, part),
            Err(reason) => return Ok(Err(reason)),
        }
    }
    Ok(Ok(all))
}

/// The options of the reference for runs with the errors of a class, of which the first has this seed.
pub(crate) fn rounding(class: Arithmetic, seed: u64) -> [(&'static str, String); 2] {
    [
        ("noise", seed.to_string()),
        ("arithmetic", class.key().to_owned()),
    ]
}

/// Divides runs among workers: the first seed and the number of runs of each.
fn shares(mut seed: u64, count: u32, workers: usize) -> Vec<(u64, u32)> {
    let workers = u32::try_from(workers).unwrap_or(u32::MAX).min(count).max(1);
    let share = |number: u32| {
        let runs = count / workers + u32::from(number < count % workers);
        let share = (seed, runs);
        seed = seed.wrapping_add(runs.into());
        share
    };
    (0..workers).map(share).collect()
}

/// Whether more runs of the reference may change the verdict: an answer of the right form that is not equal
/// has no explanation yet.
fn is_open(standing: Standing, outputs: &[OutputStats]) -> bool {
    let unexplained = |output: &OutputStats| match &output.judgement {
        None => true,
        Some(judgement) => matches!(judgement.explanation, Explanation::Nothing(_)),
    };
    standing != Standing::Exact && !outputs.is_empty() && outputs.iter().any(unexplained)
}

/// The run of the reference, and its draws where the specification does not determine a result. `None` if it
/// does not answer.
fn answered(request: &RunRequest, reference: &mut Runner) -> Result<Option<Runs>, RunnerError> {
    let mut unspecified = |treatment: &str, count| {
        reference.siblings(&[unspecified(treatment)], |runners| match runners {
            [runner, ..] => runner.spreads(request, count),
            [] => Ok(Err(String::new())),
        })
    };
    let refusal = match unspecified(REFUSED, 1)? {
        Ok(answer) => return Ok(Some(of_answer(answer))),
        Err(reason) => reason,
    };
    let drawn = unspecified("drawn", DRAWS)?.ok();
    let answer = reference.spreads(request, 1)?.ok();
    Ok(answer.map(|answer| Runs {
        refusal: Some(refusal),
        drawn,
        ..of_answer(answer)
    }))
}

fn of_answer(answer: SetSpreads) -> Runs {
    Runs {
        answer,
        noisy: Vec::new(),
        count: 0,
        refusal: None,
        drawn: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_do_not_depend_on_the_number_of_workers() {
        for workers in [1, 3, 8, 100] {
            let shares = shares(5, 8, workers);
            assert_eq!(shares.len(), workers.min(8));
            let seeds = shares
                .iter()
                .flat_map(|(seed, runs)| *seed..*seed + u64::from(*runs));
            assert_eq!(seeds.collect::<Vec<u64>>(), (5..13).collect::<Vec<u64>>());
        }
    }
}
