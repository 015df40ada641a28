//! One method per request, with a typed answer.
//!
//! The outer result is about the process, the inner one about the request: `worker.load(…)??` continues if
//! the worker is alive and the backend succeeded.

use std::time::Instant;

use backend_api::protocol::{Answer, Benched, Hello, Load, Loaded, Ran, Request, VERSIONS};
use backend_api::{Bounded, Bytes, Capabilities, Named, Placement, Profile};

use super::WorkerExit;
use super::client::{Declined, Worker};
use super::pipes::Stop;

/// The answer of a live worker to a request.
pub type Reply<T> = Result<T, Declined>;

impl Worker {
    /// [`Request::Capabilities`].
    pub fn capabilities(&mut self, deadline: Instant) -> Result<Reply<Capabilities>, WorkerExit> {
        self.ask(Request::Capabilities, deadline, |answer| match answer {
            Answer::Capabilities(capabilities) => Some(capabilities),
            _ => None,
        })
    }

    /// [`Request::Load`].
    pub fn load(&mut self, load: Load, deadline: Instant) -> Result<Reply<Loaded>, WorkerExit> {
        self.ask(Request::Load(load), deadline, |answer| match answer {
            Answer::Loaded(loaded) => Some(loaded),
            _ => None,
        })
    }

    /// [`Request::Placement`].
    pub fn placement(
        &mut self,
        session: u64,
        deadline: Instant,
    ) -> Result<Reply<Vec<Placement>>, WorkerExit> {
        self.ask(Request::Placement { session }, deadline, |answer| match answer {
            Answer::Placed { placement } => Some(placement),
            _ => None,
        })
    }

    /// [`Request::Run`] for all outputs.
    pub fn run(
        &mut self,
        session: u64,
        inputs: Vec<Named>,
        deadline: Instant,
    ) -> Result<Reply<Ran>, WorkerExit> {
        self.ask(
            Request::Run {
                session,
                inputs,
                outputs: None,
            },
            deadline,
            |answer| match answer {
                Answer::Ran(ran) => Some(ran),
                _ => None,
            },
        )
    }

    /// Loads a model without external data, runs it once for all outputs, and unloads it. `inputs` are sent
    /// with the model if the backend wants them.
    pub fn run_once(
        &mut self,
        model: Bytes,
        inputs: Vec<Named>,
        deadline: Instant,
    ) -> Result<Reply<Ran>, WorkerExit> {
        let load = Load {
            model,
            inputs: if self.description().wants_inputs_at_load {
                inputs.clone()
            } else {
                Vec::new()
            },
            ..Load::default()
        };
        let loaded = match self.load(load, deadline)? {
            Ok(loaded) => loaded,
            Err(declined) => return Ok(Err(declined)),
        };
        let ran = self.run(loaded.session, inputs, deadline)?;
        let _ = self.unload(loaded.session, deadline)?;
        Ok(ran)
    }

    /// [`Request::Bound`], for a worker that is a reference.
    pub fn bound(
        &mut self,
        session: u64,
        inputs: Vec<Named>,
        deadline: Instant,
    ) -> Result<Reply<Vec<Bounded>>, WorkerExit> {
        let began = Instant::now();
        let reply = self.ask(
            Request::Bound { session, inputs },
            deadline,
            |answer| match answer {
                Answer::Bounded(bounded) => Some(bounded),
                _ => None,
            },
        )?;
        match reply.map(Vec::try_from) {
            Ok(Ok(bounded)) => Ok(Ok(bounded)),
            Ok(Err(error)) => Err(self.end_with(Stop::Malformed(error.to_string()), "bound", began, None)),
            Err(declined) => Ok(Err(declined)),
        }
    }

    /// [`Request::Bench`].
    pub fn bench(
        &mut self,
        session: u64,
        warmup: u32,
        iterations: u32,
        sets: Vec<Vec<Named>>,
        deadline: Instant,
    ) -> Result<Reply<Benched>, WorkerExit> {
        let began = Instant::now();
        let request = Request::Bench {
            session,
            warmup,
            iterations,
            sets,
        };
        let reply = self.ask(request, deadline, |answer| match answer {
            Answer::Benched(benched) => Some(benched),
            _ => None,
        })?;
        if let Ok(benched) = &reply {
            let runs = (benched.warmup_nanoseconds.as_slice(), warmup);
            self.check_runs("bench", began, runs)?;
            self.check_runs("bench", began, (&benched.nanoseconds, iterations))?;
        }
        Ok(reply)
    }

    /// [`Request::Profile`].
    pub fn profile(
        &mut self,
        load: Load,
        runs: u32,
        deadline: Instant,
    ) -> Result<Reply<Profile>, WorkerExit> {
        let (request, began) = (Request::Profile { runs, load }, Instant::now());
        let reply = self.ask(request, deadline, |answer| match answer {
            Answer::Profiled(profile) => Some(profile),
            _ => None,
        })?;
        if let Ok(profile) = &reply {
            self.check_runs("profile", began, (&profile.nanoseconds, runs))?;
        }
        Ok(reply)
    }

    /// [`Request::Unload`].
    pub fn unload(&mut self, session: u64, deadline: Instant) -> Result<Reply<()>, WorkerExit> {
        let request = Request::Unload { session };
        self.ask(request, deadline, |answer| {
            matches!(answer, Answer::Unloaded).then_some(())
        })
    }

    /// [`Request::Hello`], the first call.
    pub(super) fn handshake(&mut self) -> Result<Reply<Hello>, WorkerExit> {
        let harness = concat!("onnx-conformance ", env!("CARGO_PKG_VERSION")).to_owned();
        let request = Request::Hello {
            versions: VERSIONS.to_vec(),
            harness,
            store: self.spec.by_digest,
        };
        let deadline = Instant::now() + self.spec.limits.start;
        self.ask(request, deadline, |answer| match answer {
            Answer::Hello(hello) if VERSIONS.contains(&hello.version) => Some(hello),
            _ => None,
        })
    }

    /// Ends the worker if it reports another number of runs than was requested.
    fn check_runs(
        &mut self,
        during: &'static str,
        began: Instant,
        (reported, requested): (&[u64], u32),
    ) -> Result<(), WorkerExit> {
        if reported.len() as u64 == u64::from(requested) {
            return Ok(());
        }
        let problem = format!("{} times for {requested} runs", reported.len());
        Err(self.end_with(Stop::Malformed(problem), during, began, None))
    }

    /// A call whose answer is of one kind, unless the worker declines.
    fn ask<T>(
        &mut self,
        request: Request,
        deadline: Instant,
        pick: impl FnOnce(Answer) -> Option<T>,
    ) -> Result<Reply<T>, WorkerExit> {
        let (during, began) = (request.name(), Instant::now());
        match self.call(request, deadline)? {
            Answer::Failed { error } => Ok(Err(error.into())),
            Answer::Refused(refusal) => Ok(Err(refusal.into())),
            answer => pick(answer).map(Ok).ok_or_else(|| {
                let stop = Stop::Malformed(format!("the answer to {during} has the wrong kind"));
                self.end_with(stop, during, began, None)
            }),
        }
    }
}
