//! `backends`: lists the available backends and what they report.

mod choose;
mod claims;
mod show;
mod verify;

use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;
use std::time::Instant;

use backend_api::{Capabilities, Description};
use clap::{Args, Subcommand, ValueEnum};
use harness_corpus::{Fetcher, Lockfile};
use harness_worker::{Cancel, Worker, WorkerSpec, backend, discover};

use super::config;
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
    A backend is available if it has a worker (an executable `onnx-worker-NAME` beside this program or in PATH), or a name in\n\
    onnx-conformance.toml.\n\n\
    Exit codes: 0 done; 1 a check of `verify` failed, or no backend of `choose` is right; 2 usage; 4 the right\n\
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
        backend: String,
        /// The output format.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Test whether the worker of a backend follows the protocol: element types bit for bit, typed
    /// errors, sessions, memory.
    Verify {
        /// The backend, as for `conformance`.
        #[arg(value_name = "BACKEND")]
        backend: String,
        /// The output format.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Rank the backends for a model by the quality of their answers, then by latency.
    Choose(Choose),
    /// Compare what backends declare with their results in a run.
    Claims(Claims),
}

/// An output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Backends {
    /// The backends as given on the command line.
    pub(super) fn backend_texts(&self) -> &[String] {
        match &self.task {
            Task::List { .. } => &[],
            Task::Probe { backend, .. } | Task::Verify { backend, .. } => slice::from_ref(backend),
            Task::Choose(command) => &command.backends,
            Task::Claims(command) => &command.backends,
        }
    }

    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let configured = match &self.task {
            Task::List { .. } => config::started_backends(&|_| true)?,
            Task::Probe { backend, .. } | Task::Verify { backend, .. } => {
                config::started_backends(&|name| name == backend)?
            }
            Task::Choose(_) | Task::Claims(_) => BTreeMap::new(),
        };
        match self.task {
            Task::List { format } => {
                let found = there(&configured).into_iter();
                let probed: Vec<Probed> = found
                    .map(|(name, text)| probe(name, text, &lock, &fetcher, &cancel))
                    .collect();
                match format {
                    Format::Json => json(&probed)?,
                    Format::Text => list(&probed)?,
                }
                Ok(Exit::Passed)
            }
            Task::Probe {
                backend: text,
                format,
            } => {
                let text = configured.get(&text).cloned().unwrap_or(text);
                let spec = backend::parse(&text, &lock, &fetcher)?;
                let (description, capabilities) = ask(spec, &cancel)?;
                let probed = Probed {
                    name: backend::name(&text).to_owned(),
                    backend: text,
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
            Task::Verify {
                backend: text,
                format,
            } => {
                let text = configured.get(&text).cloned().unwrap_or(text);
                verified(backend::parse(&text, &lock, &fetcher)?, format, &cancel)
            }
            Task::Choose(command) => command.execute(),
            Task::Claims(command) => command.execute(),
        }
    }
}

/// The text for `--backend` of each available backend.
pub(super) fn present() -> Result<Vec<String>, CliError> {
    let configured = config::started_backends(&|_| true)?;
    let installed = discover::installed().into_keys();
    // A configured backend is identified by its name.
    let configured = configured
        .into_iter()
        .map(|(name, text)| format!("{name}={}", backend_text(&text)));
    Ok(installed.chain(configured).collect())
}

/// The text without the alias.
fn backend_text(text: &str) -> &str {
    backend::alias(text).map_or(text, |(_, backend)| backend)
}

/// The texts for `--backend`, by name: installed workers, and the backends of the configuration file.
fn there(configured: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let installed = discover::installed().into_keys().map(|name| (name.clone(), name));
    let configured = configured.iter().map(|(name, text)| (name.clone(), text.clone()));
    installed.chain(configured).collect()
}

fn probe(name: String, text: String, lock: &Lockfile, fetcher: &Fetcher, cancel: &Cancel) -> Probed {
    let asked = backend::parse(&text, lock, fetcher)
        .map_err(CliError::from)
        .and_then(|spec| ask(spec, cancel));
    let (problem, description, capabilities) = match asked {
        Ok((description, capabilities)) => (None, Some(description), Some(capabilities)),
        Err(error) => (Some(error.to_string()), None, None),
    };
    Probed {
        name,
        backend: text,
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
