//! Prints what backends report, as text and JSON.

use backend_api::{Capabilities, Description};
use harness_console::{note, outln};
use reports::render::RenderError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::CliError;
use crate::columns::columns;
use run_record::text::counted;

/// The version of the JSON format. In version 1 description and capabilities were one object, with
/// `options` twice.
const FORMAT: u32 = 2;

/// A backend and its report.
#[derive(Serialize, JsonSchema)]
pub(super) struct Probed {
    /// Its name.
    pub name: String,
    /// The text for `--backend`.
    pub backend: String,
    /// Why it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
}

/// The document of `--format json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    backends: &'a [Probed],
}

pub(super) fn json(probed: &[Probed]) -> Result<(), CliError> {
    let document = Document {
        version: FORMAT,
        backends: probed,
    };
    let text = run_record::shown::to_json(&document).map_err(RenderError::from)?;
    Ok(outln(format_args!("{text}"))?)
}

pub(super) fn list(probed: &[Probed]) -> Result<(), CliError> {
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

/// The highest opset of `ai.onnx`, if the backend reports it.
fn opset(capabilities: &Capabilities) -> String {
    match capabilities.opsets.get("") {
        Some(opset) => opset.to_string(),
        None => or_dash(""),
    }
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "–" } else { text }.to_owned()
}

pub(super) fn details(one: &Probed) -> Result<(), CliError> {
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
        vec!["opsets".to_owned(), or_dash(&opsets.join(", "))],
        vec![
            "operators".to_owned(),
            match capabilities.operators.len() {
                0 => "not listed".to_owned(),
                count => format!("{} (--format json lists them)", counted(count, "version")),
            },
        ],
    ];
    for device in &capabilities.devices {
        rows.push(vec!["device".to_owned(), device.clone()]);
    }
    for (option, value) in &description.options {
        rows.push(vec!["option".to_owned(), format!("{option}={value}")]);
    }
    for line in columns("", &rows) {
        outln(format_args!("{line}"))?;
    }
    if !capabilities.options.is_empty() {
        outln(format_args!("\nOptions:"))?;
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
