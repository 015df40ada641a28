//! `history`: stores the results of many runs in one file.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use harness_console::{info, note, outln};
use harness_history::exchange::Format as Tables;
use harness_history::{Bad, History, Place, SCHEMA, Summary};
use reports::record::{Outcome, VerdictKind};
use reports::render::RenderError;
use serde::Serialize;

use super::columns::columns;
use super::{CliError, Exit};

/// Store the results of many runs in one SQLite file, and query it: trends, first bad versions, the
/// public scoreboard.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask history add conformance-report\n  \
    cargo xtask history show --backend ort --last 50\n  \
    cargo xtask history show --operator Softmax\n  \
    cargo xtask history show --case node/test_dft --backend ort\n  \
    cargo xtask history show --first-bad --backend ort --format json\n  \
    cargo xtask history export tables --format csv\n  \
    cargo xtask history scoreboard results\n\n\
    Exit codes: 0 done; 2 usage, a file that is not a history, or a folder without a run; 4 nothing was found; 5 a run is incomplete;\n\
    73 a file or stdout cannot be written.")]
pub struct Histories {
    /// The file.
    #[arg(
        long,
        value_name = "FILE",
        default_value = "onnx-history.sqlite",
        global = true
    )]
    history: PathBuf,
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Add runs; runs that are already in the file are not added again.
    Add {
        /// The folders of the runs (`--out` of `conformance`).
        #[arg(value_name = "DIR", required = true)]
        runs: Vec<PathBuf>,
        /// A label for these runs, as in `nightly`.
        #[arg(long, value_name = "TEXT", default_value = "")]
        label: String,
    },
    /// Show runs over time, a case over time, or the versions with which cases started to fail.
    Show(Show),
    /// Write every table to a folder, as JSON lines or CSV; DuckDB reads both.
    Export {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The format.
        #[arg(long, value_enum, default_value_t = Format::Jsonl)]
        format: Format,
    },
    /// Add the runs of exported tables that are not in the file.
    Import {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Write the files of github.com/onnx/backend-scoreboard, one folder per backend.
    Scoreboard {
        /// The folder for these folders.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Only this backend.
        #[arg(long, value_name = "NAME")]
        backend: Option<String>,
    },
    /// Print the tables of the file with the meaning of each column.
    Schema,
}

/// What to show.
#[derive(Args, Debug)]
struct Show {
    /// Only this backend: its name in reports, or the name that it reports.
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
    /// Count only the cases about this operator: `Softmax`, or `Softmax-13`.
    #[arg(long, value_name = "OPERATOR", conflicts_with_all = ["case", "first_bad"])]
    operator: Option<String>,
    /// Show one case over time: its id, with or without its corpus.
    #[arg(long, value_name = "ID", conflicts_with = "first_bad")]
    case: Option<String>,
    /// Show the cases that fail in the newest version of a backend and passed in an older one.
    #[arg(long, requires = "backend")]
    first_bad: bool,
    /// Show at most this number of results, the newest.
    #[arg(long, value_name = "N", default_value = "40")]
    last: u32,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Shown::Text)]
    format: Shown,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// A JSON object on each line.
    Jsonl,
    /// Comma-separated values.
    Csv,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Shown {
    /// For people.
    Text,
    /// For programs: an array of objects.
    Json,
}

impl Histories {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        match &self.action {
            Action::Add { runs, label } => add(&self.history, runs, label),
            Action::Show(show) => show.execute(&History::open(&self.history)?),
            Action::Export { folder, format } => {
                let format = match format {
                    Format::Jsonl => Tables::JsonLines,
                    Format::Csv => Tables::Csv,
                };
                wrote(&History::open(&self.history)?.export(folder, format)?);
                Ok(Exit::Passed)
            }
            Action::Import { folder } => {
                let added = History::create(&self.history)?.import(folder)?;
                outln(format_args!(
                    "{} runs added, {} were already in the file",
                    added.runs, added.known
                ))?;
                Ok(Exit::Passed)
            }
            Action::Scoreboard { folder, backend } => scoreboard(&self.history, folder, backend.as_deref()),
            Action::Schema => {
                outln(format_args!("{}", SCHEMA.trim_end()))?;
                Ok(Exit::Passed)
            }
        }
    }
}

