//! The run report: what the events of a log amount to.

mod gate;
mod levels;
mod releases;
mod tally;
mod variants;

use std::collections::BTreeMap;
use std::path::Path;

pub use gate::{Change, GateReport, KnownFailure, Quarantined, Waiver, WaiverState};
pub use levels::Levels;
pub use releases::ReleaseReport;
pub(crate) use releases::rank;
pub use tally::Tally;
pub use variants::{VariantReport, VariantTally};

use crate::diff::Diff;
use crate::past::Past;
use crate::record::{
    BackendInfo, CaseDetail, CaseExercises, CaseId, CaseRecord, DataFinding, Erratum, Event, LOG,
    LatencyGate, LatencyRecord, LogError, MachineState, OperatorVersion, ReadingFollowed, Release, RunLog,
    RunStarted, VariantKind, VariantPlan, Verdict, VerdictKind,
};

/// A run as renderers and gates see it. [`Report::fold`] makes it; its order depends on the events' content alone, so
/// that two runs with the same results give the same files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// What was known when the run began. Of a resumed run: the first start's time, the last start's everything else.
    pub started: RunStarted,
    /// How often the run was taken up again.
    pub resumed: u32,
    /// The backends, in the order in which they started.
    pub backends: Vec<BackendReport>,
    /// The results, ordered by release, case, then by backend as in `backends`. A case that several releases have is here once.
    pub cases: Vec<CaseRecord>,
    /// What each case exercises, ordered by case.
    pub exercises: Vec<CaseExercises>,
    /// The models and inputs of the cases that do not pass, by case.
    pub details: BTreeMap<String, CaseDetail>,
    /// The operator versions that the cases are meant to cover; empty where that was not asked.
    pub catalogue: Vec<OperatorVersion>,
    /// The results by release, oldest first.
    pub releases: Vec<ReleaseReport>,
    /// Where the reference disagrees with stored outputs, ordered by case and data set.
    pub data_findings: Vec<DataFinding>,
    /// Which answers to open questions the backends follow, ordered by question, case and backend.
    pub readings: Vec<ReadingFollowed>,
    /// The results by kind of variant; empty where no variant was run.
    pub variants: Vec<VariantReport>,
    /// The latencies, ordered by weights, thread count and model, then by backend as in `backends`.
    pub latencies: Vec<LatencyRecord>,
    /// Which backends became slower, in the order in which it was decided.
    pub latency_gates: Vec<LatencyGate>,
    /// How quiet the machine was while latencies were measured.
    pub machine: Option<MachineState>,
    /// Name and seconds of each phase, in the order in which they first ended.
    pub phases: Vec<(String, f64)>,
    /// How long the run took, in seconds, without the pauses of a resumed one.
    pub wall_s: f64,
    /// Whether the run ended, and every selected case had its turn on every backend.
    pub complete: bool,
    /// What gates decided on this run. No event tells it: whoever holds the run against a baseline puts it here.
    pub gates: Vec<GateReport>,
    /// The run before beside this one. No event tells it: whoever has both reports puts it here.
    pub since: Option<Diff>,
    /// What the cases came to in earlier runs. No event tells it: whoever keeps a history puts it here.
    pub past: Option<Past>,
    /// Backends that were asked for and took no part, with the reason. Each is among `backends` as well, with no case run.
    pub missing: BTreeMap<String, String>,
}

/// One backend's share of a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BackendReport {
    /// What the backend is.
    pub info: BackendInfo,
    /// How long it took, in seconds.
    pub wall_s: f64,
    /// Its verdicts over all selected cases; a case without a record is counted as not run.
    pub tally: Tally,
    /// How well the answers are explained that pass.
    pub levels: Levels,
    /// How well the answers are explained that do not pass; without those that the errata dispute.
    pub failed_levels: Levels,
    /// Cases that passed, but not all of them on the provider that was asked for.
    pub passed_on_fall_back: u64,
}

impl BackendReport {
    /// The cases that it was not given: the run ended before, or it could not be started.
    pub fn not_run(&self) -> u64 {
        self.tally.get(VerdictKind::NotRun)
    }
}

