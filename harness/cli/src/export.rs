//! `conformance --export`: writes the files of the selected cases.

use std::collections::BTreeSet;
use std::path::Path;

use backend_api::protocol::External;
use clap::ValueEnum;
use harness_conformance::case::Case;
use harness_console::{note, outln};
use harness_corpus::{CaseFiles, JSON_SUFFIX, Selection};
use harness_investigate::CaseToWrite;
use reports::render::case_folder;

use super::files::put;
use super::{CliError, Exit};

/// How a case is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(super) enum ExportForm {
    /// The official layout: a folder with `model.onnx` and `test_data_set_0`
    #[default]
    Layout,
    /// JSON text: one file for each case, with its id, operator, values and tolerance
    Json,
}

/// Writes each case to a folder or a file of its own in `out`. A variant is written in its form. A case that
/// cannot be read is reported and does not affect the others.
pub(super) fn export(selection: &Selection, out: &Path, form: ExportForm) -> Result<Exit, CliError> {
    let (mut taken, mut complete) = (BTreeSet::new(), true);
    for files in &selection.cases {
        let name = unique(&case_folder(&files.id.to_string()), &mut taken);
        let (target, written) = match form {
            ExportForm::Layout => {
                let folder = out.join(name);
                let written = in_layout(files, &folder)?;
                (folder, written)
            }
            ExportForm::Json => {
                let file = out.join(name + JSON_SUFFIX);
                let written = match files.to_json() {
                    Ok(text) => Ok(put(&file, text.as_bytes())?),
                    Err(error) => Err(error.to_string()),
                };
                (file, written)
            }
        };
        match written {
            Ok(()) => outln(format_args!("{}", target.display()))?,
            Err(error) => {
                note(format_args!("error: {} cannot be written: {error}", files.id));
                complete = false;
            }
        }
    }
    for defect in &selection.defects {
        note(format_args!(
            "error: {} cannot be read: {}",
            defect.id, defect.kind
        ));
    }
    Ok(if complete && selection.defects.is_empty() && !taken.is_empty() {
        Exit::Passed
    } else {
        Exit::NoCases
    })
}

/// Writes a case in the official layout; the inner error says why it cannot be read.
pub(super) fn in_layout(files: &CaseFiles, target: &Path) -> Result<Result<(), String>, CliError> {
    let case = match Case::decode(files) {
        Ok(case) => case,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let is_made = files.form.is_some() || files.data_sets.iter().any(|set| set.generated_inputs);
    let has_external = !matches!(&case.external, External::Sent(files) if files.is_empty());
    if is_made || has_external {
        CaseToWrite::of(&case).write(target)?;
    } else if let Err(error) = copy(files, target)? {
        return Ok(Err(error));
    }
    let tolerance = files.tolerance;
    if tolerance != Default::default() {
        let text = format!(r#"{{"rtol": {}, "atol": {}}}"#, tolerance.rtol, tolerance.atol);
        put(&target.join("data.json"), text.as_bytes())?;
    }
    Ok(Ok(()))
}

/// Copies the bytes of the model and of the data sets.
fn copy(files: &CaseFiles, target: &Path) -> Result<Result<(), String>, CliError> {
    let mut copies = vec![("model.onnx".to_owned(), &files.model)];
    for set in &files.data_sets {
        let inputs = set.inputs.iter().enumerate();
        let inputs =
            inputs.filter_map(|(at, file)| Some((format!("{}/input_{at}.pb", set.name), file.as_ref()?)));
        let outputs = set.outputs.iter().enumerate();
        let outputs = outputs.map(|(at, file)| (format!("{}/output_{at}.pb", set.name), file));
        copies.extend(inputs.chain(outputs));
    }
    for (name, file) in copies {
        let bytes = match file.read() {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(error.to_string())),
        };
        put(&target.join(name), &bytes)?;
    }
    Ok(Ok(()))
}

/// `name`, with a number as suffix if another case of the same name was written.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut candidate = name.to_owned();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{name}-{number}");
        number += 1;
    }
    candidate
}
