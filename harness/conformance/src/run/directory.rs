//! The folder of a run: it belongs to one run at a time, and its log is replaced only when a new run
//! starts.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use run_record::Folder;
use run_record::text::counted;
use run_record::{Event, LOG, LogContents, LogError, RunLog, RunStarted, TruncatedLine, Verdict};

use super::fingerprint::differences;

/// The file that the running process locks.
const LOCK: &str = "run.lock";

/// The folder of a run, locked during the lifetime of this value: the lock ends with the process,
/// however it ends.
#[derive(Debug)]
pub struct RunDirectory {
    log: PathBuf,
    _lock: File,
}

/// How to treat an earlier run in the folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Earlier {
    pub resume: bool,
    /// Discard it if it cannot be resumed or was interrupted.
    pub force: bool,
}

impl Earlier {
    /// Replace it in any case.
    pub const REPLACED: Earlier = Earlier {
        resume: false,
        force: true,
    };
}

/// A log that a run can write to.
#[derive(Debug)]
pub struct OpenLog {
    pub log: RunLog,
    /// The events that it already has.
    pub events: Vec<Event>,
    /// Its last line, if it was truncated and removed.
    pub truncated: Option<TruncatedLine>,
    /// The number of discarded results of an earlier run.
    pub discarded: usize,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// Another run uses it.
    #[error("`{}` is in use by another run ({holder}): wait until it ends, or give another --out", folder.display())]
    Held {
        folder: PathBuf,
        /// The owner of the lock.
        holder: String,
    },
    /// The folder or its lock cannot be created.
    #[error("cannot lock `{}`: {source}", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// There is no run to resume.
    #[error("there is no run to resume: `{}` does not exist; omit --resume to start one", log.display())]
    Nothing { log: PathBuf },
    /// An interrupted run would be lost.
    #[error(
        "`{}` has {} of an interrupted run: resume it by --resume, discard it by --force, or give another --out",
        log.display(), counted(*results, "result")
    )]
    Interrupted {
        log: PathBuf,
        /// The number of its results.
        results: usize,
    },
    /// The interrupted run has other parameters.
    #[error(
        "the interrupted run in `{}` differs from this one: {}; give the same arguments, start again by --force (which \
         discards {}), or give another --out", log.display(), differences.join("; "), counted(*results, "result")
    )]
    Other {
        log: PathBuf,
        differences: Vec<String>,
        /// The number of its results.
        results: usize,
    },
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl RunDirectory {
    /// Locks the folder, and creates it if necessary. Only the lock file is changed. Links are not followed.
    ///
    /// # Errors
    /// [`DirectoryError::Held`] if another run uses it, in this process or another;
    /// [`DirectoryError::Lock`] if the folder or the lock file is a link.
    pub fn take(folder: &Path) -> Result<RunDirectory, DirectoryError> {
        let path = folder.join(LOCK);
        let failed = |source| DirectoryError::Lock {
            path: path.clone(),
            source,
        };
        let open = Folder::create(folder).and_then(|folder| folder.open(LOCK, false));
        let mut lock = open.map_err(failed)?;
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
                        "unknown process".to_owned()
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

    /// Opens the log of a run that starts with `started`. An earlier log is changed only on success.
    ///
    /// # Errors
    /// An earlier run may not be replaced, or cannot be resumed.
    pub fn open_log(&self, started: &RunStarted, earlier: Earlier) -> Result<OpenLog, DirectoryError> {
        let known = if self.log.exists() {
            Some(RunLog::read(&self.log))
        } else {
            None
        };
        if earlier.resume {
            let contents = known.ok_or_else(|| DirectoryError::Nothing {
                log: self.log.clone(),
            })?;
            return self.resume(contents, started, earlier.force);
        }
        let results = match &known {
            Some(Ok(contents)) if is_interrupted(&contents.events) => results(&contents.events),
            // A log that cannot be resumed may be discarded.
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
        let (log, LogContents { events, truncated }) = RunLog::resume(&self.log)?;
        Ok(OpenLog {
            log,
            events,
            truncated,
            discarded: 0,
        })
    }

    fn start(&self, discarded: usize) -> Result<OpenLog, DirectoryError> {
        Ok(OpenLog {
            log: RunLog::create(&self.log)?,
            events: Vec::new(),
            truncated: None,
            discarded,
        })
    }
}

/// The number of results; cases that were not run do not count.
fn results(events: &[Event]) -> usize {
    let is_result = |event: &&Event| match event {
        Event::CaseFinished(record) => record.verdict != Verdict::NotRun,
        _ => false,
    };
    events.iter().filter(is_result).count()
}

/// Whether a run is incomplete: its last start has no end, or ended before all cases were run.
fn is_interrupted(events: &[Event]) -> bool {
    completion(events) == Some(false)
}

/// Whether all cases were run at the end of the last start; `None` without a start.
pub(crate) fn completion(events: &[Event]) -> Option<bool> {
    events.iter().rev().find_map(|event| match event {
        Event::RunFinished(finished) => Some(finished.complete),
        Event::RunStarted(_) => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
