//! Reports selected cases that cannot be read, on stderr and in the exit code.

use harness_conformance::case::CaseError;
use harness_console::note;
use harness_corpus::errata::Errata;
use harness_corpus::{CaseId, Selection};

use super::{CliError, Exit, outcome};

/// Cases that cannot be read, except known errata.
pub(super) struct Unreadable {
    count: usize,
    selected: usize,
}

impl Unreadable {
    /// Counts the defects of `selection` and the cases that failed to decode. Writes a line for each to
    /// stderr.
    ///
    /// # Errors
    /// The errata are invalid.
    pub fn of(selection: &Selection, failed: Vec<(CaseId, CaseError)>) -> Result<Unreadable, CliError> {
        let errata = Errata::embedded()?;
        let defects = selection
            .defects
            .iter()
            .filter(|defect| errata.find(defect.ids()).is_none());
        let defects = defects.map(|defect| (defect.id.to_string(), defect.kind.to_string()));
        let failed = failed
            .into_iter()
            .filter(|(id, _)| errata.find([id.clone()]).is_none());
        let failed = failed.map(|(id, error)| (id.to_string(), error.to_string()));
        let mut count = 0;
        for (id, reason) in defects.chain(failed) {
            note(format_args!("{id} is not counted: {reason}"));
            count += 1;
        }
        Ok(Unreadable {
            count,
            selected: selection.cases.len() + selection.defects.len(),
        })
    }

    /// [`Exit::NoCases`] if there is one.
    pub fn exit(&self) -> Exit {
        match self.count {
            0 => Exit::Passed,
            count => outcome::unreadable(count, self.selected),
        }
    }
}
