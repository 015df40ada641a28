//! The journal of results, as lines of JSON: an interrupted run resumes from it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::exhaustive::checked::Checked;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("journal {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

#[derive(Serialize, Deserialize)]
struct Line {
    backend: String,
    subject: String,
    chunk: u64,
    checked: Checked,
}

/// Results by backend with its version, subject and part; appended to a file if one is given.
#[derive(Debug, Default)]
pub struct Journal {
    file: Option<(PathBuf, File)>,
    done: BTreeMap<(String, String, u64), Checked>,
}

impl Journal {
    /// Reads the file, if it exists, and appends to it from now on. A truncated last line is removed,
    /// and its part is repeated.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn open(path: &Path) -> Result<Journal, JournalError> {
        let failed = |source| JournalError::Io {
            path: path.to_path_buf(),
            source,
        };
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(failed)?;
        let mut done = BTreeMap::new();
        let (mut torn, mut reader, mut text) = (false, BufReader::new(&file), Vec::new());
        while reader.read_until(b'\n', &mut text).map_err(failed)? > 0 {
            torn = !text.ends_with(b"\n");
            if let Ok(line) = serde_json::from_slice::<Line>(&text) {
                done.insert((line.backend, line.subject, line.chunk), line.checked);
            }
            text.clear();
        }
        let mut file = file;
        if torn {
            file.write_all(b"\n").map_err(failed)?;
        }
        Ok(Journal {
            file: Some((path.to_path_buf(), file)),
            done,
        })
    }

    /// The result of a part, if known.
    pub fn get(&self, backend: &str, subject: &str, chunk: u64) -> Option<&Checked> {
        self.done.get(&(backend.to_owned(), subject.to_owned(), chunk))
    }

    /// Adds the result of a part.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(
        &mut self,
        backend: &str,
        subject: &str,
        chunk: u64,
        checked: Checked,
    ) -> Result<(), JournalError> {
        let line = Line {
            backend: backend.to_owned(),
            subject: subject.to_owned(),
            chunk,
            checked,
        };
        if let Some((path, file)) = &mut self.file {
            let failed = |source| JournalError::Io {
                path: path.clone(),
                source,
            };
            let mut text = serde_json::to_vec(&line).map_err(|error| failed(error.into()))?;
            text.push(b'\n');
            file.write_all(&text).map_err(failed)?;
        }
        self.done
            .insert((line.backend, line.subject, line.chunk), line.checked);
        Ok(())
    }
}
