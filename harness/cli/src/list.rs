//! `conformance --list`: lists the selected cases without running them.

use clap::ValueEnum;
use harness_console::{note, outln};
use harness_corpus::Selection;
use run_record::shown::one_line;
use schemars::JsonSchema;
use serde::Serialize;

use super::{CliError, Exit};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// An output format.
#[derive(ValueEnum, Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum ListFormat {
    /// An id on each line.
    #[default]
    Text,
    /// One object, versioned.
    Json,
}

/// The document of `--list=json`. Fields are never removed; new ones may be added.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    cases: Vec<Case>,
    /// The cases that cannot be read.
    unreadable: Vec<Unreadable>,
}

#[derive(Serialize, JsonSchema)]
struct Case {
    id: String,
    /// Other corpora that have the case, byte for byte.
    also_in: Vec<String>,
    /// The number of data sets.
    data_sets: usize,
}

#[derive(Serialize, JsonSchema)]
struct Unreadable {
    id: String,
    reason: String,
}

/// Writes the selection to stdout. A case that cannot be read is reported, and the exit code is that of
/// a run.
pub(super) fn list(selection: &Selection, format: ListFormat) -> Result<Exit, CliError> {
    match format {
        ListFormat::Text => {
            for case in &selection.cases {
                outln(format_args!("{}", one_line(&case.id.to_string())))?;
            }
        }
        ListFormat::Json => {
            let text = run_record::shown::to_json(&document(selection));
            outln(format_args!(
                "{}",
                text.map_err(reports::render::RenderError::from)?
            ))?;
        }
    }
    for defect in &selection.defects {
        note(format_args!(
            "error: {} cannot be read: {}",
            defect.id, defect.kind
        ));
    }
    Ok(match (selection.cases.is_empty(), selection.defects.is_empty()) {
        (false, true) => Exit::Passed,
        _ => Exit::NoCases,
    })
}

fn document(selection: &Selection) -> Document {
    let cases = selection.cases.iter().map(|case| Case {
        id: case.id.to_string(),
        also_in: case.also_in.clone(),
        data_sets: case.data_sets.len(),
    });
    let unreadable = selection.defects.iter().map(|defect| Unreadable {
        id: defect.id.to_string(),
        reason: defect.kind.to_string(),
    });
    Document {
        version: FORMAT,
        cases: cases.collect(),
        unreadable: unreadable.collect(),
    }
}
