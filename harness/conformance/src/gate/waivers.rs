//! The waivers of a baseline that need attention, and the quarantined cases.

use run_record::VerdictKind;
use run_record::{Quarantined, Report, Waiver, WaiverState};

use super::{Baseline, Lapse, Moment};

/// The waivers that are not valid, and those that expire within `due` days, sorted by expiry.
pub(super) fn waivers(baseline: &Baseline, moment: Moment<'_>, due: u16) -> Vec<Waiver> {
    let numbers = baseline.numbers();
    let waiver = |(key, expected): (&super::line::Key, &super::Expected)| {
        let terms = &expected.terms;
        let days = terms.expires.map(|last| (last - moment.today).whole_days());
        let state = match terms.lapse(moment) {
            Some(Lapse::Expired(_)) => WaiverState::Expired,
            Some(Lapse::OtherVersion(_)) => WaiverState::OtherVersion,
            None if days.is_some_and(|days| days <= i64::from(due)) => WaiverState::Due,
            None => return None,
        };
        let key = key.to_string();
        let waiver = Waiver {
            line: numbers.get(&key).copied(),
            case: key,
            state,
            days,
            owner: terms.owner.clone(),
            expires: terms.expires.map(|date| date.to_string()),
            version: terms.version.clone(),
            reason: expected.reason.clone(),
            quarantine: expected.quarantine,
        };
        Some((terms.expires, waiver))
    };
    let mut found: Vec<_> = baseline.lines().filter_map(waiver).collect();
    found.sort_by_key(|(expires, _)| (expires.is_none(), *expires));
    found.into_iter().map(|(_, waiver)| waiver).collect()
}

/// The quarantined cases of the run with their verdicts.
pub(super) fn quarantined(
    baseline: &Baseline,
    report: &Report,
    backend: &str,
    moment: Moment<'_>,
) -> Vec<Quarantined> {
    let found = report.cases_of(backend).filter_map(|record| {
        let (_, expected) = baseline.line(&record.case, record.corpora())?;
        let observed = record.verdict.kind();
        let holds = expected.quarantine && expected.terms.lapse(moment).is_none();
        (holds && observed != VerdictKind::NotRun).then(|| Quarantined {
            case: record.case.clone(),
            observed,
            reason: record.reason.clone(),
            why: expected.reason.clone(),
            owner: expected.terms.owner.clone().unwrap_or_default(),
            expires: expected
                .terms
                .expires
                .map_or_else(String::new, |date| date.to_string()),
        })
    });
    found.collect()
}
