//! The cases of a kit, in the official layout.

use std::fs;
use std::path::Path;

use harness_conformance::case::Case;
use harness_console::note;
use harness_corpus::{CaseFiles, Selection};
use harness_investigate::CaseToWrite;

use super::write_error;
use crate::CliError;

/// What was written.
pub(super) struct Written {
    /// The number of cases.
    pub cases: usize,
    /// Whether every selected case could be read.
    pub complete: bool,
}

/// Writes each case to a folder with its id below `folder`.
pub(super) fn write(selection: &Selection, folder: &Path) -> Result<Written, CliError> {
    let mut written = Written {
        cases: 0,
        complete: selection.defects.is_empty(),
    };
    for defect in &selection.defects {
        note(format_args!(
            "error: {} cannot be read: {}",
            defect.id, defect.kind
        ));
    }
    for files in &selection.cases {
        let target = folder.join(files.id.to_string());
        let is_stored = files.form.is_none() && files.data_sets.iter().all(|set| !set.generated_inputs);
        let outcome = if is_stored {
            copy(files, &target)?
        } else {
            decoded(files, &target)?
        };
        match outcome {
            Ok(()) => written.cases += 1,
            Err(error) => {
                note(format_args!("error: {} cannot be read: {error}", files.id));
                written.complete = false;
            }
        }
    }
    Ok(written)
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
    let tolerance = files.tolerance;
    if tolerance != Default::default() {
        let text = format!(r#"{{"rtol": {}, "atol": {}}}"#, tolerance.rtol, tolerance.atol);
        put(&target.join("data.json"), text.as_bytes())?;
    }
    Ok(Ok(()))
}

/// Writes a case whose model or inputs are made by this program.
fn decoded(files: &CaseFiles, target: &Path) -> Result<Result<(), String>, CliError> {
    let case = match Case::decode(files) {
        Ok(case) => case,
        Err(error) => return Ok(Err(error.to_string())),
    };
    CaseToWrite::of(&case).write(target)?;
    Ok(Ok(()))
}

/// Writes a file with its folders.
pub(super) fn put(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(write_error(parent))?;
    }
    fs::write(path, bytes).map_err(write_error(path))
}
