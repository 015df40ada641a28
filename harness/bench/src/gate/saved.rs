//! A saved run as the baseline of a gate.

use std::path::{Path, PathBuf};

use run_record::Report;
use run_record::text::counted;
use run_record::{Environment, LatencyRecord, LogError};

use crate::subject::ToMeasure;

/// The minimum number of rounds of a saved series: with fewer no bounds exist.
const MIN_ROUNDS: usize = 8;

/// A run that was saved.
#[derive(Debug)]
pub struct SavedRun {
    pub folder: PathBuf,
    pub report: Report,
}

/// Why a saved run cannot be a baseline.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The run has no latencies.
    #[error("`{}` has no latencies: expected a folder that `bench` wrote", .0.display())]
    Empty(PathBuf),
    /// The run was measured on another machine.
    #[error(
        "`{}` was measured on another machine: {what} was {then}, is {now}; latencies of two machines cannot be compared, so run \
         `bench` here first",
        folder.display()
    )]
    Machine {
        folder: PathBuf,
        /// The property in which the machines differ.
        what: &'static str,
        /// Its value in the saved run.
        then: String,
        now: String,
    },
    /// The run has no such series.
    #[error("`{}` has no series of model `{model}` on `{backend}` with {}; it has {known}", folder.display(), counted(*threads, "thread"))]
    NoSeries {
        folder: PathBuf,
        /// The model.
        model: String,
        backend: String,
        threads: u32,
        /// The series of the run.
        known: String,
    },
    /// The series cannot be a baseline.
    #[error("`{}`: model `{model}` on `{backend}`: {reason}", folder.display())]
    Unusable {
        folder: PathBuf,
        /// The model.
        model: String,
        backend: String,
        reason: String,
    },
}

impl SavedRun {
    /// Reads the run in a folder. It must have been measured on the machine `here`.
    ///
    /// # Errors
    /// The folder has no log of latencies, or the run was measured on another machine.
    pub fn read(folder: &Path, here: &Environment) -> Result<SavedRun, SavedError> {
        let report = Report::read(folder)?;
        if report.latencies.is_empty() {
            return Err(SavedError::Empty(folder.to_owned()));
        }
        let there = &report.started.environment;
        let memory = |environment: &Environment| format!("{} MiB", environment.memory_bytes >> 20);
        let facts = [
            ("the system", there.os.clone(), here.os.clone()),
            ("the processor", there.cpu.clone(), here.cpu.clone()),
            (
                "the count of processors",
                there.cores.to_string(),
                here.cores.to_string(),
            ),
            ("the memory", memory(there), memory(here)),
        ];
        match facts.into_iter().find(|(_, then, now)| then != now) {
            None => Ok(SavedRun {
                folder: folder.to_owned(),
                report,
            }),
            Some((what, then, now)) => Err(SavedError::Machine {
                folder: folder.to_owned(),
                what,
                then,
                now,
            }),
        }
    }

    /// The series of a model on a backend.
    ///
    /// # Errors
    /// The series does not exist, is of another file or other inputs, has no valid latency, or has too
    /// few rounds.
    pub(crate) fn series(
        &self,
        model: &ToMeasure,
        backend: &str,
        threads: u32,
    ) -> Result<&LatencyRecord, SavedError> {
        let name = model.name();
        let is_it = |record: &&LatencyRecord| {
            record.model == name && record.threads == threads && record.weights == model.weights()
        };
        let mut found = self.report.latencies.iter().filter(is_it);
        // If the saved run has one backend, it may have another name: it may be an older version.
        let record = match self.report.backends.as_slice() {
            [_] => found.next(),
            _ => found.find(|record| record.backend == backend),
        };
        let record = record.ok_or_else(|| SavedError::NoSeries {
            folder: self.folder.clone(),
            model: name.to_owned(),
            backend: backend.to_owned(),
            threads,
            known: self.known(),
        })?;
        match self.fault(record, model) {
            None => Ok(record),
            Some(reason) => Err(SavedError::Unusable {
                folder: self.folder.clone(),
                model: name.to_owned(),
                backend: backend.to_owned(),
                reason,
            }),
        }
    }

    fn fault(&self, record: &LatencyRecord, model: &ToMeasure) -> Option<String> {
        let source = record.source.clone().unwrap_or_default();
        let now = model.source(source.seed);
        if source.sha256 != now.sha256 {
            return Some("the model file is not the one that was measured".to_owned());
        }
        if (&source.inputs, &source.dims, &source.shapes, source.seed)
            != (&now.inputs, &now.dims, &now.shapes, now.seed)
        {
            return Some("it was measured with other inputs".to_owned());
        }
        if record.valid_median_ns().is_none() {
            let reasons = format!("{} {}", record.reason, record.caching);
            return Some(format!("it has no valid latency ({})", reasons.trim()));
        }
        let rounds = record.round_ns.len();
        (rounds < MIN_ROUNDS).then(|| format!("it has {rounds} rounds; at least {MIN_ROUNDS} are needed"))
    }

    fn known(&self) -> String {
        const NAMED: usize = 5;
        let series = self.report.latencies.iter();
        let names: Vec<String> = series
            .map(|record| format!("{} on {} with {}", record.model, record.backend, record.threads))
            .collect();
        if names.len() > NAMED {
            format!("{} and {} more", names[..NAMED].join(", "), names.len() - NAMED)
        } else {
            names.join(", ")
        }
    }
}
