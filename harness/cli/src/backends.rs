//! `backends`: lists the available backends and what they report.

pub(crate) mod choose;
mod claims;
pub(crate) mod show;
pub(crate) mod verify;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use backend_api::{Capabilities, Description};
use clap::{Args, Subcommand};
use harness_fetch::{Fetcher, Lockfile};
use harness_worker::{BackendArg, Cancel, Worker, WorkerSpec, discover};

use super::config;
use super::format::Format;
use super::selection::fetcher;
use super::{CliError, Exit};
use choose::Choose;
use claims::Claims;
use show::{Probed, details, json, list};
use verify::verified;

/// List the available backends, or ask one for its capabilities.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask backends list\n  \
    cargo xtask backends list --format json\n  \
    cargo xtask backends probe ort:provider=XNNPACK\n  \
    cargo xtask backends probe 'cmd:./my-worker --flag'\n  \
    cargo xtask backends verify 'cmd:./my-worker --flag'\n  \
    cargo xtask backends choose model.onnx\n  \
    cargo xtask backends claims conformance-report\n\n\
    A backend is available if it has a worker (an executable `onnx-worker-NAME` beside this program or in PATH), or a name in \
    onnx-conformance.toml.\n\n\
    Exit codes: 0 done; 1 a check of `verify` failed, or no backend of `choose` is right; 2 usage; 4 the right \
    outputs are unknown; 6 the backend is missing, or its handshake failed.")]
pub struct Backends {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Start each backend and list its version, provider, devices and opset.
    List {
        /// The output format.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Start one backend and print everything that it reports.
    Probe {
        /// The backend, as for `conformance`.
        #[arg(value_name = "BACKEND")]
        backend: BackendArg,
        /// The output format.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Test whether the worker of a backend follows the protocol: element types bit for bit, typed
    /// errors, sessions, memory.
    Verify {
        /// The backend, as for `conformance`.
        #[arg(value_name = "BACKEND")]
        backend: BackendArg,
        /// The output format.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Rank the backends for a model by the quality of their answers, then by latency.
    Choose(Choose),
    /// Compare what backends declare with their results in a run.
    Claims(Claims),
}

impl Backends {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let configured = match &self.task {
            Task::List { .. } => config::started_backends(&|_| true)?,
            Task::Probe { backend, .. } | Task::Verify { backend, .. } => {
                config::started_backends(&|name| name == backend.name())?
            }
            Task::Choose(_) | Task::Claims(_) => BTreeMap::new(),
        };
        match self.task {
            Task::List { format } => {
                let found = there(&configured).into_iter();
                let probed: Vec<Probed> = found
                    .map(|(name, backend)| probe(name, &backend, &lock, &fetcher, &cancel))
                    .collect();
                match format {
                    Format::Json => json(&probed)?,
                    Format::Text => list(&probed)?,
                }
                Ok(Exit::Passed)
            }
            Task::Probe { backend, format } => {
                let backend = configured.get(backend.name()).cloned().unwrap_or(backend);
                let (description, capabilities) = ask(backend.spec(&lock, &fetcher)?, &cancel)?;
                let probed = Probed {
                    name: backend.name().to_owned(),
                    backend: backend.to_string(),
                    problem: None,
                    description: Some(description),
                    capabilities: Some(capabilities),
                };
                match format {
                    Format::Json => json(&[probed])?,
                    Format::Text => details(&probed)?,
                }
                Ok(Exit::Passed)
            }
            Task::Verify { backend, format } => {
                let backend = configured.get(backend.name()).cloned().unwrap_or(backend);
                verified(backend.spec(&lock, &fetcher)?, format, &cancel)
            }
            Task::Choose(command) => command.execute(),
            Task::Claims(command) => command.execute(),
        }
    }
}

/// Each available backend: installed workers, and the backends of the configuration file.
pub(super) fn present() -> Result<Vec<BackendArg>, CliError> {
    let configured = config::started_backends(&|_| true)?;
    let installed = discover::installed().into_keys();
    let installed = installed.map(|name| BackendArg::installed(&name));
    // A configured backend is identified by its name.
    let configured = configured.into_iter().map(|(name, backend)| backend.named(&name));
    Ok(installed.chain(configured).collect())
}

/// The available backends, by name.
fn there(configured: &BTreeMap<String, BackendArg>) -> BTreeMap<String, BackendArg> {
    let installed = discover::installed()
        .into_keys()
        .map(|name| (name.clone(), BackendArg::installed(&name)));
    let configured = configured
        .iter()
        .map(|(name, backend)| (name.clone(), backend.clone()));
    installed.chain(configured).collect()
}

fn probe(name: String, backend: &BackendArg, lock: &Lockfile, fetcher: &Fetcher, cancel: &Cancel) -> Probed {
    let asked = backend
        .spec(lock, fetcher)
        .map_err(CliError::from)
        .and_then(|spec| ask(spec, cancel));
    let (problem, description, capabilities) = match asked {
        Ok((description, capabilities)) => (None, Some(description), Some(capabilities)),
        Err(error) => (Some(error.to_string()), None, None),
    };
    Probed {
        name,
        backend: backend.to_string(),
        problem,
        description,
        capabilities,
    }
}

/// Starts a worker and requests its capabilities. A worker that does not answer this request can still
/// run models.
fn ask(spec: WorkerSpec, cancel: &Cancel) -> Result<(Description, Capabilities), CliError> {
    let deadline = spec.limits.start;
    let mut worker = Worker::start(Arc::new(spec), cancel.clone())?;
    let capabilities = worker.capabilities(Instant::now() + deadline);
    let capabilities = capabilities.ok().and_then(Result::ok).unwrap_or_default();
    Ok((worker.description().clone(), capabilities))
}
