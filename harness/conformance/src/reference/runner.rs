//! A backend with one warm worker that answers requests one by one; a worker that ends is replaced.

use onnx_model::Model;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::protocol::{External, Load, Loaded};
use backend_api::{Bounded, Capabilities, Description, Named, Profile};
use harness_worker::{Cancel, Declined, Failure, StartError, Worker, WorkerExit, WorkerSpec};
use onnx_model::Bytes;
use run_record::Verdict;

use super::runs::{Lost, runs, spreads};
use crate::declined::{Judgement, of_declined, of_failure};
use crate::noise::{self, FEW, SetSpreads};

/// How many times the time limit of a run one with random rounding may take: it was measured to take two to
/// six times as long.
const NOISY: u32 = 6;

/// A backend with one warm worker.
#[derive(Debug)]
pub struct Runner {
    spec: Arc<WorkerSpec>,
    cancel: Cancel,
    timeout: Duration,
    worker: Option<Worker>,
    description: Description,
    /// Runners of the same backend with further options.
    siblings: BTreeMap<Vec<(String, String)>, Runner>,
    /// Whether a run is first tried without results that the specification does not determine.
    settles: bool,
    /// The last request that was answered without such a result.
    settled: Option<RunRequest>,
    /// Why the last answer is not settled.
    unsettled: Option<String>,
}

/// A model with the values of its inputs.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// The bytes of the model.
    pub model: Bytes,
    /// External data.
    pub external: External,
    pub inputs: Vec<Named>,
}

impl RunRequest {
    /// A model that is not in a file. Of its weights, those that stayed in their files are read there.
    pub fn of(model: &Model, inputs: Vec<Named>) -> RunRequest {
        RunRequest {
            model: model.encode().into(),
            external: External::of(model),
            inputs,
        }
    }
}

/// The outputs of a run.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// In the order of the graph.
    pub values: Vec<Named>,
    /// The time of the load in nanoseconds.
    pub load_ns: u64,
    /// The time of the run in nanoseconds.
    pub run_ns: u64,
}

/// Why a runner gives no answer. This is never a fault of the model.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// A worker cannot be started again.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The user interrupted the command.
    #[error("interrupted")]
    Cancelled,
}

/// The result of a request: outputs, or the verdict on the failure.
pub type Answer<T> = Result<T, Judgement>;

impl Runner {
    /// Starts the worker; each request may take `timeout`.
    ///
    /// # Errors
    /// The worker does not start.
    pub fn start(spec: WorkerSpec, cancel: Cancel, timeout: Duration) -> Result<Runner, StartError> {
        let spec = Arc::new(spec);
        let worker = Worker::start(Arc::clone(&spec), cancel.clone())?;
        Ok(Runner {
            description: worker.description().clone(),
            worker: Some(worker),
            spec,
            cancel,
            timeout,
            siblings: BTreeMap::new(),
            settles: false,
            settled: None,
            unsettled: None,
        })
    }

    /// A runner of the same backend with a worker of its own, which the first request starts.
    pub fn another(&self) -> Runner {
        Runner {
            spec: Arc::clone(&self.spec),
            cancel: self.cancel.clone(),
            timeout: self.timeout,
            worker: None,
            description: self.description.clone(),
            siblings: BTreeMap::new(),
            settles: false,
            settled: None,
            unsettled: None,
        }
    }

    /// A runner of the same backend with further options. Its first request starts the worker.
    pub(crate) fn with(&self, options: &[(&str, String)]) -> Runner {
        let mut other = self.another();
        let owned = options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        Arc::make_mut(&mut other.spec).options.extend(owned);
        other
    }

    /// Calls `work` with the runners of the same backend with further options, one for each element of
    /// `options`. Their workers live as long as this runner.
    pub(crate) fn siblings<T>(
        &mut self,
        options: &[Vec<(&str, String)>],
        work: impl FnOnce(&mut [Runner]) -> T,
    ) -> T {
        let key = |options: &Vec<(&str, String)>| -> Vec<(String, String)> {
            options
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect()
        };
        let taken = options.iter().map(|options| {
            let known = self.siblings.remove(&key(options));
            known.unwrap_or_else(|| self.with(options))
        });
        let mut runners: Vec<Runner> = taken.collect();
        let result = work(&mut runners);
        self.siblings.extend(options.iter().map(key).zip(runners));
        result
    }

