//! The append-only run log: JSON lines, the first of which states the format.
//!
//! Each event is one `write` of one whole line straight to the file, without a buffer in this process, so that a run
//! that is killed loses at most the line it was writing. The log is not synced to the disk for each event: it
//! guards against the death of the process, not of the machine.

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

/// What a log holds.
#[derive(Debug)]
pub struct LogContents {
    /// Its events, in order.
    pub events: Vec<Event>,
    /// The last line, where it was cut off and left out; worth a word to the user.
    pub truncated: Option<TruncatedLine>,
}

/// A last line that was cut off while it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TruncatedLine {
    /// Its number, from 1.
    pub line: usize,
    /// How many bytes of it there are.
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
        /// Why.
        source: io::Error,
    },
    /// The file could not be read.
    #[error("cannot read the run log {}: {source}", path.display())]
    Read {
        /// The log.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The first line is no header.
    #[error("{} is no run log: its first line states no format", path.display())]
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
        /// The oldest format that would do.
        oldest: u32,
    },
    /// A whole line is no event.
    #[error("line {line} of the run log {} is no event ({source}): remove the line, or start a new run", path.display())]
    Line {
        /// The log.
        path: PathBuf,
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl RunLog {
    /// Starts a new log at `path`; makes its folder if need be. A log that is there is replaced in one step.
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

    /// Takes up the log at `path` to append to it, and gives what it holds so far. A truncated last line is cut off; a
    /// log that was truncated in its very header starts anew.
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

/// Parts the whole lines from a last one without its line feed.
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
