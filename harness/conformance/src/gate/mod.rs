//! The gate: compares a run with a baseline, which lists the expected failures of a backend.
//!
//! [`transition`] is the judgement, one pure function. [`Baseline`] is the file that people edit;
//! updates keep its comments. [`judge`] combines both.

mod baseline;
mod line;
mod reason;
mod report;
mod transition;
mod waivers;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use harness_corpus::{CaseId, Filter};
use run_record::Report;
use run_record::{self, CaseRecord, Release, VerdictKind};

pub use baseline::{Baseline, BaselineError, Expected, Given, Lapse, Moment, Terms, parse_date};
pub use reason::{lasting, portable};
pub use report::{Judged, gate_report};
pub use transition::{Transition, transition};

/// A case whose verdict differs from the baseline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The case, in the newest of the corpora that have it.
    pub case: String,
    /// The other corpora that have it.
    pub also_in: Vec<String>,
    /// The kind of change.
    pub transition: Transition,
    /// The expected verdict; a pass if the baseline has no line.
    pub expected: VerdictKind,
    /// The observed verdict; `None` if the case no longer exists.
    pub observed: Option<VerdictKind>,
    /// The reason of the observed verdict.
    pub reason: String,
    /// Why the line of the baseline does not excuse the case, if it has a line.
    pub lapse: Option<Lapse>,
    /// The operators of the model, if known.
    pub operators: Vec<String>,
}

impl Finding {
    /// Every corpus that has the case, the newest last.
    pub fn corpora(&self) -> impl Iterator<Item = &str> {
        let own = self.case.split('/').next().unwrap_or_default();
        self.also_in.iter().map(String::as_str).chain([own])
    }

    /// The ids of the case in every corpus that has it.
    pub fn ids(&self) -> impl Iterator<Item = String> {
        let case = self.case.split_once('/').map_or("", |(_, case)| case);
        self.corpora().map(move |corpus| format!("{corpus}/{case}"))
    }

    /// Whether a baseline can accept the finding: not if the case was not run or cannot be read, which
    /// is not a result of the backend.
    pub fn is_acceptable(&self) -> bool {
        !matches!(self.observed, Some(VerdictKind::Skipped | VerdictKind::NotRun))
    }

    /// Whether the backend is worse, or a case no longer exists or cannot be read. A case that was not
    /// run is not a regression of the backend.
    pub fn is_regression(&self) -> bool {
        self.transition.closes() && self.observed != Some(VerdictKind::NotRun)
    }

    /// The reason of the observed verdict, for people; empty for a pass.
    pub fn why(&self) -> String {
        match (&self.lapse, self.reason.as_str()) {
            (None, reason) => reason.to_owned(),
            (Some(lapse), "") => lapse.to_string(),
            (Some(lapse), reason) => format!("{lapse}: {reason}"),
        }
    }

    /// The entry of a baseline that accepts the finding; `None` for a case that passes or no longer
    /// exists.
    fn expectation(&self, terms: Terms) -> Option<Expected> {
        let verdict = self.observed.filter(|observed| *observed != VerdictKind::Pass)?;
        Some(Expected {
            verdict,
            reason: reason::lasting(&self.reason, &self.operators),
            terms,
            quarantine: false,
        })
    }
}