impl Report {
    /// Reads the log in the folder of a run, and folds it.
    ///
    /// # Errors
    /// A log that cannot be read, or that this version does not understand.
    pub fn read(folder: &Path) -> Result<Report, LogError> {
        Ok(Report::fold(RunLog::read(&folder.join(LOG))?.events))
    }

    /// Folds a log's events. Any sequence gives a report: a backend that never announced itself has an empty
    /// description, and of several records for the same thing the last one counts.
    pub fn fold(events: impl IntoIterator<Item = Event>) -> Self {
        let mut fold = Fold::default();
        events.into_iter().for_each(|event| fold.take(event));
        fold.finish()
    }

    /// The results of one backend, ordered by case.
    pub fn cases_of<'a>(&'a self, backend: &'a str) -> impl Iterator<Item = &'a CaseRecord> {
        self.cases.iter().filter(move |record| record.backend == backend)
    }

    /// How many of the cases are in the errata, by the way in which they are wrong; only what there is.
    pub fn errata(&self) -> BTreeMap<Erratum, u64> {
        let (mut counts, mut last) = (BTreeMap::new(), "");
        for record in &self.cases {
            // A case is there once for each backend, one after the other.
            if let Verdict::Disputed(erratum) = record.verdict
                && record.case != last
            {
                *counts.entry(erratum).or_default() += 1;
                last = &record.case;
            }
        }
        counts
    }

    /// The description of the backend called `name`.
    pub fn backend(&self, name: &str) -> Option<&BackendReport> {
        self.backends.iter().find(|backend| backend.info.name == name)
    }

    /// One record of each case that could not be given to any backend, in the order of cases.
    pub fn unreadable(&self) -> Vec<&CaseRecord> {
        let skipped = self
            .cases
            .iter()
            .filter(|record| record.verdict == Verdict::Skipped);
        let mut records: Vec<&CaseRecord> = skipped.collect();
        records.dedup_by_key(|record| &record.case);
        records
    }

    /// Whether there are cases to speak of; a bench has only latencies.
    pub(crate) fn judged(&self) -> bool {
        self.selected() > 0 || self.latencies.is_empty()
    }

    /// Whether any answer was held against an expected one.
    pub(crate) fn levelled(&self) -> bool {
        self.cases.iter().any(|record| record.level.is_some())
    }

    /// The release and what was found out about it.
    pub(crate) fn title(&self) -> String {
        let subject = if self.judged() { "conformance" } else { "latency" };
        match self.started.release.as_str() {
            "" => format!("ONNX {subject}"),
            release => format!("ONNX {release} {subject}"),
        }
    }

    /// Cases selected for each backend; at least as many as have results.
    pub fn selected(&self) -> u64 {
        self.started.cases
    }
}

#[derive(Default)]
struct Fold {
    report: Report,
    ranks: BTreeMap<String, usize>,
    cases: BTreeMap<CaseKey, CaseRecord>,
    exercises: BTreeMap<String, CaseExercises>,
    data_findings: BTreeMap<(String, String), DataFinding>,
    readings: BTreeMap<(String, String, String), ReadingFollowed>,
    variant_plans: BTreeMap<VariantKind, VariantPlan>,
    latencies: BTreeMap<LatencyKey, LatencyRecord>,
}

/// A result's place in the report.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CaseKey {
    release: Option<Release>,
    case: String,
    backend: usize,
}

/// Weights, threads, model, backend's rank, interleaved, spinning: what makes a series, and its place in the report.
type LatencyKey = (crate::record::Weights, u32, String, usize, bool, bool);

