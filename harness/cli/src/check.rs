//! `check`: models against the specification, without running them.

use std::borrow::Cow;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use harness_console::{OutputError, note, outln};
use onnx_checker::{Finding, Findings, check_file};
use onnx_model::{Limits, ModelError};
use reports::shown::one_line;
use serde::Serialize;

use super::sarif::sarif;
use super::{CliError, Exit};

/// Hold models against the specification without running them: names, order, operators, attributes, types.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask check model.onnx\n  \
    cargo xtask check --format json models/*.onnx > findings.json\n  \
    cargo xtask check --format sarif models/*.onnx > findings.sarif\n\n\
    Every finding names the graph, the node, the operator with its since-version, the rule and where the specification says it.\n\
    Colours are left out where the output is no terminal or NO_COLOR is set.\n\n\
    Exit codes: 0 no finding; 1 findings; 2 usage, or a file that cannot be read as a model.")]
pub struct Check {
    /// The models; external data is looked for in the folder of each.
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// How findings are written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// How findings are written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// For people: grouped by model, graph and node.
    Text,
    /// For programs: one object, versioned.
    Json,
    /// For viewers of static analysis: SARIF 2.1.0.
    Sarif,
}

/// A model with what was found.
pub(super) struct Checked {
    pub path: PathBuf,
    pub found: Result<Findings, ModelError>,
}

impl Check {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let limits = Limits::default();
        let check = |path: PathBuf| {
            let found = check_file(&path, &limits);
            Checked { path, found }
        };
        let checked: Vec<Checked> = self.models.into_iter().map(check).collect();
        for error in checked.iter().filter_map(|model| model.found.as_ref().err()) {
            note(format_args!("error: {error}"));
        }
        match self.format {
            Format::Text => checked.iter().try_for_each(text)?,
            Format::Json => outln(format_args!("{}", json(&checked)?))?,
            Format::Sarif => outln(format_args!("{:#}", sarif(&checked)))?,
        }
        Ok(exit(&checked))
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

/// Writes a model's findings; those of one graph and of one node stand together.
fn text(model: &Checked) -> Result<(), OutputError> {
    let Ok(found) = &model.found else {
        return Ok(());
    };
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
            let (label, operator) = (one_line(&place.label), operator(finding));
            outln(format_args!("    node `{label}` ({})", one_line(&operator)))?;
        }
        node = finding.node.as_ref();
        let (rule, indent) = (finding.rule(), if node.is_some() { "      " } else { "    " });
        let (name, section) = (rule.name(), rule.section());
        let problem = finding.problem.to_string();
        outln(format_args!(
            "{indent}{RULE}{name}{RULE:#}: {} {SECTION}[{section}]{SECTION:#}",
            one_line(&problem)
        ))?;
    }
    if found.omitted > 0 {
        outln(format_args!("  and {} more", found.omitted))?;
    }
    Ok(())
}

/// `Softmax-13`; without a version for a function and where there is none.
pub(super) fn operator(finding: &Finding) -> String {
    let Some(place) = &finding.node else {
        return String::new();
    };
    match place.since {
        Some(since) => format!("{}-{since}", place.operator),
        None => place.operator.clone(),
    }
}

/// The document of `--format json`. Its fields stay; more may be added.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    models: Vec<ModelRecord<'a>>,
}

#[derive(Serialize)]
struct ModelRecord<'a> {
    path: Cow<'a, str>,
    findings: Vec<FindingRecord<'a>>,
    /// Findings beyond the limit.
    omitted: usize,
    /// Why the file cannot be read as a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct FindingRecord<'a> {
    rule: &'static str,
    section: &'static str,
    graph: &'a str,
    node: Option<&'a str>,
    operator: Option<&'a str>,
    since: Option<u32>,
    message: String,
}

impl<'a> From<&'a Finding> for FindingRecord<'a> {
    fn from(finding: &'a Finding) -> FindingRecord<'a> {
        let node = finding.node.as_ref();
        FindingRecord {
            rule: finding.rule().name(),
            section: finding.rule().section(),
            graph: &finding.graph,
            node: node.map(|place| place.label.as_str()),
            operator: node.map(|place| place.operator.as_str()),
            since: node.and_then(|place| place.since),
            message: finding.problem.to_string(),
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
            error: found.err().map(ToString::to_string),
        }
    }
}

fn json(checked: &[Checked]) -> Result<String, CliError> {
    let document = Document {
        version: 1,
        models: checked.iter().map(ModelRecord::from).collect(),
    };
    serde_json::to_string_pretty(&document)
        .map_err(|error| CliError::Usage(format!("the findings have no JSON form: {error}")))
}
