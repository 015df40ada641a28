//! `backends`: which backends are there, and what each says of itself.

use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;
use std::time::Instant;

use backend_api::{Capabilities, Description};
use clap::{Args, Subcommand, ValueEnum};
use harness_conformance::verify::{Finding, Outcome, verify};
use harness_console::{note, outln};
use harness_corpus::{Fetcher, Lockfile};
use harness_worker::{Cancel, Worker, WorkerSpec, backend, discover};
use reports::render::RenderError;
use serde::Serialize;

use super::columns::columns;
use super::config::ConfigFile;
use super::selection::fetcher;
use super::{CliError, Exit};

/// Version of the JSON.
const FORMAT: u32 = 1;

/// List the backends that are there, or ask one what it can do.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask backends list\n  \
    cargo xtask backends list --format json\n  \
    cargo xtask backends probe ort:provider=XNNPACK\n  \
    cargo xtask backends probe 'cmd:./my-worker --flag'\n  \
    cargo xtask backends verify 'cmd:./my-worker --flag'\n\n\
    A backend is there as a worker (an executable `onnx-worker-NAME` beside this program or in PATH), or by its name in\n\
    onnx-conformance.toml.\n\n\
    Exit codes: 0 done; 1 a check of `verify` failed; 2 usage; 6 the backend is missing, or its handshake failed.")]
pub struct Backends {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Start each backend and list its version, provider, devices and opset.
    List {
        /// The form of the answer.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Start one backend and print all that it says of itself.
    Probe {
        /// The backend, as `conformance` takes it.
        #[arg(value_name = "BACKEND")]
        backend: String,
        /// The form of the answer.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Test whether the worker of a backend speaks the protocol: element types to the bit, typed errors, sessions, memory.
    Verify {
        /// The backend, as `conformance` takes it.
        #[arg(value_name = "BACKEND")]
        backend: String,
        /// The form of the answer.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// A backend and what it says of itself.
#[derive(Serialize)]
struct Probed {
    /// Its name.
    name: String,
    /// What `--backend` takes.
    backend: String,
    /// Why it could not be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    #[serde(flatten)]
    description: Option<Description>,
    #[serde(flatten)]
    capabilities: Option<Capabilities>,
}

#[derive(Serialize)]
struct Verified<'a> {
    version: u32,
    checks: &'a [Finding],
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    backends: &'a [Probed],
}

impl Backends {
    /// The backends as they were typed.
    pub(super) fn backend_texts(&self) -> &[String] {
        match &self.task {
            Task::List { .. } => &[],
            Task::Probe { backend, .. } | Task::Verify { backend, .. } => slice::from_ref(backend),
        }
    }

    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let file = ConfigFile::nearest()?;
        let configured = file.map(|file| file.backends).unwrap_or_default();
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
        }
    }
}

/// Makes the checks of the protocol. Failures are told as they are found.
fn verified(spec: WorkerSpec, format: Format, cancel: &Cancel) -> Result<Exit, CliError> {
    let findings = verify(spec, cancel, |finding| {
        if let Outcome::Failed(reason) = &finding.outcome {
            note(format_args!(
                "failed: {}: {}: {reason}",
                finding.group, finding.check
            ));
        }
    })?;
    match format {
        Format::Json => {
            let document = Verified {
                version: FORMAT,
                checks: &findings,
            };
            let text = serde_json::to_string_pretty(&document).map_err(RenderError::from)?;
            outln(format_args!("{text}"))?;
        }
        Format::Text => summary(&findings)?,
    }
    let failed = findings
        .iter()
        .any(|finding| matches!(finding.outcome, Outcome::Failed(_)));
    Ok(if failed { Exit::Regression } else { Exit::Passed })
}

/// How many checks of each group passed.
fn summary(findings: &[Finding]) -> Result<(), CliError> {
    let mut rows = vec![
        ["checks", "passed", "not supported", "failed"]
            .map(String::from)
            .to_vec(),
    ];
    let count = |group: Option<&str>, is: fn(&Outcome) -> bool| {
        let of_group = findings
            .iter()
            .filter(|finding| group.is_none_or(|group| finding.group == group));
        of_group
            .filter(|finding| is(&finding.outcome))
            .count()
            .to_string()
    };
    let row = |name: &str, group: Option<&str>| {
        vec![
            name.to_owned(),
            count(group, |outcome| matches!(outcome, Outcome::Passed)),
            count(group, |outcome| matches!(outcome, Outcome::Unsupported(_))),
            count(group, |outcome| matches!(outcome, Outcome::Failed(_))),
        ]
    };
    for group in findings.chunk_by(|a, b| a.group == b.group) {
        if let Some(first) = group.first() {
            rows.push(row(first.group, Some(first.group)));
        }
    }
    rows.push(row("all", None));
    for line in columns("", &rows) {
        outln(format_args!("{line}"))?;
    }
    Ok(())
}

/// What `--backend` takes, by name: installed workers, and the backends of the configuration file.
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

/// Starts a worker and asks what it can do. One that does not answer that question can still run models.
fn ask(spec: WorkerSpec, cancel: &Cancel) -> Result<(Description, Capabilities), CliError> {
    let deadline = spec.limits.start;
    let mut worker = Worker::start(Arc::new(spec), cancel.clone())?;
    let capabilities = worker.capabilities(Instant::now() + deadline);
    let capabilities = capabilities.ok().and_then(Result::ok).unwrap_or_default();
    Ok((worker.description().clone(), capabilities))
}

fn json(probed: &[Probed]) -> Result<(), CliError> {
    let document = Document {
        version: FORMAT,
        backends: probed,
    };
    let text = serde_json::to_string_pretty(&document).map_err(RenderError::from)?;
    Ok(outln(format_args!("{text}"))?)
}

fn list(probed: &[Probed]) -> Result<(), CliError> {
    let mut rows = vec![
        ["backend", "version", "opset", "provider", "devices"]
            .map(String::from)
            .to_vec(),
    ];
    for one in probed {
        match (&one.description, &one.capabilities) {
            (Some(description), Some(capabilities)) => rows.push(vec![
                one.name.clone(),
                format!("{} {}", description.name, description.version),
                opset(capabilities),
                or_dash(&description.provider),
                or_dash(&capabilities.devices.join(", ")),
            ]),
            _ => note(format_args!(
                "{}: {}",
                one.name,
                one.problem.as_deref().unwrap_or_default()
            )),
        }
    }
    for line in columns("", &rows) {
        outln(format_args!("{line}"))?;
    }
    Ok(())
}

/// The highest opset of `ai.onnx`, where the backend knows it.
fn opset(capabilities: &Capabilities) -> String {
    match capabilities.opsets.get("") {
        Some(opset) => opset.to_string(),
        None => or_dash(""),
    }
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "–" } else { text }.to_owned()
}

