//! `check`: checks models against the specification without running them, and which backends can run
//! them.

mod evidence;
mod found;
mod sarif;
mod shapes;
mod who;

use std::borrow::Cow;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use harness_console::{OutputError, note, outln};
use harness_investigate::subject;
use harness_worker::BackendArg;
use onnx_model::{Limits, ModelError};
use run_record::shown::{as_shown, one_line};
use schemars::JsonSchema;
use serde::Serialize;

use super::backends::present;
use super::workers::Workers;
use super::{CliError, Exit};
use found::{Findings, Found};
use sarif::sarif;
use shapes::ValueRecord;
use who::{Asked, Backend};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// Check models against the specification without running them: names, order, operators, attributes,
/// types, shapes.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask check model.onnx\n  \
    cargo xtask check models\n  \
    cargo xtask check --format json models/*.onnx > findings.json\n  \
    cargo xtask check --format sarif models/*.onnx > findings.sarif\n  \
    cargo xtask check model.onnx --shapes\n  \
    cargo xtask check model.onnx --infer inferred.onnx\n  \
    cargo xtask check model.onnx --who\n  \
    cargo xtask check model.onnx --who --run conformance-report\n  \
    cargo xtask check model.onnx --backend native --backend ort:version=1.20.1 --format json\n\n\
    Every finding names the graph, the node, the operator with its since-version, the rule and the section of the specification. \
    Colours are omitted if the output is not a terminal or NO_COLOR is set.\n\n\
    --who asks every available backend whether it declares each node, lets it load the model, and names the first node that it \
    refuses; --backend asks the named backends. --run adds the verdicts of a conformance run on the operators of the model.\n\n\
    Exit codes: 0 no finding; 1 findings, or a --backend does not load a model; 2 usage, or a file that cannot be read as a model; \
    4 a folder has no model; 6 a backend is missing.")]
pub struct Check {
    /// The models: files, or folders with a `model.onnx`, with `.onnx` files, or with folders of a
    /// `model.onnx`. External data is read from the folder of each.
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Show the inferred shape of every value of the main graph, and the conditions on open extents.
    #[arg(long)]
    shapes: bool,
    /// Write the model with the inferred shapes of its values to this file.
    #[arg(long, value_name = "OUT")]
    infer: Option<PathBuf>,
    /// Ask the available backends whether they can run the models.
    #[arg(long)]
    who: bool,
    /// Ask this backend whether it can run the models (repeatable).
    #[arg(long = "backend", value_name = "BACKEND")]
    backends: Vec<BackendArg>,
    /// Show the results of the conformance run in this folder for the operators of the models, for
    /// each asked backend.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    #[command(flatten)]
    workers: Workers,
}

/// The output format.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// For people: grouped by model, graph and node.
    Text,
    /// For programs: one object, versioned.
    Json,
    /// For viewers of static analysis results: SARIF 2.1.0.
    Sarif,
}

/// A model with its findings.
pub(super) struct Checked {
    pub path: PathBuf,
    found: Result<Findings, ModelError>,
    /// The shapes of its values; `None` if they were not asked for or the model cannot be decoded.
    values: Option<Vec<ValueRecord>>,
    /// The support of backends; `None` if no backend was asked.
    backends: Option<Vec<Backend>>,
}

impl Check {
    /// Whether any backend is asked.
    pub(super) fn asks(&self) -> bool {
        self.who || self.run.is_some() || !self.backends.is_empty()
    }

    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let limits = Limits::default();
        let mut asked = if self.asks() {
            Some(Asked::start(&self.asked()?, &self.workers, self.run.as_deref())?)
        } else {
            None
        };
        let mut checked = Vec::new();
        let (files, failed) = self.files()?;
        for path in &files {
            let mut found = Findings::of(path, &limits);
            if let Err(error) = &found {
                note(format_args!("error: {error}"));
            }
            let backends = match (&mut asked, &found) {
                (Some(asked), Ok(_)) => Some(asked.ask(path)?),
                _ => None,
            };
            let values = match found.as_mut().map(|found| found.shapes.as_mut()) {
                Ok(Some((model, inference))) if self.shapes => Some(shapes::records(model, inference)),
                _ => None,
            };
            if let Ok(found) = &mut found
                && !self.shapes
                && self.infer.is_none()
            {
                found.shapes = None;
            }
            checked.push(Checked {
                path: path.clone(),
                found,
                values,
                backends,
            });
        }
        if let Some(out) = &self.infer {
            shapes::write(&mut checked, out)?;
        }
        match self.format {
            Format::Text => checked
                .iter()
                .try_for_each(|model| text(model, self.run.is_some()))?,
            Format::Json => outln(format_args!("{}", json(&checked)?))?,
            Format::Sarif => outln(format_args!("{:#}", as_shown(&sarif(&checked))))?,
        }
        let is_named = |backend: &Backend| !self.backends.is_empty() && !backend.loads;
        let refused = checked
            .iter()
            .flat_map(|model| model.backends.iter().flatten())
            .any(is_named);
        Ok(match exit(&checked) {
            _ if asked.is_some_and(|asked| asked.missing > 0) => Exit::BackendMissing,
            _ if failed => Exit::Usage,
            Exit::Passed if refused => Exit::Regression,
            exit => exit,
        })
    }

    /// The named files, and the models in the named folders; whether one of several folders has none, or
    /// cannot be read.
    fn files(&self) -> Result<(Vec<PathBuf>, bool), CliError> {
        let (mut files, mut failed) = (Vec::new(), false);
        for path in &self.models {
            if !path.is_dir() {
                files.push(path.clone());
                continue;
            }
            match subject::files(path) {
                Ok(found) => files.extend(found),
                Err(error) if self.models.len() == 1 => return Err(error.into()),
                Err(error) => {
                    note(format_args!("error: {error}"));
                    failed = true;
                }
            }
        }
        Ok((files, failed))
    }

    /// The named backends, or else the available ones.
    fn asked(&self) -> Result<Vec<BackendArg>, CliError> {
        if self.backends.is_empty() {
            present()
        } else {
            Ok(self.backends.clone())
        }
    }
}

fn exit(checked: &[Checked]) -> Exit {
    if checked.iter().any(|model| model.found.is_err()) {
        Exit::Usage
    } else if checked
        .iter()
        .any(|model| model.found.as_ref().is_ok_and(|found| !found.is_empty()))
    {
        Exit::Regression
    } else {
        Exit::Passed
    }
}

const HEADING: Style = Style::new().bold();
const RULE: Style = AnsiColor::Red.on_default();
const SECTION: Style = Style::new().dimmed();

/// Prints a model's findings, grouped by graph and node.
fn text(model: &Checked, with_run: bool) -> Result<(), CliError> {
    let Ok(found) = &model.found else {
        return Ok(());
    };
    findings(model, found)?;
    if let (Some(values), Some((_, inference))) = (&model.values, &found.shapes) {
        shapes::table(values, inference)?;
    }
    match &model.backends {
        Some(backends) => who::text(backends, with_run),
        None => Ok(()),
    }
}

fn findings(model: &Checked, found: &Findings) -> Result<(), OutputError> {
    let path = model.path.display().to_string();
    let path = one_line(&path);
    let count = found.list.len() + found.omitted;
    let counted = match count {
        0 => "no findings".to_owned(),
        1 => "1 finding".to_owned(),
        _ => format!("{count} findings"),
    };
    outln(format_args!("{HEADING}{path}{HEADING:#}: {counted}"))?;
    let (mut graph, mut node) = (None, None);
    for finding in &found.list {
        if graph != Some(&finding.graph) {
            (graph, node) = (Some(&finding.graph), None);
            let name = if finding.graph.is_empty() {
                "the model"
            } else {
                &finding.graph
            };
            let name = one_line(name);
            outln(format_args!("  {HEADING}{name}{HEADING:#}"))?;
        }
        if let Some(place) = &finding.node
            && node != Some(place)
        {
            let (label, operator) = (one_line(&place.label), finding.operator());
            outln(format_args!("    node `{label}` ({})", one_line(&operator)))?;
        }
        node = finding.node.as_ref();
        let indent = if node.is_some() { "      " } else { "    " };
        let (name, section) = (finding.rule, finding.section);
        outln(format_args!(
            "{indent}{RULE}{name}{RULE:#}: {} {SECTION}[{section}]{SECTION:#}",
            one_line(&finding.message)
        ))?;
    }
    if found.omitted > 0 {
        outln(format_args!("  and {} more", found.omitted))?;
    }
    Ok(())
}

/// The document of `--format json`. Fields are never removed; new ones may be added.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    models: Vec<ModelRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct ModelRecord<'a> {
    path: Cow<'a, str>,
    findings: Vec<FindingRecord<'a>>,
    /// The number of findings beyond the limit.
    omitted: usize,
    /// The inferred shapes; omitted if they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'a [ValueRecord]>,
    /// The backends that can run it; omitted if no backend was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    backends: Option<&'a [Backend]>,
    /// Why the file cannot be read as a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FindingRecord<'a> {
    /// The rule that the model breaks.
    rule: &'static str,
    /// The section of the specification that states the rule.
    section: &'static str,
    /// The graph: that of the model, a body, a function.
    graph: &'a str,
    /// The name or the first output of the node; `null` if the finding concerns none.
    node: Option<&'a str>,
    operator: Option<&'a str>,
    /// The since-version of the operator.
    since: Option<u32>,
    message: &'a str,
}

impl<'a> From<&'a Found> for FindingRecord<'a> {
    fn from(finding: &'a Found) -> FindingRecord<'a> {
        let node = finding.node.as_ref();
        FindingRecord {
            rule: finding.rule,
            section: finding.section,
            graph: &finding.graph,
            node: node.map(|place| place.label.as_str()),
            operator: node.map(|place| place.operator.as_str()),
            since: node.and_then(|place| place.since),
            message: &finding.message,
        }
    }
}

impl<'a> From<&'a Checked> for ModelRecord<'a> {
    fn from(model: &'a Checked) -> ModelRecord<'a> {
        let found = model.found.as_ref();
        let findings = found.map_or(&[][..], |found| &found.list);
        ModelRecord {
            path: model.path.to_string_lossy(),
            findings: findings.iter().map(FindingRecord::from).collect(),
            omitted: found.map_or(0, |found| found.omitted),
            values: model.values.as_deref(),
            backends: model.backends.as_deref(),
            error: found.err().map(ToString::to_string),
        }
    }
}

fn json(checked: &[Checked]) -> Result<String, CliError> {
    let document = Document {
        version: FORMAT,
        models: checked.iter().map(ModelRecord::from).collect(),
    };
    run_record::shown::to_json(&document)
        .map_err(|error| CliError::Usage(format!("the findings cannot be written as JSON: {error}")))
}