fn add(file: &Path, runs: &[PathBuf], label: &str) -> Result<Exit, CliError> {
    let mut history = History::create(file)?;
    for run in runs {
        let added = history.add(run, label)?;
        let words = match added.runs {
            0 => "is already in the file".to_owned(),
            _ => format!("{} results added", added.results),
        };
        outln(format_args!("{}: {words}", run.display()))?;
    }
    let (count, newest) = history.extent()?;
    info(format_args!(
        "{} has {count} runs; the newest began {}",
        file.display(),
        newest.unwrap_or_default()
    ));
    Ok(Exit::Passed)
}

fn scoreboard(file: &Path, folder: &Path, backend: Option<&str>) -> Result<Exit, CliError> {
    let history = History::open(file)?;
    let mut any = false;
    for name in history.backends()? {
        if backend.is_some_and(|wanted| wanted != name) {
            continue;
        }
        let written = history.scoreboard(&name, &folder.join(reports::render::case_folder(&name)))?;
        any |= !written.is_empty();
        wrote(&written);
    }
    Ok(found(any))
}

fn wrote(files: &[PathBuf]) {
    for file in files {
        info(format_args!("wrote {}", file.display()));
    }
}

/// The exit code of a query.
fn found(any: bool) -> Exit {
    if !any {
        note(format_args!("error: nothing was found"));
    }
    if any { Exit::Passed } else { Exit::NoCases }
}

impl Show {
    fn execute(&self, history: &History) -> Result<Exit, CliError> {
        let backend = self.backend.as_deref();
        if let (true, Some(name)) = (self.first_bad, backend) {
            return self.write(&history.first_bad(name)?, bad_rows);
        }
        if let Some(case) = &self.case {
            return self.write(&history.timeline(case, backend)?, place_rows);
        }
        self.write(
            &history.summaries(backend, self.operator.as_deref(), self.last)?,
            summary_rows,
        )
    }

    fn write<T: Serialize>(&self, items: &[T], rows: fn(&[T]) -> Vec<Vec<String>>) -> Result<Exit, CliError> {
        match self.format {
            Shown::Json => {
                let text = serde_json::to_string_pretty(items).map_err(RenderError::from)?;
                outln(format_args!("{text}"))?;
            }
            Shown::Text => {
                for line in columns("", &rows(items)).iter().filter(|_| !items.is_empty()) {
                    outln(format_args!("{}", line.trim_end()))?;
                }
            }
        }
        Ok(found(!items.is_empty()))
    }
}

fn header(names: &[&str]) -> Vec<Vec<String>> {
    vec![names.iter().map(|&name| name.to_owned()).collect()]
}

fn summary_rows(items: &[Summary]) -> Vec<Vec<String>> {
    let names = [
        "run",
        "release",
        "backend",
        "version",
        "pass",
        "wrong",
        "broken",
        "not supported",
        "broke",
        "fixed",
        "max ULP",
        "label",
    ];
    let mut rows = header(&names);
    let or_dash = |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());
    rows.extend(items.iter().map(|item| {
        vec![
            item.started.clone(),
            item.release.clone(),
            item.backend.clone(),
            item.version.clone(),
            item.verdict(VerdictKind::Pass).to_string(),
            item.count(Outcome::Wrong).to_string(),
            item.count(Outcome::Broken).to_string(),
            item.verdict(VerdictKind::Unsupported).to_string(),
            or_dash(item.broke),
            or_dash(item.fixed),
            item.max_ulp.map_or_else(String::new, |ulp| ulp.to_string()),
            item.label.clone(),
        ]
    }));
    rows
}

/// A line for each sequence of runs with the same verdict.
fn place_rows(items: &[Place]) -> Vec<Vec<String>> {
    let mut rows = header(&[
        "case", "backend", "verdict", "from", "version", "to", "version", "runs", "reason",
    ]);
    let same = |a: &Place, b: &Place| (&a.test, &a.backend, &a.verdict) == (&b.test, &b.backend, &b.verdict);
    for stretch in items.chunk_by(same) {
        let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else {
            continue;
        };
        rows.push(vec![
            first.test.clone(),
            first.backend.clone(),
            first.verdict.clone(),
            first.started.clone(),
            first.version.clone(),
            last.started.clone(),
            last.version.clone(),
            stretch.len().to_string(),
            last.reason.clone().unwrap_or_default(),
        ]);
    }
    rows
}

fn bad_rows(items: &[Bad]) -> Vec<Vec<String>> {
    let mut rows = header(&["case", "last good", "first bad", "verdict", "reason"]);
    rows.extend(items.iter().map(|item| {
        let fields = [
            &item.test,
            &item.last_good,
            &item.first_bad,
            &item.verdict,
            &item.reason,
        ];
        fields.map(String::clone).to_vec()
    }));
    rows
}