/// Compares the results of one backend with its baseline. Lines of cases that `filter` does not select,
/// or of corpora that were not run, are ignored. Findings are sorted: those that close the gate first,
/// the most severe verdict first, then by release and case.
pub fn judge(
    baseline: &Baseline,
    report: &Report,
    backend: &str,
    today: time::Date,
    filter: &Filter,
) -> Vec<Finding> {
    let moment = Moment {
        today,
        version: version(report, backend),
    };
    let mut findings: Vec<Finding> = report
        .cases_of(backend)
        .filter_map(|record| moved(baseline, record, moment))
        .collect();
    let mut seen: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for record in report.cases_of(backend) {
        let id = run_record::CaseId::parse(&record.case);
        let case = format!("{}/{}", id.suite, id.name);
        seen.entry(case).or_default().extend(record.corpora());
    }
    let run: BTreeSet<&str> = seen.values().flatten().copied().collect();
    // In an incomplete run the cases of the corpus are unknown.
    for (key, expected) in baseline.lines().filter(|_| report.complete) {
        let is_selected = |corpus: &&&str| {
            let id = format!("{corpus}/{}", key.case).parse::<CaseId>();
            key.covers_corpus(corpus) && id.is_ok_and(|id| filter.matches(&id))
        };
        let selected: Vec<&str> = run.iter().filter(is_selected).copied().collect();
        let gone = |corpus: &&str| {
            !seen
                .get(&key.case)
                .is_some_and(|corpora| corpora.contains(corpus))
        };
        // A range may include releases without the case, but at least one must have it.
        if let Some((newest, older)) = selected.split_last()
            && selected.iter().all(gone)
        {
            findings.push(Finding {
                case: format!("{newest}/{}", key.case),
                also_in: older.iter().map(|corpus| (*corpus).to_owned()).collect(),
                transition: Transition::Vanished,
                expected: expected.verdict,
                observed: None,
                reason: "the corpus has no such case".to_owned(),
                lapse: None,
                operators: Vec::new(),
            });
        }
    }
    findings.sort_by_cached_key(|finding| {
        (
            finding.transition,
            Reverse(finding.observed.and_then(VerdictKind::severity)),
            Release::of_corpus(finding.corpora().last().unwrap_or_default()),
            finding.case.clone(),
        )
    });
    findings
}

/// The version of a backend in the run.
pub fn version<'r>(report: &'r Report, backend: &str) -> &'r str {
    report
        .backend(backend)
        .map_or("", |backend| &backend.info.version)
}

fn moved(baseline: &Baseline, record: &CaseRecord, moment: Moment<'_>) -> Option<Finding> {
    let observed = record.verdict.kind();
    let said = baseline.says(record).into_iter();
    // The case must agree with the baseline in each of its releases; a finding that closes the gate
    // comes first.
    let moves = said.filter_map(|said| moved_from(said, observed, moment));
    let (transition, expected, lapse) =
        moves.min_by_key(|(transition, expected, _)| (*transition, *expected))?;
    Some(Finding {
        case: record.case.clone(),
        also_in: record.also_in.clone(),
        transition,
        expected,
        observed: Some(observed),
        reason: record.reason.clone(),
        lapse,
        operators: record.operators.clone(),
    })
}

