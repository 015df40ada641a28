//! Tables for other programs: JSON lines or CSV, one file per table, with names in place of ids.
//!
//! DuckDB reads both directly: `SELECT backend, count(*) FROM 'results.jsonl' GROUP BY backend`. In CSV
//! a string that a spreadsheet would interpret as a formula gets an apostrophe as prefix;
//! [`Rows::of_tables`] removes it.

use std::path::{Path, PathBuf};

use run_record::shown::one_line;
use run_record::{read_text, replace_in};
use rusqlite::Params;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::rows::{BackendRow, LatencyRow, ResultRow, Rows, RunRow, UseRow};
use crate::{History, HistoryError};

/// The maximum length of an imported table in bytes.
const MAX_TABLE: u64 = 4 << 30;

/// The format of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object on each line.
    JsonLines,
    /// Comma-separated values with a header.
    Csv,
}

impl Format {
    /// The file extension.
    pub fn extension(self) -> &'static str {
        match self {
            Format::JsonLines => "jsonl",
            Format::Csv => "csv",
        }
    }
}

/// The tables, by the names of their files.
const RUNS: &str = "runs";
const BACKENDS: &str = "backends";
const RESULTS: &str = "results";
const USES: &str = "operators";
const LATENCIES: &str = "latencies";

impl Rows {
    /// The rows of exported tables. If both formats exist, JSON lines are read.
    ///
    /// # Errors
    /// The tables are missing or not in the form of [`History::export`].
    pub fn of_tables(folder: &Path) -> Result<Rows, HistoryError> {
        let formats = [Format::JsonLines, Format::Csv];
        let there = |format: &Format| folder.join(format!("{RUNS}.{}", format.extension())).exists();
        let format = formats
            .into_iter()
            .find(there)
            .ok_or_else(|| HistoryError::Import {
                path: folder.to_owned(),
                problem: "it has neither runs.jsonl nor runs.csv".to_owned(),
            })?;
        Ok(Rows {
            runs: read(folder, RUNS, format)?,
            backends: read(folder, BACKENDS, format)?,
            results: read(folder, RESULTS, format)?,
            uses: read(folder, USES, format)?,
            // Tables of version 1 have no latencies.
            latencies: if folder
                .join(format!("{LATENCIES}.{}", format.extension()))
                .exists()
            {
                read(folder, LATENCIES, format)?
            } else {
                Vec::new()
            },
        })
    }
}

impl History {
    /// Writes every table to `folder` and returns the files.
    ///
    /// # Errors
    /// SQLite cannot read the file, or a file cannot be written.
    pub fn export(&self, folder: &Path, format: Format) -> Result<Vec<PathBuf>, HistoryError> {
        let rows = self.rows().map_err(self.failed())?;
        let tables = [
            (RUNS, texts(&rows.runs, format)),
            (BACKENDS, texts(&rows.backends, format)),
            (RESULTS, texts(&rows.results, format)),
            (USES, texts(&rows.uses, format)),
            (LATENCIES, texts(&rows.latencies, format)),
        ];
        let mut files = Vec::new();
        for (name, text) in tables {
            let name = format!("{name}.{}", format.extension());
            let text = text.map_err(|problem| HistoryError::Import {
                path: folder.join(&name),
                problem,
            })?;
            files.push(replace_in(folder, name, &text)?);
        }
        Ok(files)
    }

