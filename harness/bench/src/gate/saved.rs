//! A run that was saved, as something to compare with.

use std::path::{Path, PathBuf};

use reports::Report;
use reports::record::{Environment, LatencyRecord, LogError};

use crate::subject::ToMeasure;

/// Fewest rounds of a saved series: with fewer no bound exists.
const LEAST: usize = 8;

/// A run that was saved.
#[derive(Debug)]
pub struct SavedRun {
    /// Its folder.
    pub folder: PathBuf,
    /// Its report.
    pub report: Report,
}

/// Why a saved run cannot be compared with.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// It cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// It holds no latencies.
    #[error("`{}` holds no latencies: expected a folder that `bench` wrote", .0.display())]
    Empty(PathBuf),
    /// It was measured on another machine.
    #[error(
        "`{}` was measured on another machine: {what} was {then}, is {now}; latencies of two machines cannot be compared, so run \
         `bench` here first",
        folder.display()
    )]
    Machine {
        /// The folder.
        folder: PathBuf,
        /// In what the machines differ.
        what: &'static str,
        /// What it was.
        then: String,
        /// What it is.
        now: String,
    },
    /// It has no series of this kind.
    #[error("`{}` has no series of model `{model}` on `{backend}` with {threads} threads; it has {known}", folder.display())]
    NoSeries {
        /// The folder.
        folder: PathBuf,
        /// The model.
        model: String,
        /// The backend.
        backend: String,
        /// The threads.
        threads: u32,
        /// The series that there are.
        known: String,
    },
    /// The series cannot be compared with.
    #[error("`{}`: model `{model}` on `{backend}`: {reason}", folder.display())]
    Unusable {
        /// The folder.
        folder: PathBuf,
        /// The model.
        model: String,
        /// The backend.
        backend: String,
        /// Why not.
        reason: String,
    },
}

impl SavedRun {
    /// Reads the run in a folder, which must have been measured on the machine `here`.
    ///
    /// # Errors
    /// A folder without a log of latencies, another machine.
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
    /// There is none, it is of another file or inputs, it has no valid latency, or too few rounds.
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
        // A saved run of one backend may be of one with another name: an older version of it.
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
        (rounds < LEAST).then(|| format!("{rounds} rounds are too few, {LEAST} are needed"))
    }

    fn known(&self) -> String {
        const NAMED: usize = 5;
        let series = self.report.latencies.iter();
        let names: Vec<String> = series
            .map(|record| format!("{} on {} with {}", record.model, record.backend, record.threads))
            .collect();
        match names.len() > NAMED {
            true => format!("{} and {} more", names[..NAMED].join(", "), names.len() - NAMED),
            false => names.join(", "),
        }
    }
}
