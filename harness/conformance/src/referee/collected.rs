//! The evidence about one data set, as far as answers needed it.

use backend_api::Named;
use harness_compare::{Comparison, leaves};
use onnx_model::{Limits, Model, Source};
use onnx_tensor::Tensor;
use run_record::standing::Standing;
use run_record::{Arithmetic, Explanation, Judgement, MismatchKind, OutputStats};

use super::alternatives::{Alternative, alternatives, explain, is_unexplained};
use super::effort::{Effort, Stage};
use super::rounding::noisy;
use crate::case::operators;
use crate::noise::{self, DRAWS, Evidence, Noisy, Runs, attach, few, may_be_unseen};
use crate::reference::runner::{DRAWN, REFUSED, RunRequest, Runner, RunnerError};
use crate::reference::{Lost, join, spreads};

/// The evidence about the outputs of one data set, as far as answers needed it. It is kept for the answers of
/// all backends.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The runs; `None` before the first answer needed some, and if the reference has none.
    runs: Option<Runs>,
    /// The number of stages whose runs were requested.
    stages: usize,
    evidence: Evidence,
    /// What the model has; `None` before anybody asked.
    traits: Option<Traits>,
    /// The answers to open questions under which outputs are others; `None` before anybody asked.
    alternatives: Option<Vec<Alternative>>,
}

impl Collected {
    /// Notes an answer of the reference in which the specification determines every result: it is not asked
    /// for another before its runs with random rounding.
    pub fn know(&mut self, outputs: &[Named]) {
        self.runs.get_or_insert_with(|| Runs::of(spreads(outputs)));
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
        if is_of_shapes(comparison) {
            self.judge_shapes(comparison, observed, (request, effort), reference)?;
        }
        if is_of_shapes(comparison) {
            self.read_shapes(comparison, observed, (request, effort), reference)?;
        }
        let mut standing = noise::standing(comparison);
        for (number, stage) in effort.stages().iter().enumerate() {
            let first = number == 0 && effort.always;
            if !first && !is_open(standing, &comparison.outputs)
                || stage.is_for_unseen && !may_be_unseen(&self.evidence, &comparison.outputs, observed)
            {
                break;
            }
            let evidence = self.evidence(number, request, effort, reference)?;
            attach(&mut comparison.outputs, observed, evidence);
            standing = noise::standing(comparison);
        }
        let is_left = comparison.outputs.iter().any(is_unexplained);
        if is_left && self.evidence.missing.is_empty() {
            let alternatives = self.alternatives(request, effort, reference)?;
            if explain(&mut comparison.outputs, observed, alternatives) {
                standing = noise::standing(comparison);
            }
        }
        Ok(standing)
    }

    /// Makes the runs that may show other shapes: those with other draws, and those whose rounding decides
    /// how many elements an output has.
    fn judge_shapes(
        &mut self,
        comparison: &mut Comparison,
        observed: &[Named],
        (request, effort): (&RunRequest, &Effort),
        reference: &mut Runner,
    ) -> Result<(), RunnerError> {
        let honest = |stage: &Stage| {
            let mut classes = stage.classes.iter();
            !stage.is_for_unseen && classes.all(|class| *class <= Arithmetic::Approximated)
        };
        for stage in 0..effort.stages().iter().take_while(|stage| honest(stage)).count() {
            self.evidence(stage, request, effort, reference)?;
            self.open_shapes(comparison, observed);
            if !is_of_shapes(comparison) {
                break;
            }
        }
        Ok(())
    }

    /// Takes back a disagreement about shapes if the specification determines none of these shapes, or
    /// rounding decides them.
    fn open_shapes(&self, comparison: &mut Comparison, observed: &[Named]) {
        let Some(runs) = &self.runs else { return };
        let is_open = |name: &String, shape: &[usize]| {
            let open = self.evidence.unspecified.as_ref();
            let decided = self.evidence.shapes.get(name);
            open.is_some_and(|open| open.shapes.contains(name))
                || decided.is_some_and(|shapes| shapes.admits(shape))
        };
        let others = of_other_shapes(runs, observed);
        if others.is_empty() || !others.iter().all(|(name, tensor)| is_open(name, tensor.shape())) {
            return;
        }
        comparison.mismatch = None;
        comparison
            .outputs
            .extend(others.into_iter().map(|(name, _)| OutputStats {
                name,
                ..OutputStats::default()
            }));
        attach(&mut comparison.outputs, observed, &self.evidence);
    }

    /// Takes back a disagreement about shapes if an answer to an open question explains it, as where NaN
    /// decides an index.
    fn read_shapes(
        &mut self,
        comparison: &mut Comparison,
        observed: &[Named],
        (request, effort): (&RunRequest, &Effort),
        reference: &mut Runner,
    ) -> Result<(), RunnerError> {
        let Some(runs) = &self.runs else { return Ok(()) };
        let unexplained = || Judgement::of(Explanation::Nothing("its shape is another one".to_owned()));
        let others = of_other_shapes(runs, observed).into_iter();
        let others = others.map(|(name, _)| OutputStats {
            name,
            judgement: Some(Box::new(unexplained())),
            ..OutputStats::default()
        });
        let mut others: Vec<OutputStats> = others.collect();
        if others.is_empty() {
            return Ok(());
        }
        let alternatives = self.alternatives(request, effort, reference)?;
        if explain(&mut others, observed, alternatives) {
            comparison.mismatch = None;
            comparison.outputs.extend(others);
        }
        Ok(())
    }

