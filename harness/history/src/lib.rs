//! The history of conformance runs: one SQLite file, which any program can query.
//!
//! # Purpose
//! [`History`] stores the results of many runs, one table for each fact ([`SCHEMA`] is the complete
//! schema, with comments). A run is added from its log, once: its digest identifies it. Queries are
//! functions of [`History`]: runs with their counts, the versions with which cases started to fail, a
//! case or an operator over time, and series with their change points ([`change_points`]). [`exchange`]
//! writes tables for other programs and reads them back. [`scoreboard`] writes the files of the public
//! scoreboard of ONNX.
//!
//! # Scope
//! This crate judges nothing and compares no outputs: verdicts come from logs. Times of load and run of
//! cases are not stored: they are not part of conformance, and would be half of the file. The latencies
//! of a bench and the duration of each backend are stored.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod add;
mod change_points;
pub mod exchange;
mod names;
mod past;
mod rows;
pub mod scoreboard;
mod series;
mod steps;
mod trends;
mod verdicts;
mod version;

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

pub use add::Added;
pub use change_points::{Shift, change_points};
pub use rows::Rows;
pub use run_record::trends::Bad;
pub use trends::{Place, Summary};

/// The tables, with the meaning of each column.
pub const SCHEMA: &str = concat!(include_str!("schema.sql"), include_str!("latency.sql"));

/// The version of the schema, in the file's header (`PRAGMA user_version`).
const VERSION: i64 = 3;

/// What makes a file of version 1 one of version 2.
const FROM_1: &str = concat!(
    "BEGIN; ALTER TABLE backend ADD COLUMN wall_s REAL;",
    include_str!("latency.sql"),
    "PRAGMA user_version = 2; COMMIT;"
);

/// What makes a file of version 2 one of version 3.
const FROM_2: &str =
    "BEGIN; ALTER TABLE run ADD COLUMN selection TEXT NOT NULL DEFAULT ''; PRAGMA user_version = 3; COMMIT;";

/// The maximum number of steps of SQLite's virtual machine in all queries of a connection: minutes of
/// processor time, and a hundred times what a history of a year needs.
const MAX_STEPS: u64 = 20_000_000_000;

/// The number of steps after which they are counted.
const STEPS: i32 = 1_000_000;

/// Identifies a history among SQLite files (`PRAGMA application_id`): `ONXH`.
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
    /// SQLite reports an error.
    #[error("{}: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The error.
        source: rusqlite::Error,
    },
    /// The file is not a history, or has another version.
    #[error("{} is not a history of this version: {problem}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The difference.
        problem: String,
    },
    /// A query does not end.
    #[error("{} is not a history of this version: a query of it takes more than {MAX_STEPS} steps", path.display())]
    Endless {
        /// The file.
        path: PathBuf,
    },
    /// The file does not exist.
    #[error("there is no history at {}: `history add` creates one", path.display())]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// No case is about this operator.
    #[error(
        "no case of the history is about operator `{name}`{}",
        hint("near names", near)
    )]
    Operator {
        /// The name as given.
        name: String,
        /// Operators with similar names.
        near: Vec<String>,
    },
    /// No run has this backend.
    #[error("no run of the history has backend `{name}`{}", hint("it has", known))]
    Backend {
        /// The name as given.
        name: String,
        /// The backends of the history.
        known: Vec<String>,
    },
    /// No run has this case.
    #[error("no run of the history has case `{name}`")]
    Case {
        /// The name as given.
        name: String,
    },
    /// A run's log cannot be read.
    #[error(transparent)]
    Log(#[from] run_record::LogError),
    /// The run is incomplete.
    #[error("the run in {} is incomplete: resume it by `conformance --resume`", folder.display())]
    Incomplete { folder: PathBuf },
    /// An imported file cannot be read.
    #[error("{}: {problem}", path.display())]
    Import {
        /// The file.
        path: PathBuf,
        problem: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] run_record::WriteError),
}

