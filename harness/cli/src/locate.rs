//! `locate`: finds the first node of a model that is wrong on a backend.

use std::iter;
use std::path::PathBuf;

use clap::Args;
use harness_conformance::judge::Judgement;
use harness_console::outln;
use harness_corpus::{Fetcher, Lockfile};
use harness_investigate::inputs::shown;
use harness_investigate::locate::{FailingNode, Finding, Local, Location, NodeFault, NodeRun, Team, locate};
use harness_investigate::runner::Runner;
use harness_investigate::subject::{self, Subject};
use harness_worker::Cancel;

use super::case_subject::case_subject;
use super::columns::columns;
use super::inputs::{Inputs, draw, reference};
use super::selection::fetcher;
use super::workers::Workers;
use super::{CliError, Exit};

/// Find the first node of a model whose output is wrong on a backend, or at which the backend starts to
/// fail.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask locate model.onnx --backend tract\n  \
    cargo xtask locate model.onnx --backend ort --with native --with tract --input image=cat.png\n\n\
    The error of a node is local: the backend runs the single node on the inputs that the reference computed, and the bound is the\n\
    possible rounding error. The error after a cut is propagated: the backend runs all nodes before it.\n\n\
    Exit codes: 0 the outputs are right; 1 a node was found, or nodes are wrong together; 2 usage, a file that is not a model or does not\n\
    fit; 4 no model, or the reference does not answer; 5 interrupted; 6 a backend is missing.")]
pub struct Locate {
    /// The model: a file, or the id of a test case (`onnx-1.23.2/node/test_abs`, `own/…`, `generated/…`).
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The backend under investigation.
    #[arg(long, value_name = "BACKEND")]
    backend: String,
    /// Another backend that runs the located node (repeatable).
    #[arg(long = "with", value_name = "BACKEND")]
    others: Vec<String>,
    #[command(flatten)]
    inputs: Inputs,
    /// The seed of generated inputs.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Check every node, even if the outputs agree.
    #[arg(long)]
    scan: bool,
    /// Evaluate the model strictly by the specification.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    workers: Workers,
}

impl Locate {
    /// The backends whose workers are started, without their options.
    pub(super) fn backends(&self) -> Vec<&str> {
        let named = iter::once(&self.backend).chain(&self.others);
        iter::once("reference")
            .chain(named.filter_map(|text| text.split(':').next()))
            .collect()
    }

    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let subject = one(&self.model)?;
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let mut reference = reference(&self.workers, self.strict, &lock, &fetcher, &cancel)?;
        let mut backend = runner(&self.workers, &self.backend, &lock, &fetcher, &cancel)?;
        let others = self
            .others
            .iter()
            .map(|text| runner(&self.workers, text, &lock, &fetcher, &cancel));
        let mut others: Vec<Runner> = others.collect::<Result<_, _>>()?;
        let inputs = first_inputs(&subject, &self.inputs, self.seed, &mut reference)?;
        let mut team = Team {
            reference: &mut reference,
            backend: &mut backend,
            others: &mut others,
        };
        let location = locate(&subject.model, &inputs, self.scan, &mut team)?;
        for line in lines(&subject.name, &self.backend, &location) {
            outln(format_args!("{line}"))?;
        }
        Ok(match location.finding {
            Finding::Agrees | Finding::Rounding { .. } => Exit::Passed,
            Finding::Node(_) | Finding::Together { .. } | Finding::Fails(_) => Exit::Regression,
        })
    }
}

/// The only model at a path, or that of a test case.
pub(super) fn one(path: &std::path::Path) -> Result<Subject, CliError> {
    if let Some(subject) = case_subject(path)? {
        return Ok(subject);
    }
    let mut subjects = subject::open(path)?;
    match (subjects.pop(), subjects.len()) {
        (Some(subject), 0) => Ok(subject?),
        (_, more) => Err(CliError::Usage(format!(
            "`{}` has {} models; name one",
            path.display(),
            more + 1
        ))),
    }
}

/// A backend that runs single requests.
pub(super) fn runner(
    workers: &Workers,
    text: &str,
    lock: &Lockfile,
    fetcher: &Fetcher,
    cancel: &Cancel,
) -> Result<Runner, CliError> {
    let spec = workers.spec(text, lock, fetcher)?;
    Ok(Runner::start(spec, cancel.clone(), workers.timeout)?)
}

/// The inputs of the first stored data set if no inputs are given; otherwise the given or generated
/// ones.
pub(super) fn first_inputs(
    subject: &Subject,
    inputs: &Inputs,
    seed: u64,
    reference: &mut Runner,
) -> Result<Vec<backend_api::Named>, CliError> {
    match subject.stored.first() {
        Some(stored) if inputs.is_empty() => Ok(stored.inputs.clone()),
        _ => draw(subject, &inputs.request(seed), reference),
    }
}