    /// The answers to open questions that concern the model.
    fn alternatives(
        &mut self,
        request: &RunRequest,
        effort: &Effort,
        reference: &mut Runner,
    ) -> Result<&[Alternative], RunnerError> {
        let operators = &self.traits.get_or_insert_with(|| Traits::of(request)).operators;
        let found = match (self.alternatives.take(), &self.runs) {
            (Some(known), _) => known,
            (None, Some(runs)) => alternatives(&runs.answer, operators, request, effort, reference)?,
            (None, None) => Vec::new(),
        };
        Ok(self.alternatives.insert(found))
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
        let full = stages
            .iter()
            .rposition(|stage| stage.classes.len() == 1 && !stage.is_for_unseen);
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
        if !reference.description().options.contains_key("arithmetic") {
            return Ok(&self.evidence);
        }
        if self.stages == 0 {
            self.runs = match self.runs.take() {
                None => answered(request, reference)?,
                known => known,
            };
            self.evidence.missing = effort.classes.to_vec();
            self.evidence.lost = "it did not answer".to_owned();
        }
        let stages = effort.stages();
        for later in stages.get(self.stages..=stage).unwrap_or_default() {
            self.stages += 1;
            let Some(runs) = &mut self.runs else { continue };
            let classes = possible(later.classes, &mut self.traits, request);
            let count = if later.is_preliminary {
                few(&runs.answer)
            } else {
                later.runs
            };
            let lost = extend(runs, (&classes, count), request, effort, reference)?;
            let finished = lost.is_none();
            let is_done = |known: &Noisy| finished || known.count >= count;
            let measured = |class: &Arithmetic| {
                runs.noisy
                    .iter()
                    .any(|known| known.class == *class && is_done(known))
            };
            let missing = |class: &&Arithmetic| !finished && !measured(class);
            self.evidence = Evidence {
                preliminary: later.is_preliminary,
                missing: effort.classes.iter().filter(missing).copied().collect(),
                lost: lost.unwrap_or_default(),
                ..Evidence::new(runs)
            };
            if !finished {
                self.stages = stages.len();
            }
        }
        Ok(&self.evidence)
    }
}

/// What a model has that decides which runs may explain an answer.
#[derive(Clone, Debug)]
struct Traits {
    /// Whether it has 16-bit floats, which a runtime may keep in float.
    has_halves: bool,
    /// The operator versions.
    operators: Vec<String>,
}

impl Traits {
    fn of(request: &RunRequest) -> Traits {
        let source = Source::named("the model");
        let model = Model::decode(request.model.clone(), &source, &Limits::default());
        // External data is of no interest.
        let model = model.as_ref();
        Traits {
            has_halves: model.map_or(true, super::has_halves),
            operators: model.map(operators).unwrap_or_default(),
        }
    }
}

/// The classes that a runtime may show on the model: one without 16-bit floats keeps none in float, and
/// computes nothing in 16 bits.
fn possible(classes: &[Arithmetic], known: &mut Option<Traits>, request: &RunRequest) -> Vec<Arithmetic> {
    let mut has_halves = || known.get_or_insert_with(|| Traits::of(request)).has_halves;
    let is_possible = |class: &&Arithmetic| match class {
        Arithmetic::Wide | Arithmetic::Narrow => has_halves(),
        Arithmetic::Rounded | Arithmetic::Approximated | Arithmetic::Reduced => true,
    };
    classes.iter().filter(is_possible).copied().collect()
}

/// Adds the runs of a stage; returns why the reference did not finish them, if it did not. A class whose
/// further runs are missing keeps those that it has.
fn extend(
    runs: &mut Runs,
    (classes, count): (&[Arithmetic], u32),
    request: &RunRequest,
    effort: &Effort,
    reference: &mut Runner,
) -> Result<Option<String>, RunnerError> {
    for class in classes {
        let known = runs.noisy.iter_mut().find(|known| known.class == *class);
        let from = known.as_ref().map_or(0, |known| known.count);
        if from >= count {
            continue;
        }
        let seeds = (effort.seed.wrapping_add(from.into()), count - from);
        match (noisy(*class, seeds, request, effort.parallel, reference)?, known) {
            (Ok(found), Some(known)) => {
                join(&mut known.spreads, found);
                known.count = count;
            }
            (Ok(spreads), None) => runs.noisy.push(Noisy {
                class: *class,
                count,
                spreads,
            }),
            // Its types do not fit this model, so that no runtime keeps them.
            (Err(Lost::Refused(_)), _) if *class == Arithmetic::Wide => continue,
            (Err(lost), _) => return Ok(Some(lost.reason())),
        }
    }
    Ok(None)
}

/// The observed outputs whose shapes are not those of the reference.
fn of_other_shapes(runs: &Runs, observed: &[Named]) -> Vec<(String, Tensor)> {
    let is_other = |(name, tensor): &(String, Tensor)| {
        let answer = runs.answer.get(name);
        answer.is_some_and(|answer| answer.shape != tensor.shape())
    };
    leaves(observed).into_iter().filter(is_other).collect()
}

/// Whether an output has another shape, and nothing worse is wrong.
fn is_of_shapes(comparison: &Comparison) -> bool {
    let mismatch = comparison.mismatch.as_ref();
    mismatch.is_some_and(|mismatch| mismatch.kind == MismatchKind::Shape)
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
    let refusal = match reference.choosing(REFUSED, request, 1)? {
        Ok(answer) => return Ok(Some(Runs::of(answer))),
        Err(lost) => lost.reason(),
    };
    let drawn = reference.choosing(DRAWN, request, DRAWS)?.ok();
    let answer = reference.spreads(request, 1)?.ok();
    Ok(answer.map(|answer| Runs {
        refusal: Some(refusal),
        drawn,
        ..Runs::of(answer)
    }))
}
