//! The cases of a report on one backend, judged by a profile and waivers.

use std::collections::BTreeMap;

use harness_corpus::errata::Errata;
use run_record::Report;
use run_record::{CaseId, CaseRecord, VerdictKind};
use serde::Deserialize;

use crate::predicate::Outcome;
use crate::profile::Profile;

/// Excused cases, each with a reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waivers {
    /// In the order of the file.
    #[serde(default)]
    waiver: Vec<Waiver>,
}

/// One excused case.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// The id of the case; not a pattern.
    pub case: String,
    /// The reason why it is excused.
    pub reason: String,
    /// The responsible person.
    pub owner: String,
}

/// Why waivers cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WaiverError {
    /// The file is invalid.
    #[error("the waivers are invalid: {0}")]
    Format(String),
    /// A waiver has no reason or no owner.
    #[error("the waiver of `{0}` needs a reason and an owner")]
    Empty(String),
    /// The case passes, or is not in the profile.
    #[error("`{0}` needs no waiver: it passes, or is not in the profile")]
    Idle(String),
}

impl Waivers {
    /// Reads a file of waivers (`[[waiver]]` with `case`, `reason` and `owner`).
    ///
    /// # Errors
    /// The text is not valid TOML or has other fields, or a waiver has an empty field.
    pub fn parse(text: &str) -> Result<Waivers, WaiverError> {
        let waivers: Waivers =
            toml::from_str(text).map_err(|error| WaiverError::Format(error.to_string()))?;
        let blank = |waiver: &&Waiver| waiver.reason.trim().is_empty() || waiver.owner.trim().is_empty();
        match waivers.waiver.iter().find(blank) {
            Some(waiver) => Err(WaiverError::Empty(waiver.case.clone())),
            None => Ok(waivers),
        }
    }

    /// The ids of the excused cases.
    pub fn cases(&self) -> impl Iterator<Item = &str> {
        self.waiver.iter().map(|waiver| waiver.case.as_str())
    }

    /// Whether a case is excused.
    pub fn has(&self, case: &str) -> bool {
        self.cases().any(|excused| excused == case)
    }
}

/// The lists of a statement, each sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judged {
    /// Cases that pass.
    pub passed: Vec<String>,
    /// Disputed cases, and cases that a waiver excuses.
    pub warned: Vec<String>,
    /// All others.
    pub failed: Vec<String>,
}

impl Judged {
    /// The result of the lists. Without any case the result is a failure.
    pub fn outcome(&self) -> Outcome {
        match (
            self.passed.is_empty(),
            self.failed.is_empty(),
            self.warned.is_empty(),
        ) {
            (_, false, _) | (true, true, _) => Outcome::Failed,
            (false, true, false) => Outcome::Warned,
            (false, true, true) => Outcome::Passed,
        }
    }
}

/// Whether the errata dispute the case of a record, under any of its ids.
pub(crate) fn is_disputed(errata: &Errata, record: &CaseRecord) -> bool {
    let id = CaseId::parse(&record.case);
    let ids = record
        .corpora()
        .filter_map(|corpus| harness_corpus::CaseId::new(corpus, id.suite, id.name).ok());
    errata.find(ids).is_some()
}

/// Judges the results of a backend by a profile; without a profile every case of the run counts. A case
/// that was not run fails, and so does one that the log calls disputed but the errata do not.
///
/// # Errors
/// A waiver has no effect: it is stale, or its case is mistyped.
pub fn judge(
    report: &Report,
    backend: &str,
    profile: Option<&Profile>,
    waivers: &Waivers,
    errata: &Errata,
) -> Result<Judged, WaiverError> {
    let verdict = |record: &CaseRecord| match record.verdict.kind() {
        VerdictKind::Disputed if !is_disputed(errata, record) => VerdictKind::NotRun,
        verdict => verdict,
    };
    let results: BTreeMap<&str, VerdictKind> = report
        .cases_of(backend)
        .map(|record| (record.case.as_str(), verdict(record)))
        .collect();
    let mut judged = Judged::default();
    let mut waived: BTreeMap<&str, bool> = waivers
        .waiver
        .iter()
        .map(|waiver| (waiver.case.as_str(), false))
        .collect();
    let mut sort = |case: &str, verdict: Option<VerdictKind>| {
        let list = match verdict {
            Some(VerdictKind::Pass) => &mut judged.passed,
            Some(VerdictKind::Disputed) => &mut judged.warned,
            _ => match waived.get_mut(case) {
                Some(used) => {
                    *used = true;
                    &mut judged.warned
                }
                None => &mut judged.failed,
            },
        };
        list.push(case.to_owned());
    };
    match profile {
        Some(profile) => report
            .exercises
            .iter()
            .filter(|case| profile.holds(case))
            .for_each(|case| sort(&case.case, results.get(case.case.as_str()).copied())),
        None => results
            .iter()
            .for_each(|(case, verdict)| sort(case, Some(*verdict))),
    }
    if let Some((case, _)) = waived.iter().find(|(_, used)| !**used) {
        return Err(WaiverError::Idle((*case).to_owned()));
    }
    for list in [&mut judged.passed, &mut judged.warned, &mut judged.failed] {
        list.sort();
        list.dedup();
    }
    Ok(judged)
}