    fn rows(&self) -> rusqlite::Result<Rows> {
        Ok(Rows {
            runs: self.all(
                "SELECT digest, started, release, policy, tolerances, harness, machine, label, selection FROM run ORDER BY started, id",
                [],
                |row| {
                    Ok(RunRow {
                        run: row.get(0)?,
                        started: row.get(1)?,
                        release: row.get(2)?,
                        policy: row.get(3)?,
                        tolerances: row.get(4)?,
                        harness: row.get(5)?,
                        machine: row.get(6)?,
                        label: row.get(7)?,
                        selection: row.get(8)?,
                    })
                },
            )?,
            backends: self.all(
                "SELECT run.digest, name, kind, version, options, wall_s FROM backend JOIN run ON run.id = backend.run ORDER BY backend.id",
                [],
                |row| {
                    Ok(BackendRow {
                        run: row.get(0)?,
                        backend: row.get(1)?,
                        kind: row.get(2)?,
                        version: row.get(3)?,
                        options: row.get(4)?,
                        wall_s: row.get(5)?,
                    })
                },
            )?,
            results: self.all(
                "SELECT run.digest, backend.name, test.name, verdict.name, reason.text, level.name, max_ulp FROM result
                 JOIN backend ON backend.id = result.backend JOIN run ON run.id = backend.run JOIN test ON test.id = result.test
                 JOIN verdict ON verdict.id = result.verdict LEFT JOIN reason ON reason.id = result.reason
                 LEFT JOIN level ON level.id = result.level ORDER BY result.backend, result.test",
                [],
                |row| {
                    let ulp: Option<f64> = row.get(6)?;
                    Ok(ResultRow {
                        run: row.get(0)?,
                        backend: row.get(1)?,
                        test: row.get(2)?,
                        verdict: row.get(3)?,
                        reason: row.get(4)?,
                        level: row.get(5)?,
                        max_ulp: ulp.filter(|ulp| ulp.is_finite()),
                        infinite: ulp.is_some_and(f64::is_infinite),
                    })
                },
            )?,
            uses: self.all(
                "SELECT test.name, operator.name, about FROM uses JOIN test ON test.id = uses.test
                 JOIN operator ON operator.id = uses.operator ORDER BY test.name, operator.name",
                [],
                |row| {
                    Ok(UseRow {
                        test: row.get(0)?,
                        operator: row.get(1)?,
                        about: row.get(2)?,
                    })
                },
            )?,
            latencies: self.all(
                "SELECT run.digest, backend.name, model, threads, setting, median_ns FROM latency
                 JOIN backend ON backend.id = latency.backend JOIN run ON run.id = backend.run
                 ORDER BY latency.backend, model, threads, setting",
                [],
                |row| {
                    Ok(LatencyRow {
                        run: row.get(0)?,
                        backend: row.get(1)?,
                        model: row.get(2)?,
                        threads: row.get(3)?,
                        setting: row.get(4)?,
                        median_ns: row.get(5)?,
                    })
                },
            )?,
        })
    }

    fn all<T>(
        &self,
        text: &str,
        parameters: impl Params,
        row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        self.connection
            .prepare(text)?
            .query_map(parameters, row)?
            .collect()
    }
}

fn texts<T: Serialize>(rows: &[T], format: Format) -> Result<Vec<u8>, String> {
    match format {
        Format::JsonLines => {
            let mut bytes = Vec::new();
            for row in rows {
                serde_json::to_writer(&mut bytes, row).map_err(|error| error.to_string())?;
                bytes.push(b'\n');
            }
            Ok(bytes)
        }
        Format::Csv => {
            let mut writer = csv::Writer::from_writer(Vec::new());
            for row in rows {
                writer.serialize(row).map_err(|error| error.to_string())?;
            }
            let bytes = writer.into_inner().map_err(|error| error.to_string())?;
            let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
            Ok(harmless(&text)?.into_bytes())
        }
    }
}

/// The first characters of a formula in a spreadsheet.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// The same table without formulas. A field that starts with an apostrophe gets another one, so that it
/// can be read back.
fn harmless(text: &str) -> Result<String, String> {
    convert(text, |field| {
        if field.starts_with(FORMULA) && field.parse::<f64>().is_err() || field.starts_with('\'') {
            format!("'{field}")
        } else {
            field.to_owned()
        }
    })
}

/// The inverse of [`harmless`].
fn as_it_was(text: &str) -> Result<String, String> {
    convert(text, |field| field.strip_prefix('\'').unwrap_or(field).to_owned())
}

fn convert(text: &str, field: impl Fn(&str) -> String) -> Result<String, String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        writer
            .write_record(record.iter().map(&field))
            .map_err(|error| error.to_string())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

fn read<T: DeserializeOwned>(folder: &Path, name: &str, format: Format) -> Result<Vec<T>, HistoryError> {
    let path = folder.join(format!("{name}.{}", format.extension()));
    let failed = |problem: String| HistoryError::Import {
        path: path.clone(),
        problem: one_line(&problem).into_owned(),
    };
    let text = read_text(&path, MAX_TABLE).map_err(|error| failed(error.to_string()))?;
    match format {
        Format::JsonLines => {
            let line = |(line, number): (&str, usize)| {
                serde_json::from_str(line).map_err(|error| failed(format!("line {number}: {error}")))
            };
            text.lines().zip(1..).map(line).collect()
        }
        Format::Csv => {
            let text = as_it_was(&text).map_err(&failed)?;
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let rows = reader.deserialize();
            rows.map(|row| row.map_err(|error| failed(error.to_string())))
                .collect()
        }
    }
}
