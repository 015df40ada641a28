//! The history of conformance runs: one SQLite file, which any program can query.
//!
//! # What it is
//! [`History`] holds the results of many runs, one table for each fact ([`SCHEMA`] is the whole schema, with comments). A run is added
//! from its log, once: its digest tells it from others. Questions are functions of [`History`]: runs with their counts, the versions
//! with which cases began to fail, a case or an operator over time, and series with their change points ([`change_points`]). [`exchange`] writes tables that other programs read, and reads
//! them back. [`scoreboard`] writes the files of the public scoreboard of ONNX.
//!
//! # What it is not
//! It judges nothing and compares no outputs: verdicts come from logs. Of a case, the times of load and run are not kept: they are no
//! part of conformance, and would be half of the file. The latencies of a bench are kept, and how long each backend took.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod add;
mod change_points;
pub mod exchange;
mod past;
mod rows;
pub mod scoreboard;
mod series;
mod trends;
mod verdicts;
mod version;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

pub use add::Added;
pub use change_points::{Shift, change_points};
pub use reports::trends::Bad;
pub use trends::{Place, Summary};

/// The tables, with what each column means.
pub const SCHEMA: &str = concat!(include_str!("schema.sql"), include_str!("latency.sql"));

/// The version of the schema, in the file's header (`PRAGMA user_version`).
const VERSION: i64 = 2;

/// What makes a file of version 1 one of version 2.
const FROM_1: &str = concat!(
    "BEGIN; ALTER TABLE backend ADD COLUMN wall_s REAL;",
    include_str!("latency.sql"),
    "PRAGMA user_version = 2; COMMIT;"
);

/// What tells a history from other files of SQLite (`PRAGMA application_id`): `ONXH`.
const APPLICATION: i64 = 0x4f4e_5848;

/// An open history.
#[derive(Debug)]
pub struct History {
    connection: Connection,
    path: PathBuf,
}

/// Why a history cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// SQLite refuses.
    #[error("{}: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The file is no history, or one of another version.
    #[error("{} is no history of this version: {problem}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What it is.
        problem: String,
    },
    /// There is no such file.
    #[error("there is no history at {}: `history add` makes one", path.display())]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// A run's log cannot be read.
    #[error(transparent)]
    Log(#[from] reports::record::LogError),
    /// The run did not come to its end.
    #[error("the run in {} is incomplete: `conformance --resume` goes on with it", folder.display())]
    Incomplete {
        /// Its folder.
        folder: PathBuf,
    },
    /// A file to be imported cannot be read.
    #[error("{}: {problem}", path.display())]
    Import {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] reports::WriteError),
}

impl History {
    /// Opens the history at `path` for adding, and makes it if there is none.
    ///
    /// # Errors
    /// A file that is no history, or that SQLite cannot open.
    pub fn create(path: &Path) -> Result<History, HistoryError> {
        History::with(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )
    }

    /// Opens the history at `path` for questions.
    ///
    /// # Errors
    /// No file, a file that is no history, or that SQLite cannot open.
    pub fn open(path: &Path) -> Result<History, HistoryError> {
        if !path.exists() {
            return Err(HistoryError::Absent {
                path: path.to_owned(),
            });
        }
        History::with(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    fn with(path: &Path, flags: OpenFlags) -> Result<History, HistoryError> {
        let failed = |source| HistoryError::Database {
            path: path.to_owned(),
            source,
        };
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        let number = |name: &str| {
            connection
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
                .map_err(failed)
        };
        let count = "SELECT count(*) FROM sqlite_schema";
        let tables: i64 = connection
            .query_row(count, [], |row| row.get(0))
            .map_err(failed)?;
        match (number("application_id")?, number("user_version")?, tables) {
            (APPLICATION, VERSION, _) => {}
            (0, 0, 0) if flags.contains(OpenFlags::SQLITE_OPEN_CREATE) => {
                connection.execute_batch(SCHEMA).map_err(failed)?;
                connection
                    .pragma_update(None, "application_id", APPLICATION)
                    .map_err(failed)?;
                connection
                    .pragma_update(None, "user_version", VERSION)
                    .map_err(failed)?;
            }
            (APPLICATION, 1, _) if flags.contains(OpenFlags::SQLITE_OPEN_READ_WRITE) => {
                connection.execute_batch(FROM_1).map_err(failed)?;
            }
            // Questions need the tables of this version as well.
            (APPLICATION, 1, _) => return History::with(path, OpenFlags::SQLITE_OPEN_READ_WRITE),
            (APPLICATION, version, _) => {
                let problem = format!("its version is {version}, expected {VERSION}");
                return Err(HistoryError::Other {
                    path: path.to_owned(),
                    problem,
                });
            }
            _ => {
                let problem = "another program made it".to_owned();
                return Err(HistoryError::Other {
                    path: path.to_owned(),
                    problem,
                });
            }
        }
        connection
            .pragma_update(None, "foreign_keys", true)
            .map_err(failed)?;
        Ok(History {
            connection,
            path: path.to_owned(),
        })
    }

    fn failed(&self) -> impl Fn(rusqlite::Error) -> HistoryError + '_ {
        |source| HistoryError::Database {
            path: self.path.clone(),
            source,
        }
    }
}

#[cfg(test)]
mod tests;