/// The result as text.
fn lines(model: &str, backend: &str, location: &Location) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(apart) = location.outputs {
        let difference = match apart {
            apart if apart.is_infinite() => "in type, shape or values that are not finite".to_owned(),
            apart => format!("by {} of the largest element", number(apart)),
        };
        lines.push(format!("{model} on {backend}: the outputs differ {difference}"));
    }
    match &location.finding {
        Finding::Agrees => {
            lines.push("the outputs are equal to the reference's: there is nothing to locate".to_owned())
        }
        Finding::Node(fault) => lines.extend(node(fault)),
        Finding::Rounding { largest } => {
            lines.push("rounding explains the difference: every node stays within its bound".to_owned());
            lines.extend(nearest(largest));
        }
        Finding::Together { near, run, largest } => {
            lines.push("no single node is outside its bound".to_owned());
            lines.extend(nearest(largest));
            lines.extend(together(near.as_deref(), run.as_deref()));
        }
        Finding::Fails(fault) => lines.extend(failing(model, backend, fault)),
    }
    lines.extend(location.notes.iter().map(|note| format!("note: {note}")));
    if !location.growth.is_empty() {
        lines.push("propagated error after nodes:".to_owned());
        let mut rows = vec![["node", "name", "operator", "error"].map(str::to_owned).to_vec()];
        rows.extend(location.growth.iter().map(|growth| {
            vec![
                growth.index.to_string(),
                growth.node.clone(),
                growth.operator.clone(),
                number(growth.deviation),
            ]
        }));
        lines.extend(columns("  ", &rows));
    }
    lines.push(format!("{} runs of the backend", location.probes));
    lines
}

/// Nodes that are wrong together.
fn together(near: Option<&str>, run: Option<&NodeRun>) -> Vec<String> {
    match (near, run) {
        (_, Some(run)) => {
            let mut lines = vec![format!(
                "{} nodes are wrong together on the inputs of the reference: the backend fuses some of them",
                run.nodes.len()
            )];
            lines.extend(
                run.nodes
                    .iter()
                    .map(|(node, operator)| format!("  `{node}` ({operator})")),
            );
            lines.push(format!("  {}", words(&run.local)));
            lines.extend(others(&run.others));
            lines
        }
        (Some(near), None) => vec![format!(
            "  the propagated error is first large after `{near}`: rounding errors accumulate there (`compare` shows the model's own noise)"
        )],
        (None, None) => Vec::new(),
    }
}

/// The node with the largest error relative to its bound.
fn nearest(largest: &Option<(String, f64)>) -> Option<String> {
    let (node, part) = largest.as_ref()?;
    Some(format!(
        "  the largest local error is at `{node}`: {part:.3} of its bound"
    ))
}

fn node(fault: &NodeFault) -> Vec<String> {
    let mut lines = vec![
        format!(
            "node {} `{}` ({}) is wrong on the inputs of the reference:",
            fault.index,
            fault.path.join(" / "),
            fault.operator
        ),
        format!("  {}", words(&fault.local)),
        format!("  {}", fault.local.reason),
    ];
    let inputs = fault
        .part
        .inputs
        .iter()
        .map(|(name, value)| format!("  input {name}: {}", shown(&value.value_type())));
    lines.extend(inputs);
    lines.extend(others(&fault.others));
    lines
}

fn failing(model: &str, backend: &str, fault: &FailingNode) -> Vec<String> {
    let mut lines = vec![
        format!(
            "{model} on {backend}: {}: {}",
            fault.judgement.verdict.kind().key(),
            fault.judgement.reason
        ),
        format!(
            "it starts at node {} `{}` ({})",
            fault.index, fault.node, fault.operator
        ),
    ];
    lines.push(match fault.alone {
        Some(true) => "  the backend also fails on this node alone".to_owned(),
        Some(false) => {
            "  the backend runs this node alone: it fails only after the nodes before it".to_owned()
        }
        None => {
            "  the reference does not compute the inputs of the node, so that the single node was not tried"
                .to_owned()
        }
    });
    lines.extend(others(&fault.others));
    lines
}

fn others(others: &[(String, Result<Local, Judgement>)]) -> Vec<String> {
    if others.is_empty() {
        return Vec::new();
    }
    let row = |(name, result): &(String, Result<Local, Judgement>)| {
        let text = match result {
            Ok(local) if local.leaves_bound => format!("also wrong: {}", words(local)),
            Ok(local) => format!("right: {}", words(local)),
            Err(judgement) => format!("{}: {}", judgement.verdict.kind().key(), judgement.reason),
        };
        vec![name.clone(), text]
    };
    let rows: Vec<Vec<String>> = others.iter().map(row).collect();
    iter::once("other backends on the same node:".to_owned())
        .chain(columns("  ", &rows))
        .collect()
}

fn words(local: &Local) -> String {
    if local.deviation.is_infinite() {
        return "another type, another shape or values that are not finite".to_owned();
    }
    let bound = match local.of_bound {
        part if part.is_nan() => "no bound is known".to_owned(),
        part => format!("{} times its bound", number(part)),
    };
    format!(
        "error {} of the largest element, {bound}",
        number(local.deviation)
    )
}

fn number(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        value if (1e-3..1e4).contains(&value) => format!("{value:.4}"),
        value => format!("{value:.2e}"),
    }
}
