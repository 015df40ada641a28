//! Findings of a run beside its verdicts: stored outputs with which the reference disagrees, and the
//! details of failing cases.

use std::collections::HashSet;

use rayon::prelude::*;
use run_record::{DataFinding, Event, LogError, Verdict};

use super::prepared::Prepared;
use super::{Plan, Running};
use crate::case::detail;

impl Running<'_> {
    /// Records every data set with whose stored outputs the reference disagrees, except for known
    /// errata.
    pub(super) fn data_findings(&mut self, plan: &Plan, todo: &[&Prepared]) -> Result<(), LogError> {
        // A variant has the data of its plain case.
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

    /// Records the model and the inputs of each case that some backend does not pass, unless the log
    /// already has them.
    pub(super) fn details(&mut self, prepared: &[Prepared]) -> Result<(), LogError> {
        let (mut failing, mut known) = (HashSet::new(), HashSet::new());
        for event in &self.events {
            match event {
                Event::CaseFinished(record) if !matches!(record.verdict, Verdict::Pass | Verdict::NotRun) => {
                    failing.insert(record.case.as_str());
                }
                Event::CaseDetail(detail) => {
                    known.insert(detail.case.as_str());
                }
                _ => {}
            }
        }
        let wanted = |prepared: &&Prepared| {
            let id = prepared.files.id.to_string();
            failing.contains(id.as_str()) && !known.contains(id.as_str())
        };
        let wanted: Vec<&Prepared> = prepared.iter().filter(wanted).collect();
        let details: Vec<_> = wanted
            .par_iter()
            .filter_map(|prepared| detail(&prepared.files))
            .collect();
        for detail in details {
            self.note(Event::CaseDetail(Box::new(detail)))?;
        }
        Ok(())
    }
}
