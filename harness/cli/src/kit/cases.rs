//! The cases of a kit, in the official layout.

use std::path::Path;

use harness_console::note;
use harness_corpus::Selection;

use crate::{CliError, export};

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
        match export::in_layout(files, &target)? {
            Ok(()) => written.cases += 1,
            Err(error) => {
                note(format_args!("error: {} cannot be read: {error}", files.id));
                written.complete = false;
            }
        }
    }
    Ok(written)
}
