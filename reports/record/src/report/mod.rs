//! The run report, made from the events of a log.

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
pub use releases::rank;
pub use tally::Tally;
pub use variants::{VariantReport, VariantTally};

use crate::{
    BackendInfo, CaseDetail, CaseExercises, CaseId, CaseRecord, DataFinding, Erratum, Event, LOG,
    LatencyGate, LatencyRecord, LogError, MachineState, OperatorVersion, ReadingFollowed, Release, RunLog,
    RunStarted, VariantKind, VariantPlan, Verdict, VerdictKind,
};

/// A run for renderers and gates. [`Report::fold`] makes it; its order depends only on the contents of
/// the events, so that two runs with the same results give the same files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The start event. For a resumed run: the time of the first start, all other fields of the last.
    pub started: RunStarted,
    /// The number of times that the run was resumed.
    pub resumed: u32,
    /// The backends, in the order in which they started.
    pub backends: Vec<BackendReport>,
    /// The results, sorted by release, case, then by backend as in `backends`. A case that is in several
    /// releases occurs once.
    pub cases: Vec<CaseRecord>,
    /// What each case exercises, sorted by case.
    pub exercises: Vec<CaseExercises>,
    /// The models and inputs of the cases that do not pass, by case.
    pub details: BTreeMap<String, CaseDetail>,
    /// The operator versions whose coverage is measured; empty if it is not.
    pub catalogue: Vec<OperatorVersion>,
    /// The results by release, oldest first.
    pub releases: Vec<ReleaseReport>,
    /// Disagreements of the reference with stored outputs, sorted by case and data set.
    pub data_findings: Vec<DataFinding>,
    /// The answers of the backends to open questions, sorted by question, case and backend.
    pub readings: Vec<ReadingFollowed>,
    /// The results by kind of variant; empty if no variant was run.
    pub variants: Vec<VariantReport>,
    /// The latencies, sorted by weights, thread count and model, then by backend as in `backends`.
    pub latencies: Vec<LatencyRecord>,
    /// The decisions whether backends became slower, in order.
    pub latency_gates: Vec<LatencyGate>,
    /// The noise of the machine during measurements of latencies.
    pub machine: Option<MachineState>,
    /// Name and seconds of each phase, in the order in which they first ended.
    pub phases: Vec<(String, f64)>,
    /// The duration of the run in seconds, without the pauses of a resumed one.
    pub wall_s: f64,
    /// Whether the run ended and all selected cases were run on every backend.
    pub complete: bool,
    /// Requested backends without a worker, with the reason. Each is also in `backends`, without
    /// results.
    pub missing: BTreeMap<String, String>,
}

/// The results of one backend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BackendReport {
    /// The description of the backend.
    pub info: BackendInfo,
    /// Its duration in seconds.
    pub wall_s: f64,
    /// Its verdicts over all selected cases; a case without a record is counted as not run.
    pub tally: Tally,
    /// The levels of passes.
    pub levels: Levels,
    /// The levels of other answers, without disputed ones.
    pub failed_levels: Levels,
    /// Cases that passed, but not completely on the requested provider.
    pub passed_on_fall_back: u64,
}

impl BackendReport {
    /// The number of cases that it was not given, because the run ended before or it could not be
    /// started.
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

    /// Makes a report from a log's events. Any sequence gives a report: a backend without a start event
    /// has an empty description, and of several records for the same item the last one counts.
    pub fn fold(events: impl IntoIterator<Item = Event>) -> Self {
        let mut fold = Fold::default();
        events.into_iter().for_each(|event| fold.take(event));
        fold.finish()
    }

    /// The results of one backend, ordered by case.
    pub fn cases_of<'a>(&'a self, backend: &'a str) -> impl Iterator<Item = &'a CaseRecord> {
        self.cases.iter().filter(move |record| record.backend == backend)
    }

    /// The number of cases in the errata by kind, without zeros.
    pub fn errata(&self) -> BTreeMap<Erratum, u64> {
        let (mut counts, mut last) = (BTreeMap::new(), "");
        for record in &self.cases {
            // The records of a case on all backends are adjacent.
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

    /// One record of each case that no backend could be given, sorted by case.
    pub fn unreadable(&self) -> Vec<&CaseRecord> {
        let skipped = self
            .cases
            .iter()
            .filter(|record| record.verdict == Verdict::Skipped);
        let mut records: Vec<&CaseRecord> = skipped.collect();
        records.dedup_by_key(|record| &record.case);
        records
    }

    /// Whether there are cases; a bench has only latencies.
    pub fn judged(&self) -> bool {
        self.selected() > 0 || self.latencies.is_empty()
    }

    /// Whether any answer was compared with an expected one.
    pub fn levelled(&self) -> bool {
        self.cases.iter().any(|record| record.level.is_some())
    }

    /// The release and the kind of run.
    pub fn title(&self) -> String {
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

/// A result's index in the report.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CaseKey {
    release: Option<Release>,
    case: String,
    backend: usize,
}

/// The key of a series (weights, threads, model, backend's index, interleaved, spinning), and its index
/// in the report.
type LatencyKey = (crate::Weights, u32, String, usize, bool, bool);

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

    /// The backend's index in the report, which it gets at its first event.
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