/// `: it has a, b`; empty without names.
fn hint(what: &str, names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!("; {what}: {}", names.join(", ")),
    }
}

impl History {
    /// Opens the history at `path` for adding, and creates it if it does not exist.
    ///
    /// # Errors
    /// The file is not a history, or SQLite cannot open it.
    pub fn create(path: &Path) -> Result<History, HistoryError> {
        History::with(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )
    }

    /// Opens the history at `path` for queries.
    ///
    /// # Errors
    /// The file does not exist or is not a history, or SQLite cannot open it.
    pub fn open(path: &Path) -> Result<History, HistoryError> {
        if !path.exists() {
            return Err(HistoryError::Absent {
                path: path.to_owned(),
            });
        }
        History::with(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    fn with(path: &Path, flags: OpenFlags) -> Result<History, HistoryError> {
        let failed = |source| HistoryError::of(path, source);
        // SQLite waits for the writer of a pipe, and reads a device without end.
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(HistoryError::Other {
                path: path.to_owned(),
                problem: "it is not a regular file".to_owned(),
            });
        }
        let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        bound_steps(&mut connection, MAX_STEPS).map_err(failed)?;
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
            (APPLICATION, version @ (1 | 2), _) if flags.contains(OpenFlags::SQLITE_OPEN_READ_WRITE) => {
                if version == 1 {
                    connection.execute_batch(FROM_1).map_err(failed)?;
                }
                connection.execute_batch(FROM_2).map_err(failed)?;
            }
            // Questions need the tables of this version as well.
            (APPLICATION, 1 | 2, _) => return History::with(path, OpenFlags::SQLITE_OPEN_READ_WRITE),
            (APPLICATION, version, _) => {
                let problem = format!("its version is {version}, expected {VERSION}");
                return Err(HistoryError::Other {
                    path: path.to_owned(),
                    problem,
                });
            }
            _ => {
                let problem = "another program created it".to_owned();
                return Err(HistoryError::Other {
                    path: path.to_owned(),
                    problem,
                });
            }
        }
        if let Some(problem) = foreign_object(&connection).map_err(failed)? {
            return Err(HistoryError::Other {
                path: path.to_owned(),
                problem,
            });
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
        |source| HistoryError::of(&self.path, source)
    }
}

impl HistoryError {
    /// An error of SQLite.
    fn of(path: &Path, source: rusqlite::Error) -> HistoryError {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => HistoryError::Endless { path },
            _ => HistoryError::Database { path, source },
        }
    }

    /// Whether the database cannot be written: the disk is full, or its file may only be read.
    pub fn is_unwritable(&self) -> bool {
        let HistoryError::Database { source, .. } = self else {
            return false;
        };
        matches!(
            source.sqlite_error_code(),
            Some(ErrorCode::DiskFull | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure)
        )
    }
}

/// Interrupts queries of a connection after so many steps of SQLite's virtual machine.
fn bound_steps(connection: &mut Connection, most: u64) -> rusqlite::Result<()> {
    let mut left = most / u64::from(STEPS.unsigned_abs());
    let handler = move || {
        left = left.saturating_sub(1);
        left == 0
    };
    connection.progress_handler(STEPS, Some(handler))
}

/// Why the tables are not those of a history: one of them is a view or a virtual table, which computes its
/// rows, or a trigger acts on it.
fn foreign_object(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let text = "SELECT type, name FROM sqlite_schema WHERE type = 'trigger' OR sql LIKE 'CREATE VIRTUAL%'
                OR (type = 'view' AND name <> 'results') LIMIT 1";
    let found = connection.query_row(text, [], |row| {
        Ok(format!(
            "it has a {} `{}`",
            row.get::<_, String>(0)?,
            row.get::<_, String>(1)?
        ))
    });
    found.optional()
}

#[cfg(test)]
mod tests;
