//! Runs the reference on complete models, once for all backends: its answer, its runs with the errors of each
//! class of honest arithmetic, and its runs with other draws.

use std::num::NonZeroUsize;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use backend_api::Named;
use harness_console::{Meter, Progress};
use harness_worker::{Cancel, Pool, StartError, Worker, WorkerExit, WorkerSpec};
use run_record::{Arithmetic, Event};

use super::prepared::Prepared;
use super::{Plan, RunError, Running};
use crate::case::Case;
use crate::noise::{DRAWS, Evidence, Runs, SetSpreads};
use crate::reference::runs;

/// The suite whose cases are about one operator, however many nodes they have: there the bound is sufficient.
const OPERATORS: &str = "node";

/// The parameters of the measurement.
#[derive(Debug)]
pub struct NoisePlan {
    /// The reference.
    pub reference: WorkerSpec,
    /// The classes of honest arithmetic.
    pub classes: Vec<Arithmetic>,
    /// The number of runs with random rounding for each class and each data set of each model, at least two.
    pub runs: u32,
    /// The seed of the first run; each further run has the next seed.
    pub seed: u64,
    /// Whether these few runs are to show only which answers are clearly right ([`Evidence::preliminary`]).
    pub preliminary: bool,
}

impl NoisePlan {
    /// The reference with an option.
    fn with(&self, options: &[(&str, String)]) -> WorkerSpec {
        let mut spec = self.reference.clone();
        for (name, value) in options {
            spec.options.insert((*name).to_owned(), value.clone());
        }
        spec
    }

    /// The reference with random rounding from this seed.
    pub(super) fn noisy(&self, class: Arithmetic, seed: u64) -> WorkerSpec {
        self.with(&[
            ("noise", seed.to_string()),
            ("arithmetic", class.key().to_owned()),
        ])
    }
}

/// A part of the runs, for one worker: another seed or class requires another worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Share {
    class: Arithmetic,
    seed: u64,
    runs: u32,
}

/// The result for each model: for each data set the spread of each output, or why the reference declines;
/// `None` if it ended.
type Found = Vec<Option<Vec<Result<SetSpreads, String>>>>;

impl Running<'_> {
    /// Collects the evidence about the complete models among `todo`, and passes it to their cases. A model
    /// that the reference cannot run has none.
    pub(super) fn noise(
        &mut self,
        plan: &Plan,
        noise: &NoisePlan,
        todo: &[&Prepared],
        cancel: &Cancel,
        progress: &Progress,
    ) -> Result<(), RunError> {
        let began = Instant::now();
        let about_models = todo
            .iter()
            .filter(|prepared| prepared.files.id.suite() != OPERATORS);
        let models = about_models.filter_map(|prepared| Some((*prepared, prepared.case().ok()?)));
        let (keepers, models): (Vec<&Prepared>, Vec<Arc<Case>>) =
            models.filter(|(_, case)| is_judged(case)).unzip();
        if models.is_empty() {
            return Ok(());
        }
        let measured = measure(plan, noise, &models, cancel, progress)?;
        for (model, case) in models.iter().enumerate() {
            for (set, data_set) in case.data_sets.iter().enumerate() {
                let evidence = Evidence {
                    preliminary: noise.preliminary,
                    ..measured.evidence(model, set, noise)
                };
                // No other code sets it.
                let _ = data_set.evidence.set(evidence);
            }
            if let Some(prepared) = keepers.get(model) {
                prepared.keep(Arc::clone(case));
            }
        }
        self.note(Event::PhaseFinished {
            name: "noise".to_owned(),
            wall_s: began.elapsed().as_secs_f64(),
        })?;
        Ok(())
    }
}

/// Whether evidence about a case is collected: random outputs are judged by their distribution.
fn is_judged(case: &Case) -> bool {
    case.data_sets.iter().all(|set| set.draws.is_none())
}