    /// The name of the backend in reports.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The description from the handshake.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The time limit of a request.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// A runner of the reference that first runs every model without choosing results that the specification
    /// does not determine. A judge needs no further run beside such an answer ([`Self::is_settled`]).
    #[must_use]
    pub fn settling(self) -> Runner {
        let settles = self.description.options.contains_key(UNSPECIFIED);
        Runner { settles, ..self }
    }

    /// Whether the last answer is that to `request`, and has no result that the specification does not
    /// determine.
    pub fn is_settled(&self, request: &RunRequest) -> bool {
        let same = |known: &RunRequest| known.model == request.model && known.inputs == request.inputs;
        self.settled.as_ref().is_some_and(same)
    }

    /// Why the last answer has a result that the specification does not determine, if it has.
    pub fn unsettled(&self) -> Option<&str> {
        self.unsettled.as_deref()
    }

    /// The spread of the outputs over `count` runs that treat results which the specification does not
    /// determine in this way.
    ///
    /// # Errors
    /// Like [`Self::run`].
    pub(crate) fn choosing(
        &mut self,
        treatment: &str,
        request: &RunRequest,
        count: u32,
    ) -> Result<Result<SetSpreads, Lost>, RunnerError> {
        self.siblings(&[unspecified(treatment)], |runners| match runners {
            [runner, ..] => runner.spreads(request, count),
            [] => Ok(Err(Lost::Unfinished(String::new()))),
        })
    }

    /// The greatest share of the elements of an output that the specification does not determine, as far as
    /// two other choices show it; `outputs` is the answer to `request`.
    ///
    /// # Errors
    /// Like [`Self::run`].
    pub fn undetermined(&mut self, request: &RunRequest, outputs: &[Named]) -> Result<f64, RunnerError> {
        let drawn = self.choosing(DRAWN, request, FEW)?;
        Ok(drawn.map_or(0.0, |drawn| noise::undetermined(&spreads(outputs), &drawn)))
    }

    /// Runs a model.
    ///
    /// # Errors
    /// A worker cannot be started again, or the command is interrupted.
    pub fn run(&mut self, request: &RunRequest) -> Result<Answer<Outputs>, RunnerError> {
        (self.settled, self.unsettled) = (None, None);
        if self.settles {
            let mut answer = self.siblings(&[unspecified(REFUSED)], |runners| {
                let asked = runners.iter_mut().map(|runner| runner.run_with_choices(request));
                asked.collect::<Result<Vec<_>, _>>()
            })?;
            // An error may be the refusal of what the specification does not determine.
            let is_error = |judgement: &Judgement| matches!(judgement.verdict, Verdict::Error(_));
            match answer.pop() {
                Some(Err(refusal)) if is_error(&refusal) => self.unsettled = Some(refusal.reason),
                Some(answer) => {
                    self.settled = answer.is_ok().then(|| request.clone());
                    return Ok(answer);
                }
                None => {}
            }
        }
        self.run_with_choices(request)
    }

    fn run_with_choices(&mut self, request: &RunRequest) -> Result<Answer<Outputs>, RunnerError> {
        self.in_session(request, |worker, session, deadline| {
            let ran = worker.run(session.session, request.inputs.clone(), deadline)?;
            Ok(ran.map(|ran| Outputs {
                values: ran.outputs,
                load_ns: session.nanoseconds,
                run_ns: ran.nanoseconds,
            }))
        })
    }

    /// Runs a model `count` times in one session; returns the spread of its outputs, or why the backend
    /// declines.
    ///
    /// # Errors
    /// Like [`Self::run`].
    pub(crate) fn spreads(
        &mut self,
        request: &RunRequest,
        count: u32,
    ) -> Result<Result<SetSpreads, Lost>, RunnerError> {
        let timeout = self.timeout * NOISY;
        let answer = self.ask(|worker| {
            let load = load(request, worker);
            Ok(Ok(runs(worker, load, &request.inputs, count, timeout)?))
        })?;
        Ok(match answer {
            Ok(answer) => answer.map_err(Lost::Refused),
            Err(judgement) => Err(Lost::Unfinished(judgement.reason)),
        })
    }

    /// Loads a model without a run. Returns the time of the load in nanoseconds.
    ///
    /// # Errors
    /// Like [`Self::run`].
    pub fn load(&mut self, request: &RunRequest) -> Result<Answer<u64>, RunnerError> {
        self.in_session(request, |_, session, _| Ok(Ok(session.nanoseconds)))
    }

