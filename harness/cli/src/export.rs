//! `conformance --export`: writes the files of the selected cases in the official layout.

use std::collections::BTreeSet;
use std::path::Path;

use harness_conformance::case::Case;
use harness_console::{note, outln};
use harness_corpus::Selection;
use harness_investigate::CaseToWrite;
use reports::render::case_folder;

use super::{CliError, Exit};

/// Writes each case to a folder of its own in `out`: `model.onnx`, and the values of each data set. A
/// variant is written in its form. A case that cannot be read is reported and does not affect the
/// others.
pub(super) fn export(selection: &Selection, out: &Path) -> Result<Exit, CliError> {
    let (mut taken, mut complete) = (BTreeSet::new(), true);
    for files in &selection.cases {
        let case = match Case::decode(files) {
            Ok(case) => case,
            Err(error) => {
                note(format_args!("error: {} cannot be read: {error}", files.id));
                complete = false;
                continue;
            }
        };
        let folder = out.join(unique(&case_folder(&files.id.to_string()), &mut taken));
        CaseToWrite::of(&case).write(&folder)?;
        outln(format_args!("{}", folder.display()))?;
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