impl Fold {
    fn take(&mut self, event: Event) {
        match event {
            Event::RunStarted(started) => self.run_started(*started),
            Event::BackendStarted(info) => {
                let rank = self.rank(&info.name);
                self.report.backends[rank].info = info;
            }
            Event::CaseFinished(record) => {
                let rank = self.rank(&record.backend);
                let key = CaseKey {
                    release: Release::of_corpus(CaseId::parse(&record.case).corpus),
                    case: record.case.clone(),
                    backend: rank,
                };
                self.cases.insert(key, *record);
            }
            Event::ReferenceDisagrees(finding) => {
                let key = (finding.case.clone(), finding.data_set.clone());
                self.data_findings.insert(key, finding);
            }
            Event::ReadingFollowed(one) => {
                let key = (one.question.clone(), one.case.clone(), one.backend.clone());
                self.readings.insert(key, one);
            }
            Event::VariantsMade(plan) => {
                self.variant_plans.insert(plan.kind, plan);
            }
            Event::CaseExercises(exercises) => {
                self.exercises.insert(exercises.case.clone(), exercises);
            }
            Event::CaseDetail(detail) => {
                self.report.details.insert(detail.case.clone(), *detail);
            }
            Event::Catalogue { versions } => self.report.catalogue = versions,
            Event::Latency(record) => {
                let rank = self.rank(&record.backend);
                let (weights, threads, model) = (record.weights, record.threads, record.model.clone());
                let key = (weights, threads, model, rank, record.interleaved, record.spinning);
                self.latencies.insert(key, *record);
            }
            Event::LatencyGate(gate) => self.latency_gate(*gate),
            Event::Machine(state) => self.report.machine = Some(*state),
            Event::PhaseFinished { name, wall_s } => {
                match self.report.phases.iter_mut().find(|(phase, _)| *phase == name) {
                    Some((_, total)) => *total += wall_s,
                    None => self.report.phases.push((name, wall_s)),
                }
            }
            Event::BackendFinished { backend, wall_s } => {
                let rank = self.rank(&backend);
                self.report.backends[rank].wall_s += wall_s;
            }
            Event::RunFinished(finished) => {
                self.report.wall_s += finished.wall_s;
                self.report.complete = finished.complete;
            }
        }
    }

    fn run_started(&mut self, started: RunStarted) {
        let first = &self.report.started.started;
        let first = if first.is_empty() {
            started.started.clone()
        } else {
            first.clone()
        };
        if !self.report.started.started.is_empty() {
            self.report.resumed += 1;
        }
        self.report.complete = false;
        self.report.missing.clone_from(&started.missing);
        self.report.started = RunStarted {
            started: first,
            ..started
        };
    }

    fn latency_gate(&mut self, gate: LatencyGate) {
        let same = |known: &LatencyGate| {
            (&known.model, &known.backend, &known.against, known.threads)
                == (&gate.model, &gate.backend, &gate.against, gate.threads)
        };
        let gates = &mut self.report.latency_gates;
        gates.retain(|known| !same(known));
        gates.push(gate);
    }

    /// The backend's place in the report, which it gets when it is first heard of.
    fn rank(&mut self, name: &str) -> usize {
        if let Some(&rank) = self.ranks.get(name) {
            return rank;
        }
        let rank = self.report.backends.len();
        let info = BackendInfo {
            name: name.to_owned(),
            ..BackendInfo::default()
        };
        self.report.backends.push(BackendReport {
            info,
            ..BackendReport::default()
        });
        self.ranks.insert(name.to_owned(), rank);
        rank
    }

    fn finish(mut self) -> Report {
        let missing: Vec<String> = self.report.missing.keys().cloned().collect();
        for name in &missing {
            self.rank(name);
        }
        let mut report = std::mem::take(&mut self.report);
        variants::judge(&mut self.cases);
        report.variants = variants::reports(&self, report.backends.len());
        report.releases = releases::releases(&self, report.backends.len());
        for (key, record) in &self.cases {
            let backend = &mut report.backends[key.backend];
            backend.tally.add(record.verdict.kind());
            if let Some(level) = record.level {
                match record.verdict.kind() {
                    VerdictKind::Pass => backend.levels.add(level),
                    VerdictKind::Disputed => {}
                    _ => backend.failed_levels.add(level),
                }
            }
            backend.passed_on_fall_back += u64::from(record.passed_on_fall_back());
        }
        let most = report
            .backends
            .iter()
            .map(|backend| backend.tally.total())
            .max()
            .unwrap_or(0);
        report.started.cases = report.started.cases.max(most);
        for backend in &mut report.backends {
            backend.tally.fill_not_run(report.started.cases);
        }
        report.cases = self.cases.into_values().collect();
        report.exercises = self.exercises.into_values().collect();
        report.data_findings = self.data_findings.into_values().collect();
        report.readings = self.readings.into_values().collect();
        report.latencies = self.latencies.into_values().collect();
        report
    }
}
