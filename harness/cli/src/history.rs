//! `history`: stores the results of many runs in one file.

mod rows;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use harness_console::{info, note, outln};
use harness_history::exchange::Format as Tables;
use harness_history::{History, HistoryError, Rows, SCHEMA};
use reports::render::{RenderError, history_html, history_svg};
use run_record::replace;
use run_record::text::counted;
use serde::Serialize;

use self::rows::{bad_rows, change_rows, place_rows, summary_rows};

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
    cargo xtask history show --changes --last 500\n  \
    cargo xtask history page history.html --picture history.svg\n  \
    cargo xtask history export tables --format csv\n  \
    cargo xtask history scoreboard results\n\n\
    A count is compared with that of the run before, however few runs there are. A change of a duration or latency needs three runs on \
    each side.\n\n\
    Exit codes: 0 done, also if there is nothing to show; 2 usage, a file that is not a history, or a folder without a run; 4 the history \
    has no such backend, operator or case; 5 a run is incomplete; \
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
    /// Show runs over time, a case over time, change points, or the versions with which cases
    /// started to fail.
    Show(Show),
    /// Write a page: change points, first bad versions, and every series as a sparkline.
    Page(Page),
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

/// What is on the page.
#[derive(Args, Debug)]
struct Page {
    /// The file of the page.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only of this backend: its name in reports, or what it calls itself.
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
    /// Count only the cases about this operator: `Softmax`, or `Softmax-13`.
    #[arg(long, value_name = "OPERATOR")]
    operator: Option<String>,
    /// Look at so many runs, the newest.
    #[arg(long, value_name = "N", default_value = "500")]
    last: u32,
    /// Write the counts of passed cases over the runs as a picture (SVG) to this file, and beside it as PNG.
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
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
    /// Show the change points of the last N runs: where a count, a duration or a latency shifted.
    #[arg(long, conflicts_with_all = ["case", "first_bad"])]
    changes: bool,
    /// Show at most this number of results, the newest; with --changes, this number of runs.
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
            Action::Page(page) => page.execute(&History::open(&self.history)?),
            Action::Export { folder, format } => {
                let format = match format {
                    Format::Jsonl => Tables::JsonLines,
                    Format::Csv => Tables::Csv,
                };
                wrote(&History::open(&self.history)?.export(folder, format)?);
                Ok(Exit::Passed)
            }
            Action::Import { folder } => {
                let rows = Rows::of_tables(folder)?;
                let added = History::create(&self.history)?.add(&rows)?;
                outln(format_args!(
                    "{} added, {} already in the file",
                    counted(added.runs, "run"),
                    added.known
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
    // What cannot be read leaves no new file behind.
    let rows = |run: &PathBuf| Rows::of_run(run, label);
    let all: Vec<Rows> = runs.iter().map(rows).collect::<Result<_, _>>()?;
    let mut history = History::create(file)?;
    for (run, rows) in runs.iter().zip(&all) {
        let added = history.add(rows)?;
        let words = match added.runs {
            0 => "is already in the file".to_owned(),
            _ if added.latencies > 0 => {
                format!(
                    "{} added, and of latencies {}",
                    counted(added.results, "result"),
                    added.latencies
                )
            }
            _ => format!("{} added", counted(added.results, "result")),
        };
        outln(format_args!("{}: {words}", run.display()))?;
    }
    let (count, newest) = history.extent()?;
    info(format_args!(
        "{} has {}; the newest began {}",
        file.display(),
        counted(count, "run"),
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

/// Fails if the history does not have what is asked for.
fn expect(history: &History, backend: Option<&str>, operator: Option<&str>) -> Result<(), CliError> {
    backend.map(|name| history.expect_backend(name)).transpose()?;
    operator.map(|name| history.expect_operator(name)).transpose()?;
    Ok(())
}

impl Page {
    fn execute(&self, history: &History) -> Result<Exit, CliError> {
        expect(history, self.backend.as_deref(), self.operator.as_deref())?;
        let trends = history.trends(self.backend.as_deref(), self.operator.as_deref(), self.last)?;
        if trends.trends.is_empty() {
            return Ok(found(false));
        }
        replace(&self.file, history_html(&trends)?.as_bytes())?;
        wrote(std::slice::from_ref(&self.file));
        if let Some(picture) = &self.picture {
            replace(picture, history_svg(&trends)?.as_bytes())?;
            wrote(std::slice::from_ref(picture));
        }
        Ok(Exit::Passed)
    }
}

impl Show {
    fn execute(&self, history: &History) -> Result<Exit, CliError> {
        let (backend, operator) = (self.backend.as_deref(), self.operator.as_deref());
        expect(history, backend, operator)?;
        if let (true, Some(name)) = (self.first_bad, backend) {
            let nothing = "no case fails in the newest version that passed in an older one";
            return self.write(&history.first_bad(name)?, bad_rows, nothing);
        }
        if let Some(case) = &self.case {
            let places = history.timeline(case, backend)?;
            if places.is_empty() {
                return Err(HistoryError::Case { name: case.clone() }.into());
            }
            return self.write(&places, place_rows, "");
        }
        if self.changes {
            let trends = history.trends(backend, operator, self.last)?;
            let nothing = format!(
                "no change in {}; a change of a duration or latency needs three runs on each side",
                counted(trends.runs, "run")
            );
            return self.write(&trends.changes(), change_rows, &nothing);
        }
        let summaries = history.summaries(backend, operator, self.last)?;
        let exit = self.write(&summaries, summary_rows, "the history has no runs")?;
        if self.format == Shown::Text {
            let changes = history.trends(backend, operator, self.last)?.changes();
            for line in columns("  ", &change_rows(&changes))
                .iter()
                .filter(|_| !changes.is_empty())
            {
                outln(format_args!("{line}"))?;
            }
        }
        Ok(exit)
    }

    /// Prints items, or that there are none.
    fn write<T: Serialize>(
        &self,
        items: &[T],
        rows: fn(&[T]) -> Vec<Vec<String>>,
        nothing: &str,
    ) -> Result<Exit, CliError> {
        match self.format {
            Shown::Json => {
                let text = run_record::shown::to_json(&items).map_err(RenderError::from)?;
                outln(format_args!("{text}"))?;
            }
            Shown::Text if items.is_empty() => note(format_args!("{nothing}")),
            Shown::Text => {
                for line in columns("", &rows(items)) {
                    outln(format_args!("{line}"))?;
                }
            }
        }
        Ok(Exit::Passed)
    }
}
