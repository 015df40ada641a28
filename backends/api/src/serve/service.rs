//! Answers one request.

use std::collections::BTreeMap;
use std::time::Instant;

use onnx_model::Limits;
use onnx_tensor::Tensor;
use tempfile::TempDir;

use super::bench::{bench, measured, nanoseconds_since};
use super::files::unpack;
use crate::protocol::message::{MAX_PROFILED_RUNS, MAX_RUNS};
use crate::protocol::{
    Answer, Hello, Load, Loaded, MAX_HEADER, Ran, Refusal, RefusalKind, Request, VERSIONS,
};
use crate::{Backend, BackendError, LoadRequest, Named, Profile, Session};

/// The maximum length of the steps in an answer with a profile; the times of the runs take the rest
/// of the header.
const PROFILE_BYTES: usize = MAX_HEADER as usize - 64 * 1024;

/// A backend with its loaded models.
pub(super) struct Service<B> {
    backend: B,
    models: BTreeMap<u64, Model>,
    next: u64,
}

/// A loaded model. The session is dropped before the files that it may still read.
struct Model {
    session: Box<dyn Session>,
    _files: Option<TempDir>,
}

/// Why a request is not answered.
enum Declined {
    Backend(BackendError),
    Refused(RefusalKind, String),
}

impl From<BackendError> for Declined {
    fn from(error: BackendError) -> Declined {
        Declined::Backend(error)
    }
}

impl<B: Backend> Service<B> {
    pub(super) fn new(backend: B) -> Service<B> {
        Service {
            backend,
            models: BTreeMap::new(),
            next: 1,
        }
    }

    /// Executes a request.
    pub(super) fn answer(&mut self, request: Request) -> Answer {
        self.try_answer(request)
            .unwrap_or_else(|declined| match declined {
                Declined::Backend(error) => Answer::Failed { error },
                Declined::Refused(reason, message) => Answer::Refused(Refusal { reason, message }),
            })
    }

    fn try_answer(&mut self, request: Request) -> Result<Answer, Declined> {
        Ok(match request {
            Request::Hello { versions, .. } => Answer::Hello(self.hello(&versions)?),
            Request::Capabilities => Answer::Capabilities(self.backend.capabilities()),
            Request::Probe(load) => self.load(load).map(|_| Answer::Probed)?,
            Request::Load(load) => Answer::Loaded(self.keep(load)?),
            Request::Placement { session } => Answer::Placed {
                placement: self.model(session)?.session.placement(),
            },
            Request::Run {
                session,
                inputs,
                outputs,
            } => Answer::Ran(self.run(session, &inputs, outputs)?),
            Request::Bound { session, inputs } => {
                Answer::Bounded(self.model(session)?.session.bound(&inputs)?.into())
            }
            Request::Bench {
                session,
                warmup,
                iterations,
                sets,
            } => {
                check_bench(warmup, iterations, &sets)?;
                Answer::Benched(bench(
                    self.model(session)?.session.as_mut(),
                    warmup,
                    iterations,
                    &sets,
                )?)
            }
            Request::Profile { runs, load } => {
                check_profile(runs)?;
                Answer::Profiled(self.profile(load, runs)?)
            }
            Request::Unload { session } => {
                self.model(session)?;
                self.models.remove(&session);
                Answer::Unloaded
            }
            Request::Shutdown => Answer::Bye,
        })
    }

    fn hello(&self, offered: &[u32]) -> Result<Hello, Declined> {
        let version = offered
            .iter()
            .copied()
            .find(|version| VERSIONS.contains(version))
            .ok_or_else(|| {
                let message =
                    format!("no common protocol version: offered {offered:?}, supported {VERSIONS:?}");
                Declined::Refused(RefusalKind::Version, message)
            })?;
        Ok(Hello {
            version,
            backend: self.backend.describe(),
            store: false,
        })
    }

    fn load(&mut self, load: Load) -> Result<Model, BackendError> {
        let (request, files) = with_files(load)?;
        let session = self.backend.load(request)?;
        Ok(Model {
            session,
            _files: files,
        })
    }

    fn profile(&mut self, mut load: Load, runs: u32) -> Result<Profile, BackendError> {
        let inputs = if self.backend.describe().wants_inputs_at_load {
            load.inputs.clone()
        } else {
            std::mem::take(&mut load.inputs)
        };
        let (request, _files) = with_files(load)?;
        let mut profile = self.backend.profile(request, &inputs, runs)?;
        profile.limit(PROFILE_BYTES);
        Ok(profile)
    }

    fn keep(&mut self, load: Load) -> Result<Loaded, BackendError> {
        let start = Instant::now();
        let model = self.load(load)?;
        let nanoseconds = nanoseconds_since(start);
        let session = self.next;
        self.next += 1;
        self.models.insert(session, model);
        Ok(Loaded { session, nanoseconds })
    }

    fn run(&mut self, session: u64, inputs: &[Named], wanted: Option<Vec<String>>) -> Result<Ran, Declined> {
        let (nanoseconds, mut outputs) = measured(self.model(session)?.session.as_mut(), inputs)?;
        if let Some(wanted) = wanted {
            outputs.retain(|(name, _)| wanted.contains(name));
        }
        check_ranks(&outputs)?;
        Ok(Ran { outputs, nanoseconds })
    }

    fn model(&mut self, session: u64) -> Result<&mut Model, Declined> {
        let unknown = || {
            Declined::Refused(
                RefusalKind::UnknownSession,
                format!("session {session} is not loaded"),
            )
        };
        self.models.get_mut(&session).ok_or_else(unknown)
    }
}

/// Refuses outputs that no message can carry: the harness would take them for a violation of the protocol.
fn check_ranks(outputs: &[Named]) -> Result<(), BackendError> {
    let most = Limits::default().rank;
    for (name, value) in outputs {
        let rank = value.as_tensor().map_or(0, Tensor::rank);
        if rank as u64 > most {
            return Err(BackendError::unsupported(format!(
                "output `{name}` has {rank} axes, and at most {most} are supported"
            )));
        }
    }
    Ok(())
}

/// Returns the request with the folder of its external data, which is removed when the second value
/// is dropped.
fn with_files(load: Load) -> Result<(LoadRequest, Option<TempDir>), BackendError> {
    let Load {
        model,
        folder,
        files,
        inputs,
    } = load;
    let unpacked = if files.is_empty() {
        None
    } else {
        Some(unpack(files)?)
    };
    let folder = unpacked
        .as_ref()
        .map(|folder| folder.path().to_owned())
        .or(folder);
    let request = LoadRequest {
        model,
        folder,
        inputs,
    };
    Ok((request, unpacked))
}

fn check_profile(runs: u32) -> Result<(), Declined> {
    if (1..=MAX_PROFILED_RUNS).contains(&runs) {
        Ok(())
    } else {
        Err(Declined::Refused(
            RefusalKind::Malformed,
            format!("expected 1 to {MAX_PROFILED_RUNS} runs, got {runs}"),
        ))
    }
}

fn check_bench(warmup: u32, iterations: u32, sets: &[Vec<Named>]) -> Result<(), Declined> {
    let runs = warmup.saturating_add(iterations);
    let problem = if iterations == 0 {
        "at least one iteration is needed".to_owned()
    } else if sets.is_empty() {
        "at least one set of inputs is needed, an empty one for a model without inputs".to_owned()
    } else if runs > MAX_RUNS {
        format!("{runs} runs requested, the maximum is {MAX_RUNS}; send several requests")
    } else {
        return Ok(());
    };
    Err(Declined::Refused(RefusalKind::Malformed, problem))
}
