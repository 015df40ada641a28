//! The gate: a run held against a baseline, which lists what a backend is known not to pass.
//!
//! [`transition`] is the judgement, one pure match. [`Baseline`] is the file that people edit; what rewrites it keeps their
//! comments. [`hold`] puts both together.

mod baseline;
mod line;
mod reason;
mod report;
mod transition;
mod waivers;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use harness_corpus::{CaseId, Filter};
use reports::Report;
use reports::record::{self, CaseRecord, Release, VerdictKind};

pub use baseline::{Baseline, BaselineError, Expected, Given, Lapse, Moment, Terms, parse_date};
pub use reason::{lasting, portable};
pub use report::{Judged, gate_report};
pub use transition::{Transition, transition};

/// A case whose verdict is not what the baseline says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The case, in the newest of the corpora that have it.
    pub case: String,
    /// The other corpora that have it.
    pub also_in: Vec<String>,
    /// How it moved.
    pub transition: Transition,
    /// What the baseline expects; a pass where it has no line.
    pub expected: VerdictKind,
    /// What was observed; none of a case that is gone.
    pub observed: Option<VerdictKind>,
    /// The reason of the observed verdict.
    pub reason: String,
    /// Why the line of the baseline does not excuse it, where it has one.
    pub lapse: Option<Lapse>,
    /// The operators of the model, as far as they are known.
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

    /// Whether a baseline can take it in: not what says nothing of the backend, because it was not run or cannot be read.
    pub fn is_acceptable(&self) -> bool {
        !matches!(self.observed, Some(VerdictKind::Skipped | VerdictKind::NotRun))
    }

    /// Whether the backend is worse, or a case is gone or cannot be read; not whether a case was not run, which proves nothing.
    pub fn is_regression(&self) -> bool {
        self.transition.closes() && self.observed != Some(VerdictKind::NotRun)
    }

    /// Why the case is not what is expected, for people; empty of a pass.
    pub fn why(&self) -> String {
        match (&self.lapse, self.reason.as_str()) {
            (None, reason) => reason.to_owned(),
            (Some(lapse), "") => lapse.to_string(),
            (Some(lapse), reason) => format!("{lapse}: {reason}"),
        }
    }

    /// What a baseline says that takes it in: nothing of a case that passes or is gone.
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

/// Holds the results of one backend against its baseline. Lines of cases that `filter` does not select, or of corpora that
/// were not run, are not looked at. Findings come sorted: what closes the gate first, of these the gravest verdict, then by release
/// and case.
pub fn hold(
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
        let id = record::CaseId::parse(&record.case);
        let case = format!("{}/{}", id.suite, id.name);
        seen.entry(case).or_default().extend(record.corpora());
    }
    let run: BTreeSet<&str> = seen.values().flatten().copied().collect();
    // Of a run that did not come to its end nobody knows which cases the corpus has.
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
        // A range may span releases without the case, but not only such.
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

/// The version that a backend of the run names.
pub fn version<'r>(report: &'r Report, backend: &str) -> &'r str {
    report
        .backend(backend)
        .map_or("", |backend| &backend.info.version)
}

fn moved(baseline: &Baseline, record: &CaseRecord, moment: Moment<'_>) -> Option<Finding> {
    let observed = record.verdict.kind();
    let said = baseline.says(record).into_iter();
    // In each of its releases the case must be what the baseline says; what closes the gate comes first.
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

/// How a verdict moved from what a line says, with the verdict that was expected, and why the line does not hold.
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
        // A line of a case that passes is stale, whether it holds or not.
        (Some(said), Some(_)) if observed == VerdictKind::Pass => (said.verdict, None),
        (Some(_), Some(lapse)) => (VerdictKind::Pass, Some(lapse)),
        (None, _) => (VerdictKind::Pass, None),
    };
    Some((transition(expected, observed)?, expected, lapse))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use reports::record::{Event, Verdict};

    use super::*;

    pub(super) fn record(case: &str) -> CaseRecord {
        CaseRecord {
            case: case.to_owned(),
            also_in: Vec::new(),
            backend: "mine".to_owned(),
            verdict: Verdict::Pass,
            reason: String::new(),
            operators: Vec::new(),
            outputs: Vec::new(),
            load_ns: None,
            run_ns: None,
            level: None,
            place: None,
            official: None,
            attempts: 1,
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
        let findings = hold(&baseline, &run, "mine", TODAY, &filter);
        let cases: Vec<&str> = findings.iter().map(|finding| finding.case.as_str()).collect();
        assert_eq!(cases, ["a/node/y"]);
        run.complete = false;
        assert_eq!(hold(&baseline, &run, "mine", TODAY, &filter), []);
    }
    /// What becomes of a case with this line and verdict: its transition, and whether a waiver has lapsed.
    #[track_caller]
    fn check_line(line: &str, observed: Verdict, expected: Option<(Transition, bool)>) {
        let text = format!("format = 1\nbackend = \"mine\"\n{line}\n");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.toml");
        std::fs::write(&path, text).unwrap();
        let baseline = Baseline::read(&path, "mine").unwrap();
        let mut record = record("own/Abs/a");
        record.verdict = observed;
        let info = reports::record::BackendInfo {
            name: "mine".to_owned(),
            version: "1.1".to_owned(),
            ..Default::default()
        };
        let events = [Event::BackendStarted(info), Event::CaseFinished(Box::new(record))];
        let found = hold(
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
    fn a_waiver_that_does_not_hold_excuses_nothing() {
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
    fn a_quarantine_excuses_every_verdict_until_it_ends() {
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
    fn findings_come_with_the_gravest_first() {
        let records = [
            ("a", Verdict::Unsupported),
            ("b", Verdict::Timeout),
            ("c", Verdict::Error(reports::record::ErrorStage::Run)),
            ("d", Verdict::Mismatch(reports::record::MismatchKind::Shape)),
        ];
        let events = records.map(|(name, verdict)| {
            let mut record = record(&format!("own/Abs/{name}"));
            record.verdict = verdict;
            Event::CaseFinished(Box::new(record))
        });
        let baseline = Baseline::empty(Path::new("b.toml"), "mine");
        let found = hold(
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