/// The transition from a line, with the expected verdict and the reason why the line is not valid.
fn moved_from(
    said: Option<&Expected>,
    observed: VerdictKind,
    moment: Moment<'_>,
) -> Option<(Transition, VerdictKind, Option<Lapse>)> {
    let lapse = said.and_then(|said| said.terms.lapse(moment));
    let asked = !matches!(observed, VerdictKind::Skipped | VerdictKind::NotRun);
    let (expected, lapse) = match (said, lapse) {
        (Some(said), None) if said.quarantine && asked => return None,
        (Some(said), None) => (said.verdict, None),
        // The line of a case that passes is stale, valid or not.
        (Some(said), Some(_)) if observed == VerdictKind::Pass => {
            return Some((Transition::UnexpectedPass, said.verdict, None));
        }
        (Some(_), Some(lapse)) => (VerdictKind::Pass, Some(lapse)),
        (None, _) => (VerdictKind::Pass, None),
    };
    Some((transition(expected, observed)?, expected, lapse))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use run_record::{Event, Verdict};

    use super::*;

    pub(super) fn record(case: &str) -> CaseRecord {
        CaseRecord {
            case: case.to_owned(),
            backend: "mine".to_owned(),
            verdict: Verdict::Pass,
            attempts: 1,
            ..CaseRecord::default()
        }
    }

    const TODAY: time::Date = time::macros::date!(2026 - 11 - 22);

    #[test]
    fn only_cases_of_the_corpora_that_were_run_can_vanish() {
        let mut run = Report::fold(vec![Event::CaseFinished(Box::new(record("a/node/x")))]);
        run.complete = true;
        let mut baseline = Baseline::empty(Path::new("b.toml"), "mine");
        let known = |case: &str| Finding {
            case: case.to_owned(),
            also_in: Vec::new(),
            transition: Transition::Regression,
            expected: VerdictKind::Pass,
            observed: Some(VerdictKind::Crash),
            reason: String::new(),
            lapse: None,
            operators: Vec::new(),
        };
        let known = [known("a/node/y"), known("a/node/z"), known("b/node/y")];
        baseline.accept(&known, &Given::default(), &[]);
        let filter = Filter::new(["y", "x"]).unwrap();
        let findings = judge(&baseline, &run, "mine", TODAY, &filter);
        let cases: Vec<&str> = findings.iter().map(|finding| finding.case.as_str()).collect();
        assert_eq!(cases, ["a/node/y"]);
        run.complete = false;
        assert_eq!(judge(&baseline, &run, "mine", TODAY, &filter), []);
    }
    /// Checks the transition of a case with this line and verdict, and whether a waiver has lapsed.
    #[track_caller]
    fn check_line(line: &str, observed: Verdict, expected: Option<(Transition, bool)>) {
        let text = format!("format = 1\nbackend = \"mine\"\n{line}\n");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.toml");
        std::fs::write(&path, text).unwrap();
        let baseline = Baseline::read(&path, "mine").unwrap();
        let mut record = record("own/Abs/a");
        record.verdict = observed;
        let info = run_record::BackendInfo {
            name: "mine".to_owned(),
            version: "1.1".to_owned(),
            ..Default::default()
        };
        let events = [Event::BackendStarted(info), Event::CaseFinished(Box::new(record))];
        let found = judge(
            &baseline,
            &Report::fold(events),
            "mine",
            TODAY,
            &Filter::default(),
        );
        let found: Vec<_> = found
            .iter()
            .map(|found| (found.transition, found.lapse.is_some()))
            .collect();
        assert_eq!(found, Vec::from_iter(expected), "{line}: {observed:?}");
    }

    #[test]
    fn an_invalid_waiver_has_no_effect() {
        use Transition::{Regression, UnexpectedPass};
        let line = |terms: &str| {
            format!("[cases]\n\"own/Abs/a\" = {{ verdict = \"crash\", reason = \"r\"{terms} }}")
        };
        let crash = Verdict::Crash { signal: None };
        let lapsed = Some((Regression, true));
        check_line(&line(""), crash, None);
        check_line(&line(", expires = 2026-11-22"), crash, None);
        check_line(&line(", expires = 2026-11-21"), crash, lapsed);
        check_line(&line(", version = \"1.1\""), crash, None);
        check_line(&line(", version = \"1.0\""), crash, lapsed);
        check_line(&line(", version = \"1.0\""), Verdict::Unsupported, lapsed);
        check_line(
            &line(", expires = 2026-11-21"),
            Verdict::Pass,
            Some((UnexpectedPass, false)),
        );
    }

    #[test]
    fn a_quarantine_excuses_every_verdict_until_it_expires() {
        let line = |expires: &str| {
            format!(
                "[cases]\n[quarantine]\n\"own/Abs/a\" = {{ reason = \"r\", owner = \"o\", expires = {expires} }}"
            )
        };
        for verdict in [
            Verdict::Pass,
            Verdict::Timeout,
            Verdict::Flaky(VerdictKind::Crash),
        ] {
            check_line(&line("2026-11-22"), verdict, None);
        }
        check_line(
            &line("2026-11-22"),
            Verdict::NotRun,
            Some((Transition::Regression, false)),
        );
        check_line(
            &line("2026-11-21"),
            Verdict::Timeout,
            Some((Transition::Regression, true)),
        );
        check_line(
            &line("2026-11-21"),
            Verdict::Pass,
            Some((Transition::UnexpectedPass, false)),
        );
    }

    #[test]
    fn the_most_severe_finding_comes_first() {
        let records = [
            ("a", Verdict::Unsupported),
            ("b", Verdict::Timeout),
            ("c", Verdict::Error(run_record::ErrorStage::Run)),
            ("d", Verdict::Mismatch(run_record::MismatchKind::Shape)),
        ];
        let events = records.map(|(name, verdict)| {
            let mut record = record(&format!("own/Abs/{name}"));
            record.verdict = verdict;
            Event::CaseFinished(Box::new(record))
        });
        let baseline = Baseline::empty(Path::new("b.toml"), "mine");
        let found = judge(
            &baseline,
            &Report::fold(events),
            "mine",
            TODAY,
            &Filter::default(),
        );
        let order: Vec<&str> = found.iter().map(|found| &found.case[8..]).collect();
        assert_eq!(order, ["d", "b", "c", "a"]);
    }
}