/// Distributes the runs of each class to the workers. The seeds do not depend on the number of workers.
fn shares(noise: &NoisePlan, workers: NonZeroUsize) -> Vec<Share> {
    let workers = u32::try_from(workers.get())
        .unwrap_or(u32::MAX)
        .min(noise.runs)
        .max(1);
    let of_class = |class: &Arithmetic| {
        let (class, mut seed) = (*class, noise.seed);
        let share = move |number: u32| {
            let runs = noise.runs / workers + u32::from(number < noise.runs % workers);
            let share = Share { class, seed, runs };
            seed = seed.wrapping_add(runs.into());
            share
        };
        (0..workers).map(share).collect::<Vec<Share>>()
    };
    noise.classes.iter().flat_map(of_class).collect()
}

/// The runs of the reference on all models.
struct Measured {
    answers: Found,
    noisy: Vec<(Arithmetic, Found)>,
    /// Runs with other draws, of the models for which `refused` has a reason.
    drawn: Found,
    refused: Found,
}

impl Measured {
    fn evidence(&self, model: usize, set: usize, noise: &NoisePlan) -> Evidence {
        let of = |found: &Found| found.get(model)?.as_ref()?.get(set)?.as_ref().ok().cloned();
        let Some(answer) = of(&self.answers) else {
            return Evidence {
                missing: noise.classes.clone(),
                ..Evidence::default()
            };
        };
        let refusal = self.refused.get(model).and_then(Option::as_ref);
        let noisy = self.noisy.iter();
        let finished = |class: &Arithmetic| {
            let mut parts = self.noisy.iter().filter(|(known, _)| known == class);
            parts.all(|(_, found)| of(found).is_some())
        };
        let missing = noise.classes.iter().filter(|class| !finished(class));
        let missing = missing.copied().collect();
        let noisy = noisy.filter_map(|(class, found)| Some((*class, of(found)?)));
        let evidence = Evidence::new(&Runs {
            answer,
            count: noise.runs,
            noisy: noisy.collect(),
            refusal: refusal.and_then(|sets| sets.get(set)?.as_ref().err().cloned()),
            drawn: of(&self.drawn),
        });
        Evidence { missing, ..evidence }
    }
}

/// Runs the reference with all options that the evidence needs.
fn measure(
    plan: &Plan,
    noise: &NoisePlan,
    models: &[Arc<Case>],
    cancel: &Cancel,
    progress: &Progress,
) -> Result<Measured, RunError> {
    let began = Instant::now();
    let shares = shares(noise, plan.workers);
    let meter = progress.meter("noise", models.len() * (shares.len() + 1), "measured");
    let all = |spec: WorkerSpec, chosen: &[bool], count: u32, meter: Option<&Meter>| {
        let pool = Pool::start(spec, plan.workers, cancel.clone())?;
        let step = |ok: bool| meter.map_or((), |meter| meter.step(ok));
        Ok::<Found, StartError>(run(plan, &pool, models, chosen, count, &step))
    };
    // One run is the answer, unless it needs a result that the specification does not determine.
    let everything = vec![true; models.len()];
    let refused = all(
        noise.with(&[("unspecified", "refused".to_owned())]),
        &everything,
        1,
        Some(&meter),
    )?;
    let declined: Vec<bool> = refused.iter().map(is_declined).collect();
    let (mut answers, mut drawn) = (refused.clone(), vec![None; models.len()]);
    if declined.contains(&true) {
        let chosen = all(noise.reference.clone(), &declined, 1, None)?;
        for (answer, chosen) in answers
            .iter_mut()
            .zip(chosen)
            .filter(|(_, chosen)| chosen.is_some())
        {
            *answer = chosen;
        }
        let spec = noise.with(&[("unspecified", "drawn".to_owned())]);
        // One worker: each run of a session has the next seeds.
        let pool = Pool::start(spec, NonZeroUsize::MIN, cancel.clone())?;
        drawn = run(plan, &pool, models, &declined, DRAWS, &|_| ());
    }
    let noisy = noisy(plan, noise, &shares, models, cancel, &meter)?;
    meter.finish(began.elapsed().as_secs_f64());
    Ok(Measured {
        answers,
        noisy,
        drawn,
        refused,
    })
}

