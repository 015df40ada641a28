//! Which backends can run a model: what each declares, and whether it loads the model.

use std::path::Path;

use harness_console::{note, outln};
use harness_fetch::Lockfile;
use harness_investigate::inputs::values;
use harness_investigate::runner::Runner;
use harness_investigate::subject::Subject;
use harness_investigate::support::{Declared, Node, Observed, Source, support};
use harness_worker::{BackendArg, Cancel};
use run_record::Report;
use run_record::text::{counted, milliseconds};
use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::Evidence;
use crate::columns::columns;
use crate::inputs::{Inputs, reference};
use crate::locate::one;
use crate::selection::fetcher;
use crate::workers::Workers;
use crate::workers::runner;
use crate::{CliError, Exit};

/// The support of a backend for a model. Fields are never removed; new ones may be added.
#[derive(Serialize, JsonSchema)]
pub(super) struct Backend {
    backend: String,
    version: String,
    /// `every node`, `not every node`, `unknown`.
    declares: &'static str,
    /// The source of the declaration: `operators` or `opset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    declared_by: Option<&'static str>,
    /// The number of nodes that it does not declare.
    undeclared_nodes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_undeclared: Option<Place>,
    pub loads: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    load_ns: Option<u64>,
    /// The verdict and the reason of a failed load.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_refused: Option<Place>,
    /// The verdicts of the run on the operators of the model; absent if no run was named, or the
    /// backend was not part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
}

#[derive(Serialize, JsonSchema)]
struct Place {
    graph: String,
    node: String,
    operator: String,
}

impl From<Node> for Place {
    fn from(node: Node) -> Place {
        Place {
            graph: node.graph,
            node: node.name,
            operator: node.operator,
        }
    }
}

impl Place {
    fn words(&self) -> String {
        format!("`{}` ({})", self.node, self.operator)
    }
}

/// The backends that are asked, with the reference, which generates inputs.
pub(super) struct Asked {
    reference: Option<Runner>,
    backends: Vec<Runner>,
    /// A conformance run whose verdicts are shown.
    run: Option<Report>,
    /// The number of missing backends.
    pub missing: usize,
}

impl Asked {
    /// Starts the backends. A missing backend does not affect the others.
    pub fn start(named: &[BackendArg], workers: &Workers, run: Option<&Path>) -> Result<Asked, CliError> {
        let run = run.map(Report::read).transpose()?;
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let mut asked = Asked {
            reference: reference(workers, false, &lock, &fetcher, &cancel).ok(),
            backends: Vec::new(),
            run,
            missing: 0,
        };
        for backend in named {
            match runner(workers, backend, &lock, &fetcher, &cancel) {
                Ok(backend) => asked.backends.push(backend),
                Err(error) if error.exit() == Exit::BackendMissing => {
                    note(format_args!("error: {error}"));
                    asked.missing += 1;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(asked)
    }

    /// Asks every backend about the model at a path.
    pub fn ask(&mut self, path: &Path) -> Result<Vec<Backend>, CliError> {
        let subject = one(path)?;
        let inputs = self.inputs(&subject);
        let mut answers = Vec::new();
        for backend in &mut self.backends {
            let found = support(&subject, &inputs, backend)?;
            let mut answer = Backend {
                backend: backend.name().to_owned(),
                version: backend.description().version.clone(),
                declares: "unknown",
                declared_by: None,
                undeclared_nodes: 0,
                first_undeclared: None,
                loads: false,
                load_ns: None,
                verdict: None,
                reason: None,
                first_refused: None,
                evidence: self
                    .run
                    .as_ref()
                    .and_then(|run| Evidence::of(run, backend.name(), &subject.model)),
            };
            answer.declared(found.declared);
            answer.observed(found.observed);
            answers.push(answer);
        }
        Ok(answers)
    }

    /// Inputs for backends that need them at load; empty if they cannot be generated.
    fn inputs(&mut self, subject: &Subject) -> Vec<backend_api::Named> {
        if let Some(set) = subject.stored.first() {
            return set.inputs.clone();
        }
        let wanted = self
            .backends
            .iter()
            .any(|backend| backend.description().wants_inputs_at_load);
        let drawn = self.reference.as_mut().filter(|_| wanted);
        drawn
            .and_then(|reference| values(subject, &Inputs::none().request(0), reference).ok())
            .map(|drawn| drawn.values)
            .unwrap_or_default()
    }
}

impl Backend {
    fn declared(&mut self, declared: Declared) {
        let source = |by| match by {
            Source::Operators => "operators",
            Source::Opset => "opset",
        };
        match declared {
            Declared::Unknown => {}
            Declared::Every { by } => (self.declares, self.declared_by) = ("every node", Some(source(by))),
            Declared::Lacks { by, nodes, first } => {
                (self.declares, self.declared_by) = ("not every node", Some(source(by)));
                self.undeclared_nodes = nodes;
                self.first_undeclared = Some(first.into());
            }
        }
    }

    fn observed(&mut self, observed: Observed) {
        match observed {
            Observed::Loads { nanoseconds } => (self.loads, self.load_ns) = (true, Some(nanoseconds)),
            Observed::Refuses { judgement, first, .. } => {
                self.verdict = Some(judgement.verdict.kind().key());
                self.reason = Some(judgement.reason);
                self.first_refused = first.map(Place::from);
            }
        }
    }

    fn row(&self) -> Vec<String> {
        let by = self
            .declared_by
            .map_or(String::new(), |by| format!(", by its {by}"));
        let declares = match &self.first_undeclared {
            None => format!("{}{by}", self.declares),
            Some(first) => {
                let nodes = counted(self.undeclared_nodes, "node");
                format!("not {nodes}, first {}{by}", first.words())
            }
        };
        let observed = match (self.load_ns, &self.first_refused) {
            (Some(ns), _) => format!("loads in {}", milliseconds(ns)),
            (None, Some(first)) => format!(
                "{}, first with {}",
                self.verdict.unwrap_or_default(),
                first.words()
            ),
            (None, None) => self.verdict.unwrap_or_default().to_owned(),
        };
        vec![format!("{} {}", self.backend, self.version), declares, observed]
    }
}

/// The support of all backends for one model, as text.
pub(super) fn text(backends: &[Backend], with_run: bool) -> Result<(), CliError> {
    let mut rows = vec![["backend", "declares", "observed"].map(str::to_owned).to_vec()];
    rows.extend(backends.iter().map(Backend::row));
    for line in columns("  ", &rows) {
        outln(format_args!("{line}"))?;
    }
    for backend in backends {
        if let Some(reason) = &backend.reason {
            outln(format_args!(
                "  {}: {}",
                backend.backend,
                run_record::shown::one_line(reason)
            ))?;
        }
        if with_run {
            let line = backend.evidence.as_ref().map(Evidence::line);
            let line = line.unwrap_or_else(|| "the run has no such backend".to_owned());
            outln(format_args!("  {} in the run: {line}", backend.backend))?;
        }
    }
    Ok(())
}