fn details(one: &Probed) -> Result<(), CliError> {
    let (Some(description), Some(capabilities)) = (&one.description, &one.capabilities) else {
        return Ok(());
    };
    let domain = |domain: &str| if domain.is_empty() { "ai.onnx" } else { domain }.to_owned();
    let opsets = capabilities.opsets.iter();
    let opsets: Vec<String> = opsets
        .map(|(name, opset)| format!("{} {opset}", domain(name)))
        .collect();
    let mut rows = vec![
        vec!["backend".to_owned(), one.backend.clone()],
        vec![
            "runtime".to_owned(),
            format!("{} {}", description.name, description.version),
        ],
        vec!["build".to_owned(), or_dash(&description.build)],
        vec!["provider".to_owned(), or_dash(&description.provider)],
        vec!["devices".to_owned(), or_dash(&capabilities.devices.join(", "))],
        vec!["opsets".to_owned(), or_dash(&opsets.join(", "))],
        vec![
            "operators".to_owned(),
            match capabilities.operators.len() {
                0 => "not listed".to_owned(),
                count => format!("{count} versions (--format json lists them)"),
            },
        ],
    ];
    for (option, value) in &description.options {
        rows.push(vec!["option".to_owned(), format!("{option}={value}")]);
    }
    for line in columns("", &rows) {
        outln(format_args!("{line}"))?;
    }
    if !capabilities.options.is_empty() {
        outln(format_args!("\nIt understands these options:"))?;
    }
    let options = capabilities.options.iter();
    let options: Vec<Vec<String>> = options
        .map(|(name, help)| vec![name.clone(), help.clone()])
        .collect();
    for line in columns("  ", &options) {
        outln(format_args!("{line}"))?;
    }
    Ok(())
}
