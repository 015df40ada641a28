//! Where the reference disagrees with what cases store.

use reports::record::{DataFinding, Event, LogError};

use super::prepared::Prepared;
use super::{Plan, Running};

impl Running<'_> {
    /// Notes every data set whose stored outputs the reference does not confirm. What the errata list is known to be wrong.
    pub(super) fn data_findings(&mut self, plan: &Plan, todo: &[&Prepared]) -> Result<(), LogError> {
        // A variant stores what its plain case does.
        for prepared in todo.iter().filter(|prepared| prepared.files.form.is_none()) {
            let files = &prepared.files;
            if plan.errata.find(files.ids()).is_some() {
                continue;
            }
            for (data_set, reason) in prepared.disagreements() {
                self.note(Event::ReferenceDisagrees(DataFinding {
                    case: files.id.to_string(),
                    also_in: files.also_in.clone(),
                    data_set,
                    reason,
                }))?;
            }
        }
        Ok(())
    }
}
