//! The folder of a run: one run at a time, and a log that is replaced only when a new run really starts.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use reports::record::{Event, LOG, LogContents, LogError, RunLog, RunStarted, TornLine, Verdict};

use super::fingerprint::differences;

/// The file that whoever runs holds a lock on.
const LOCK: &str = "run.lock";

/// The folder of a run, held for as long as this lives: the lock ends with the process, however that ends.
#[derive(Debug)]
pub struct RunDirectory {
    log: PathBuf,
    _lock: File,
}

/// What becomes of a run that the folder holds already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Earlier {
    /// Go on with it.
    pub resume: bool,
    /// Throw it away where it cannot be gone on with, or was interrupted.
    pub force: bool,
}

impl Earlier {
    /// It gives way, whatever it is.
    pub const REPLACED: Earlier = Earlier {
        resume: false,
        force: true,
    };
}

/// A log that a run can write to.
#[derive(Debug)]
pub struct OpenLog {
    /// The log.
    pub log: RunLog,
    /// What it holds so far.
    pub events: Vec<Event>,
    /// Its last line, where that was cut off and dropped.
    pub torn: Option<TornLine>,
    /// Results of an earlier run that were thrown away.
    pub thrown_away: usize,
}

/// Why a run cannot have its folder.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// Another run has it.
    #[error("`{}` is in use by another run ({holder}): wait for it, or give another --out", folder.display())]
    Held {
        /// The folder.
        folder: PathBuf,
        /// Who holds it.
        holder: String,
    },
    /// The folder or its lock cannot be made.
    #[error("cannot lock `{}`: {source}", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is nothing to go on with.
    #[error("there is no run to go on with: `{}` does not exist; leave out --resume to start one", log.display())]
    Nothing {
        /// The log.
        log: PathBuf,
    },
    /// An interrupted run would be lost.
    #[error(
        "`{}` holds {results} results of an interrupted run: go on with it by --resume, throw it away by --force, or give \
         another --out", log.display()
    )]
    Interrupted {
        /// The log.
        log: PathBuf,
        /// Its results.
        results: usize,
    },
    /// The interrupted run was another.
    #[error(
        "the interrupted run in `{}` was another than this: {}; give the same arguments, start anew by --force (which throws \
         {results} results away), or give another --out", log.display(), differences.join("; ")
    )]
    Other {
        /// The log.
        log: PathBuf,
        /// What differs.
        differences: Vec<String>,
        /// Its results.
        results: usize,
    },
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl RunDirectory {
    /// Takes the folder, which is made if need be. Nothing in it is touched but the lock.
    ///
    /// # Errors
    /// [`DirectoryError::Held`] where another run has it, in this process or another.
    pub fn take(folder: &Path) -> Result<RunDirectory, DirectoryError> {
        let path = folder.join(LOCK);
        let failed = |source| DirectoryError::Lock {
            path: path.clone(),
            source,
        };
        fs::create_dir_all(folder).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut lock = options.open(&path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let read = lock.take(1 << 10).read_to_string(&mut holder);
                let said = read.is_ok() && !holder.trim().is_empty();
                return Err(DirectoryError::Held {
                    folder: folder.to_path_buf(),
                    holder: if said {
                        holder.trim().to_owned()
                    } else {
                        "it does not say which".to_owned()
                    },
                });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let said = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| writeln!(lock, "process {}", std::process::id()));
        said.map_err(failed)?;
        Ok(RunDirectory {
            log: folder.join(LOG),
            _lock: lock,
        })
    }

    /// Opens the log of a run that starts with `started`. An earlier log is touched only if this succeeds.
    ///
    /// # Errors
    /// An earlier run that may not be replaced, or cannot be gone on with.
    pub fn open_log(&self, started: &RunStarted, earlier: Earlier) -> Result<OpenLog, DirectoryError> {
        let known = match self.log.exists() {
            true => Some(RunLog::read(&self.log)),
            false => None,
        };
        if earlier.resume {
            let contents = known.ok_or_else(|| DirectoryError::Nothing {
                log: self.log.clone(),
            })?;
            return self.resume(contents, started, earlier.force);
        }
        let results = match &known {
            Some(Ok(contents)) if is_interrupted(&contents.events) => results(&contents.events),
            // A log that nobody can go on with is no loss.
            Some(_) | None => 0,
        };
        if results > 0 && !earlier.force {
            return Err(DirectoryError::Interrupted {
                log: self.log.clone(),
                results,
            });
        }
        self.start(results)
    }

    fn resume(
        &self,
        contents: Result<LogContents, LogError>,
        started: &RunStarted,
        force: bool,
    ) -> Result<OpenLog, DirectoryError> {
        let contents = match contents {
            Ok(contents) => contents,
            Err(_) if force => return self.start(0),
            Err(error) => return Err(error.into()),
        };
        let (differences, results) = (differences(&contents.events, started), results(&contents.events));
        if !differences.is_empty() && !force {
            return Err(DirectoryError::Other {
                log: self.log.clone(),
                differences,
                results,
            });
        }
        if !differences.is_empty() {
            return self.start(results);
        }
        let (log, LogContents { events, torn }) = RunLog::resume(&self.log)?;
        Ok(OpenLog {
            log,
            events,
            torn,
            thrown_away: 0,
        })
    }

    fn start(&self, thrown_away: usize) -> Result<OpenLog, DirectoryError> {
        Ok(OpenLog {
            log: RunLog::create(&self.log)?,
            events: Vec::new(),
            torn: None,
            thrown_away,
        })
    }
}

/// How many results there are; what was not run is none.
fn results(events: &[Event]) -> usize {
    let is_result = |event: &&Event| match event {
        Event::CaseFinished(record) => record.verdict != Verdict::NotRun,
        _ => false,
    };
    events.iter().filter(is_result).count()
}

/// Whether a run has more to do: its last start has no end, or an end before every case had its turn.
fn is_interrupted(events: &[Event]) -> bool {
    completion(events) == Some(false)
}

/// Whether every case had its turn at the end of the last start; none where there is no start.
pub(crate) fn completion(events: &[Event]) -> Option<bool> {
    events.iter().rev().find_map(|event| match event {
        Event::RunFinished(finished) => Some(finished.complete),
        Event::RunStarted(_) => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
