//! The append-only log of a run: JSON lines, the first of which states the format, and the last of which has
//! the digest of all lines before it.
//!
//! Each event is one `write` of one complete line to the file, without a buffer in this process, so that
//! an interrupted run loses at most the current line. The log is not synced to the disk for each event:
//! it protects against the end of the process, not of the machine.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::{Event, FORMAT, OLDEST_FORMAT};
use crate::{Folder, read_file};

/// The maximum length of a log in bytes: a hundred times that of a run of every case of every release.
const MAX_LOG: u64 = 4 << 30;

/// The first line of a log.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
}

/// One line of a log, for its schema.
#[derive(JsonSchema)]
#[serde(untagged)]
pub enum LogLine {
    /// The first one.
    Header(Header),
    /// The others.
    Event(Box<Event>),
}

/// A log open for writing.
#[derive(Debug)]
pub struct RunLog {
    file: File,
    path: PathBuf,
    /// The digest of all lines so far.
    digest: Sha256,
}

/// Before the last field of [`Event::RunFinished`] in the log: the SHA-256 of all bytes before these. A log
/// that was damaged after the run would else give another result without a word.
const DIGEST: &str = r#","log_sha256":""#;

/// The first format in which the end of a run has this field.
const WITH_DIGEST: u32 = 6;

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
    /// The lines before the end of a run are not those that were written, or lines follow it.
    #[error("the run log {} was changed after it was written: line {line} does not belong to the lines before it; run it again", path.display())]
    Changed {
        /// The log.
        path: PathBuf,
        /// The number of the line with another digest, or after the end, from 1.
        line: usize,
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
            file: begin(path, &head).map_err(failed)?,
            path: path.into(),
            digest: Sha256::new_with_prefix(&head),
        })
    }

    /// Opens the log at `path` to append to it, and returns its content. A truncated last line is
    /// removed; a log that was truncated within its header starts again.
    pub fn resume(path: &Path) -> Result<(Self, LogContents), LogError> {
        let failed = |source| LogError::Write {
            path: path.into(),
            source,
        };
        let bytes = bytes_of(path)?;
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
        let file = folder_of(path)
            .and_then(|(folder, name)| folder.open(&name, true))
            .map_err(failed)?;
        file.set_len(whole.len() as u64).map_err(failed)?;
        Ok((
            Self {
                file,
                path: path.into(),
                digest: Sha256::new_with_prefix(whole),
            },
            LogContents { events, truncated },
        ))
    }

    /// Appends one event.
    pub fn write(&mut self, event: &Event) -> Result<(), LogError> {
        let failed = |source| LogError::Write {
            path: self.path.clone(),
            source,
        };
        let mut line = serde_json::to_vec(event).map_err(|error| failed(error.into()))?;
        if matches!(event, Event::RunFinished(_)) {
            line.truncate(line.len() - 1);
            let stated = hex(self.digest.clone().chain_update(&line));
            line.extend_from_slice(format!("{DIGEST}{stated}\"}}").as_bytes());
        }
        line.push(b'\n');
        self.file.write_all(&line).map_err(failed)?;
        self.digest.update(&line);
        Ok(())
    }

    /// Reads the log at `path`, a regular file of at most 4 GiB.
    ///
    /// # Errors
    /// The file cannot be read, is not a log, or has a line that is not an event.
    pub fn read(path: &Path) -> Result<LogContents, LogError> {
        Self::parse(path, &bytes_of(path)?)
    }

    /// Reads the bytes of a log; `path` is for error messages.
    ///
    /// # Errors
    /// They are not a log, or have a line that is not an event.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<LogContents, LogError> {
        let (whole, truncated) = split_torn(bytes);
        let events = parse(path, whole, OLDEST_FORMAT)?;
        let ended = matches!(events.last(), Some(Event::RunFinished(finished)) if finished.complete);
        match truncated {
            Some(TruncatedLine { line, .. }) if ended => Err(LogError::Changed {
                path: path.into(),
                line,
            }),
            truncated => Ok(LogContents { events, truncated }),
        }
    }
}

/// The open folder of a log, and the log's name.
fn folder_of(path: &Path) -> io::Result<(Folder, String)> {
    let folder = Folder::create(path.parent().unwrap_or(Path::new("")))?;
    let name = path.file_name().unwrap_or_default();
    Ok((folder, name.to_string_lossy().into_owned()))
}

fn begin(path: &Path, head: &[u8]) -> io::Result<File> {
    let (folder, name) = folder_of(path)?;
    folder.begin(Path::new(&name), head)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, LogError> {
    read_file(path, MAX_LOG).map_err(|source| LogError::Read {
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
    let mut lines = whole.split_inclusive(|&byte| byte == b'\n');
    let header = lines
        .next()
        .and_then(|line| serde_json::from_slice::<Header>(line).ok());
    match header {
        None => Err(LogError::NoHeader { path: path.into() }),
        Some(Header { format }) if !(oldest..=FORMAT).contains(&format) => Err(LogError::Format {
            path: path.into(),
            format,
            oldest,
        }),
        Some(Header { format }) => events(path, whole, format),
    }
}

/// The events of the lines after the first.
fn events(path: &Path, whole: &[u8], format: u32) -> Result<Vec<Event>, LogError> {
    let (mut digest, mut events) = (Sha256::new(), Vec::<Event>::new());
    for (text, line) in whole.split_inclusive(|&byte| byte == b'\n').zip(1..) {
        if line > 1 {
            let failed = |source| LogError::Line {
                path: path.into(),
                line,
                source,
            };
            let event: Event = serde_json::from_slice(text).map_err(failed)?;
            // Only a run that resumes this one follows the end of a run.
            let follows = matches!(events.last(), Some(Event::RunFinished(_)));
            if follows && !matches!(event, Event::RunStarted(_)) {
                return Err(LogError::Changed {
                    path: path.into(),
                    line,
                });
            }
            if matches!(event, Event::RunFinished(_)) {
                let is_same = match split_digest(text) {
                    Some((before, stated)) => *hex(digest.clone().chain_update(before)).as_bytes() == *stated,
                    None => format < WITH_DIGEST,
                };
                if !is_same {
                    return Err(LogError::Changed {
                        path: path.into(),
                        line,
                    });
                }
            }
            events.push(event);
        }
        digest.update(text);
    }
    Ok(events)
}

/// The bytes of the end of a run that its digest covers, and the digest in hexadecimal digits.
fn split_digest(line: &[u8]) -> Option<(&[u8], &[u8])> {
    const DIGITS: usize = 64;
    let fields = line.strip_suffix(b"\"}\n")?;
    let (rest, stated) = fields.split_at_checked(fields.len().checked_sub(DIGITS)?)?;
    Some((rest.strip_suffix(DIGEST.as_bytes())?, stated))
}

fn hex(digest: Sha256) -> String {
    let bytes = digest.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
