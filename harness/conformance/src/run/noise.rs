//! Measures the noise of complete models, once for all backends.

use std::num::NonZeroUsize;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Instant;

use harness_console::Progress;
use harness_worker::{Cancel, Pool, StartError, WorkerSpec};
use reports::record::Event;

use super::prepared::Prepared;
use super::{Plan, RunError, Running};
use crate::case::Case;
use crate::noise::{Floor, Floors, SetSpreads, Spread};
use crate::reference::runs;

/// The minimum number of nodes of a complete model: for single operators the bound is sufficient.
const MODEL_NODES: usize = 2;

/// The suite whose cases are about one operator, however many nodes they have.
const OPERATORS: &str = "node";

/// The parameters of the noise measurement.
#[derive(Debug)]
pub struct NoisePlan {
    /// The reference.
    pub reference: WorkerSpec,
    /// The number of runs with random rounding for each data set of each model, at least two.
    pub runs: u32,
    /// The seed of the first run; each further run has the next seed.
    pub seed: u64,
}

impl NoisePlan {
    /// The reference with random rounding from this seed.
    pub(super) fn noisy(&self, seed: u64) -> WorkerSpec {
        let mut spec = self.reference.clone();
        spec.options.insert("noise".to_owned(), seed.to_string());
        spec
    }
}

/// A part of the runs, for one worker: another seed requires another worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Share {
    seed: u64,
    runs: u32,
}

/// The result for each model: one spread for each output of each data set; `None` if the reference
/// ended.
type Found = Vec<Option<Vec<SetSpreads>>>;

impl Running<'_> {
    /// Measures the noise of the complete models among `todo`, and passes it to their cases. A model
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
            models.filter(|(_, case)| is_model(case)).unzip();
        if models.is_empty() {
            return Ok(());
        }
        let shares = shares(noise, plan.workers);
        let (answers, noisy) = measure(plan, noise, &shares, &models, cancel, progress)?;
        for (model, case) in models.iter().enumerate() {
            for (set, data_set) in case.data_sets.iter().enumerate() {
                let of_set = |found: &'_ Found| found.get(model)?.as_ref()?.get(set).cloned();
                let answer = of_set(&answers).unwrap_or_default();
                let parts: Vec<SetSpreads> = noisy.iter().filter_map(of_set).collect();
                // No other code sets it.
                let _ = data_set.floors.set(floors(&answer, &parts, noise.runs));
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

/// Whether the noise of a case is measured: it has several nodes, and its outputs are not random.
fn is_model(case: &Case) -> bool {
    case.nodes >= MODEL_NODES && case.data_sets.iter().all(|set| set.draws.is_none())
}

/// Distributes the runs to the workers. The seeds do not depend on the number of workers.
fn shares(noise: &NoisePlan, workers: NonZeroUsize) -> Vec<Share> {
    let workers = u32::try_from(workers.get())
        .unwrap_or(u32::MAX)
        .min(noise.runs)
        .max(1);
    let mut seed = noise.seed;
    let share = |number: u32| {
        let runs = noise.runs / workers + u32::from(number < noise.runs % workers);
        let share = Share { seed, runs };
        seed = seed.wrapping_add(runs.into());
        share
    };
    (0..workers).map(share).collect()
}

/// The reference's outputs, and the spreads of each share of the runs.
fn measure(
    plan: &Plan,
    noise: &NoisePlan,
    shares: &[Share],
    models: &[Arc<Case>],
    cancel: &Cancel,
    progress: &Progress,
) -> Result<(Found, Vec<Found>), RunError> {
    let began = Instant::now();
    let meter = progress.meter("noise", models.len() * (shares.len() + 1), "measured");
    let timeout = plan.options.timeout;
    let run = |pool: &Pool, count: u32, step: &dyn Fn(bool)| {
        let mut found: Found = vec![None; models.len()];
        // The next phase handles an interruption.
        let _ = pool.run_jobs(
            models,
            |worker, case| runs(worker, case, count, timeout),
            |index, outcome| {
                step(outcome.result.is_ok());
                if let Some(place) = found.get_mut(index) {
                    *place = outcome.result.ok();
                }
            },
        );
        found
    };
    let pool = Pool::start(noise.reference.clone(), plan.workers, cancel.clone())?;
    let answers = run(&pool, 1, &|measured| meter.step(measured));
    drop(pool);
    let (sender, steps) = mpsc::channel();
    let noisy = thread::scope(|scope| {
        let workers: Vec<_> = shares
            .iter()
            .map(|share| {
                let (sender, run) = (sender.clone(), &run);
                scope.spawn(move || -> Result<Found, StartError> {
                    let pool = Pool::start(noise.noisy(share.seed), NonZeroUsize::MIN, cancel.clone())?;
                    // The receiver is closed only if the run ends.
                    Ok(run(&pool, share.runs, &|measured| {
                        sender.send(measured).unwrap_or_default()
                    }))
                })
            })
            .collect();
        drop(sender);
        steps.into_iter().for_each(|measured| meter.step(measured));
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(found) => found,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect::<Result<Vec<Found>, StartError>>()
    })?;
    meter.finish(began.elapsed().as_secs_f64());
    Ok((answers, noisy))
}

/// The floors of a data set, for every output that the reference and all runs gave.
fn floors(answer: &SetSpreads, parts: &[SetSpreads], runs: u32) -> Floors {
    let noisy = |name: &String| -> Option<Spread> {
        let mut spreads = parts.iter().map(|part| part.get(name));
        let first = spreads.next()??.clone();
        let all = spreads.try_fold(first, |sum, spread| sum.join(spread?))?;
        Some(all).filter(|all| all.runs() == runs)
    };
    let floor = |(name, answer): (&String, &Spread)| Some((name.clone(), Floor::new(answer, &noisy(name)?)?));
    Floors(answer.iter().filter_map(floor).collect())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::*;

    #[test]
    fn seeds_do_not_depend_on_the_number_of_workers() {
        for workers in [1, 3, 8, 100] {
            let noise = NoisePlan {
                reference: WorkerSpec::new("reference", "reference"),
                runs: 8,
                seed: 5,
            };
            let shares = shares(&noise, NonZeroUsize::new(workers).unwrap());
            assert_eq!(shares.len(), workers.min(8));
            let seeds = shares
                .iter()
                .flat_map(|share| share.seed..share.seed + u64::from(share.runs));
            assert_eq!(seeds.collect::<Vec<u64>>(), (5..13).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn only_outputs_of_all_runs_have_a_floor() {
        let spreads = |names: &[&str], value: f32| -> SetSpreads {
            let spread = Spread::of(&Tensor::vector(vec![value])).unwrap();
            names
                .iter()
                .map(|name| ((*name).to_owned(), spread.clone()))
                .collect()
        };
        let parts = [spreads(&["a", "b"], 1.0), spreads(&["a"], 1.5)];
        let found = floors(&spreads(&["a", "b", "c"], 1.25), &parts, 2);
        assert_eq!(found.0.keys().collect::<Vec<_>>(), ["a"]);
        assert!(floors(&spreads(&["a"], 1.0), &parts, 3).0.is_empty());
    }
}
