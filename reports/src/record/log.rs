//! The append-only log of a run: JSON lines, the first of which states the format.
//!
//! Each event is one `write` of one complete line to the file, without a buffer in this process, so that
//! an interrupted run loses at most the current line. The log is not synced to the disk for each event:
//! it protects against the end of the process, not of the machine.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Event, FORMAT, OLDEST_FORMAT};
use crate::file;

#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
}

/// A log open for writing.
#[derive(Debug)]
pub struct RunLog {
    file: File,
    path: PathBuf,
}

/// The contents of a log.
#[derive(Debug)]
pub struct LogContents {
    /// Its events, in order.
    pub events: Vec<Event>,
    /// The last line, if it was truncated and removed; callers should report it.
    pub truncated: Option<TruncatedLine>,
}

/// A last line that was truncated during the write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TruncatedLine {
    /// Its number, from 1.
    pub line: usize,
    /// Its length in bytes.
    pub bytes: usize,
}

/// Why a log cannot be written or read.
#[derive(Debug, Error)]
pub enum LogError {
    /// The file could not be written.
    #[error("cannot write the run log {}: {source}", path.display())]
    Write {
        /// The log.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file could not be read.
    #[error("cannot read the run log {}: {source}", path.display())]
    Read {
        /// The log.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The first line is not a header.
    #[error("{} is not a run log: its first line does not state the format", path.display())]
    NoHeader {
        /// The log.
        path: PathBuf,
    },
    /// The log was written by another version.
    #[error("the run log {} has format {format}; expected {oldest} to {FORMAT}: use the version that wrote it, or start a new run", path.display())]
    Format {
        /// The log.
        path: PathBuf,
        /// The format it states.
        format: u32,
        /// The oldest supported format.
        oldest: u32,
    },
    /// A complete line is not an event.
    #[error("line {line} of the run log {} is not an event ({source}): remove the line, or start a new run", path.display())]
    Line {
        /// The log.
        path: PathBuf,
        /// Its number, from 1.
        line: usize,
        /// The error.
        source: serde_json::Error,
    },
}

impl RunLog {
    /// Starts a new log at `path`; creates its folder if necessary. An existing log is replaced
    /// atomically.
    pub fn create(path: &Path) -> Result<Self, LogError> {
        let failed = |source| LogError::Write {
            path: path.into(),
            source,
        };
        let mut head =
            serde_json::to_vec(&Header { format: FORMAT }).map_err(|error| failed(error.into()))?;
        head.push(b'\n');
        Ok(Self {
            file: file::begin(path, &head).map_err(failed)?,
            path: path.into(),
        })
    }

    /// Opens the log at `path` to append to it, and returns its content. A truncated last line is
    /// removed; a log that was truncated within its header starts again.
    pub fn resume(path: &Path) -> Result<(Self, LogContents), LogError> {
        let failed = |source| LogError::Write {
            path: path.into(),
            source,
        };
        let bytes = read_file(path)?;
        let (whole, truncated) = split_torn(&bytes);
        if whole.is_empty() {
            return Ok((
                Self::create(path)?,
                LogContents {
                    events: Vec::new(),
                    truncated,
                },
            ));
        }
        // A line of this format must not follow a header of an older one.
        let events = parse(path, whole, FORMAT)?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        file.set_len(whole.len() as u64).map_err(failed)?;
        Ok((
            Self {
                file,
                path: path.into(),
            },
            LogContents { events, truncated },
        ))
    }

    /// Appends one event.
    pub fn write(&mut self, event: &Event) -> Result<(), LogError> {
        self.line(event)
    }

    /// Reads the log at `path`.
    pub fn read(path: &Path) -> Result<LogContents, LogError> {
        let bytes = read_file(path)?;
        let (whole, truncated) = split_torn(&bytes);
        Ok(LogContents {
            events: parse(path, whole, OLDEST_FORMAT)?,
            truncated,
        })
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), LogError> {
        let failed = |source| LogError::Write {
            path: self.path.clone(),
            source,
        };
        let mut line = serde_json::to_vec(value).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(failed)
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, LogError> {
    fs::read(path).map_err(|source| LogError::Read {
        path: path.into(),
        source,
    })
}

/// Separates the complete lines from a last one without line feed.
fn split_torn(bytes: &[u8]) -> (&[u8], Option<TruncatedLine>) {
    let end = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let (whole, rest) = bytes.split_at(end);
    let line = whole.iter().filter(|&&byte| byte == b'\n').count() + 1;
    (
        whole,
        (!rest.is_empty()).then_some(TruncatedLine {
            line,
            bytes: rest.len(),
        }),
    )
}

fn parse(path: &Path, whole: &[u8], oldest: u32) -> Result<Vec<Event>, LogError> {
    let mut lines = whole.split_inclusive(|&byte| byte == b'\n').zip(1..);
    let header = lines
        .next()
        .and_then(|(line, _)| serde_json::from_slice::<Header>(line).ok());
    match header {
        None => return Err(LogError::NoHeader { path: path.into() }),
        Some(Header { format }) if !(oldest..=FORMAT).contains(&format) => {
            return Err(LogError::Format {
                path: path.into(),
                format,
                oldest,
            });
        }
        Some(_) => {}
    }
    lines
        .map(|(text, line)| {
            serde_json::from_slice(text).map_err(|source| LogError::Line {
                path: path.into(),
                line,
                source,
            })
        })
        .collect()
}