/// Whether the reference declined a data set.
fn is_declined(found: &Option<Vec<Result<SetSpreads, String>>>) -> bool {
    found.as_ref().is_some_and(|sets| sets.iter().any(Result::is_err))
}

/// Runs the chosen models `count` times.
fn run(
    plan: &Plan,
    pool: &Pool,
    models: &[Arc<Case>],
    chosen: &[bool],
    count: u32,
    step: &dyn Fn(bool),
) -> Found {
    let mut found: Found = vec![None; models.len()];
    let jobs: Vec<usize> = (0..models.len()).filter(|&model| chosen[model]).collect();
    // The next phase handles an interruption.
    let _ = pool.run_jobs(
        &jobs,
        |worker, &model| of_case(worker, &models[model], count, plan.options.timeout),
        |job, outcome| {
            step(outcome.result.is_ok());
            if let Some(&model) = jobs.get(job) {
                found[model] = outcome.result.ok();
            }
        },
    );
    found
}

/// Runs every data set of a case `count` times.
fn of_case(
    worker: &mut Worker,
    case: &Case,
    count: u32,
    timeout: Duration,
) -> Result<Vec<Result<SetSpreads, String>>, WorkerExit> {
    let Some(first) = case.data_sets.first() else {
        return Ok(Vec::new());
    };
    let sets: Vec<&[Named]> = case.data_sets.iter().map(|set| set.inputs.as_slice()).collect();
    runs(worker, case.load_request(first, false), &sets, count, timeout)
}

/// The runs of each share, in workers at the same time.
fn noisy(
    plan: &Plan,
    noise: &NoisePlan,
    shares: &[Share],
    models: &[Arc<Case>],
    cancel: &Cancel,
    meter: &Meter,
) -> Result<Vec<(Arithmetic, Found)>, StartError> {
    let everything = vec![true; models.len()];
    let mut found = Vec::with_capacity(shares.len());
    for part in shares.chunks(plan.workers.get()) {
        let (sender, steps) = mpsc::channel();
        let joined = thread::scope(|scope| {
            let start = |share: &Share| {
                let (sender, share, everything) = (sender.clone(), *share, &everything);
                scope.spawn(move || -> Result<(Arithmetic, Found), StartError> {
                    let pool = Pool::start(
                        noise.noisy(share.class, share.seed),
                        NonZeroUsize::MIN,
                        cancel.clone(),
                    )?;
                    // The receiver is closed only if the run ends.
                    let step = |measured: bool| sender.send(measured).unwrap_or_default();
                    Ok((
                        share.class,
                        run(plan, &pool, models, everything, share.runs, &step),
                    ))
                })
            };
            let workers: Vec<_> = part.iter().map(start).collect();
            drop(sender);
            steps.into_iter().for_each(|measured| meter.step(measured));
            let joined = workers.into_iter().map(|worker| match worker.join() {
                Ok(found) => found,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect::<Result<Vec<_>, StartError>>()
        })?;
        found.extend(joined);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_do_not_depend_on_the_number_of_workers() {
        for workers in [1, 3, 8, 100] {
            let noise = NoisePlan {
                reference: WorkerSpec::new("reference", "reference"),
                classes: vec![Arithmetic::Rounded, Arithmetic::Narrow],
                runs: 8,
                seed: 5,
                preliminary: false,
            };
            let shares = shares(&noise, NonZeroUsize::new(workers).unwrap());
            assert_eq!(shares.len(), 2 * workers.min(8));
            for class in noise.classes {
                let of_class = shares.iter().filter(|share| share.class == class);
                let seeds = of_class.flat_map(|share| share.seed..share.seed + u64::from(share.runs));
                assert_eq!(seeds.collect::<Vec<u64>>(), (5..13).collect::<Vec<u64>>());
            }
        }
    }
}