    /// Measures the steps of a model in `runs` runs.
    ///
    /// # Errors
    /// Like [`Self::run`].
    pub fn profile(&mut self, request: &RunRequest, runs: u32) -> Result<Answer<Profile>, RunnerError> {
        let deadline = Instant::now() + self.timeout;
        self.ask(|worker| {
            let request = Load {
                inputs: request.inputs.clone(),
                ..load(request, worker)
            };
            let profiled = worker.profile(request, runs, deadline)?;
            Ok(profiled.map_err(|declined| of_declined(&declined)))
        })
    }

    /// The capabilities that the backend reports; empty if it does not answer the request.
    ///
    /// # Errors
    /// Like [`Self::run`].
    pub fn capabilities(&mut self) -> Result<Capabilities, RunnerError> {
        let deadline = Instant::now() + self.timeout;
        let answer = self.ask(|worker| {
            let answer = worker.capabilities(deadline)?;
            Ok(answer.map_err(|declined| of_declined(&declined)))
        })?;
        Ok(answer.unwrap_or_default())
    }

    /// Runs a model on a reference; each output has a bound of its rounding error.
    ///
    /// # Errors
    /// Like [`Self::run`].
    pub fn bound(&mut self, request: &RunRequest) -> Result<Answer<Vec<Bounded>>, RunnerError> {
        self.in_session(request, |worker, session, deadline| {
            worker.bound(session.session, request.inputs.clone(), deadline)
        })
    }

    /// Runs `work` in a session of the model, all within the time limit of a request.
    fn in_session<T>(
        &mut self,
        request: &RunRequest,
        mut work: impl FnMut(&mut Worker, &Loaded, Instant) -> Result<Result<T, Declined>, WorkerExit>,
    ) -> Result<Answer<T>, RunnerError> {
        let timeout = self.timeout;
        self.ask(|worker| {
            let deadline = Instant::now() + timeout;
            let loaded = match worker.load(load(request, worker), deadline)? {
                Ok(loaded) => loaded,
                Err(declined) => return Ok(Err(of_declined(&declined))),
            };
            let answer = work(worker, &loaded, deadline)?;
            let _ = worker.unload(loaded.session, deadline)?;
            Ok(answer.map_err(|declined| of_declined(&declined)))
        })
    }

    /// Runs `work` with a worker. If a worker that was used before ends, the request is retried once in
    /// a fresh one, unless it took all its time.
    fn ask<T>(
        &mut self,
        mut work: impl FnMut(&mut Worker) -> Result<Answer<T>, WorkerExit>,
    ) -> Result<Answer<T>, RunnerError> {
        let warm = self.worker.take().filter(|_| !self.cancel.is_cancelled());
        if let Some(mut worker) = warm
            && worker.is_ready()
        {
            match work(&mut worker) {
                Ok(answer) => {
                    self.worker = Some(worker);
                    return Ok(answer);
                }
                Err(exit) if exit.is_timeout() => {
                    return Ok(Err(of_failure(&Failure::Died(exit))));
                }
                Err(_) => {}
            }
        }
        if self.cancel.is_cancelled() {
            return Err(RunnerError::Cancelled);
        }
        let mut fresh = Worker::start(Arc::clone(&self.spec), self.cancel.clone())?;
        match work(&mut fresh) {
            Ok(answer) => {
                self.worker = Some(fresh);
                Ok(answer)
            }
            Err(exit) if exit.is_cancelled() => Err(RunnerError::Cancelled),
            Err(exit) => Ok(Err(of_failure(&Failure::Died(exit)))),
        }
    }
}

/// The option of the reference for results that the specification does not determine.
const UNSPECIFIED: &str = "unspecified";

/// A run that needs such a result ends with an error.
pub(crate) const REFUSED: &str = "refused";

/// A run that draws such results at random.
pub(crate) const DRAWN: &str = "drawn";

/// The options of a reference that treats such results in this way.
fn unspecified(treatment: &str) -> Vec<(&'static str, String)> {
    vec![(UNSPECIFIED, treatment.to_owned())]
}

fn load(request: &RunRequest, worker: &Worker) -> Load {
    let inputs = if worker.description().wants_inputs_at_load {
        request.inputs.clone()
    } else {
        Vec::new()
    };
    Load::of(request.model.clone(), request.external.clone(), inputs)
}
