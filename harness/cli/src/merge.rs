//! `merge`: merges the runs of shards.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use harness_conformance::merge::{Merged, merge};
use harness_conformance::run::{Earlier, RunDirectory};
use harness_console::{info, look, note, outln};
use harness_history::History;
use reports::{View, render, write_all};
use run_record::Report;
use run_record::sums::Sums;
use run_record::text::counted;
use run_record::{CaseRecord, Event, LOG, RunLog, RunStarted, Verdict};

use super::conformance::parse_floor;
use super::fail_on::FailOn;
use super::{CliError, Exit, outcome};

/// Make one report from the runs of `conformance --shard`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask merge shard-1 shard-2 shard-3 --out conformance-report\n  \
    cargo xtask merge shards/* --floor ort=1726 --history onnx-history.sqlite\n\n\
    The reports are those of one run of all cases, except for times. A shard that is present twice, and shards of different runs \
    (other cases, versions, options, policy), are refused, and so is a folder with a run of which results would be lost.\n\n\
    Exit codes: those of conformance; 2 the folders are not the shards of one run, or the run in --out would be lost; 5 a shard is missing or incomplete.")]
pub struct Merge {
    /// The folders of the runs.
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The folder for the log and the reports.
    #[arg(long, value_name = "DIR", default_value = "conformance-report")]
    out: PathBuf,
    /// Replace the run in --out. An earlier merge of fewer results of the same shards is replaced without it.
    #[arg(long)]
    force: bool,
    /// Show on the page of cases the verdicts of each case in the runs of this history (`history add`).
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Show on the front page how the backends add: a populations.json of `accumulation --out`.
    #[arg(long, alias = "populations", value_name = "FILE")]
    accumulation: Option<PathBuf>,
    /// Fail (exit 1) if a backend passes fewer cases than this (repeatable).
    #[arg(long = "floor", value_name = "BACKEND=N", value_parser = parse_floor)]
    floors: Vec<(String, u64)>,
    /// Fail (exit 1) if a backend has a verdict of these kinds, separated by commas: `wrong`, `broken`, or
    /// the name of a verdict in results.csv (mismatch, unsupported, crash, …).
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
}

impl Merge {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let history = self.history.as_deref().map(History::open).transpose()?;
        let sums = self.accumulation.as_deref().map(Sums::read).transpose()?;
        let Merged { events, missing } = merge(&self.folders)?;
        if !self.force {
            refuse_lost_results(&self.out, &events)?;
        }
        let directory = RunDirectory::take(&self.out)?;
        let mut opened = directory.open_log(&RunStarted::default(), Earlier::REPLACED)?;
        for event in &events {
            opened.log.write(event)?;
        }
        for shard in &missing {
            note(format_args!("error: shard {shard} is missing"));
        }
        let report = Report::fold(events);
        let report = View {
            past: history.map(|history| history.past(&report)).transpose()?,
            sums,
            ..View::from(report)
        };
        let written = write_all(&report, &self.out);
        outln(format_args!("{}", render::terminal(&report, look())))?;
        for file in written? {
            info(format_args!("wrote {}", file.display()));
        }
        let exit = outcome::exit(&report, &self.floors, &self.fail_on);
        if exit == Exit::Incomplete {
            note(format_args!(
                "run each missing shard, end each incomplete one by `conformance --resume`, and merge again"
            ));
        }
        Ok(exit)
    }
}

/// Refuses to replace a run that has a result which the merged one does not have.
fn refuse_lost_results(out: &Path, merged: &[Event]) -> Result<(), CliError> {
    let path = out.join(LOG);
    if !path.exists() {
        return Ok(());
    }
    let known = RunLog::read(&path)?.events;
    // Records with NaN do not equal themselves.
    let text = |record: &CaseRecord| serde_json::to_string(record).unwrap_or_default();
    let merged: HashMap<(&str, &str), &CaseRecord> = results(merged).collect();
    let is_lost = |(key, record): ((&str, &str), &CaseRecord)| {
        merged.get(&key).is_none_or(|other| text(other) != text(record))
    };
    if results(&known).any(is_lost) {
        Err(CliError::Usage(format!(
            "`{}` has a run with {}, not all of which are in the shards: give another --out, or replace the run by --force",
            out.display(),
            counted(results(&known).count(), "result")
        )))
    } else {
        Ok(())
    }
}

/// The results of a run by case and backend.
fn results(events: &[Event]) -> impl Iterator<Item = ((&str, &str), &CaseRecord)> {
    events.iter().filter_map(|event| match event {
        Event::CaseFinished(record) if record.verdict != Verdict::NotRun => {
            Some(((record.case.as_str(), record.backend.as_str()), &**record))
        }
        _ => None,
    })
}
