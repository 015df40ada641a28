//! `diff`: compares two runs.

use std::path::{Path, PathBuf};
use std::thread;

use clap::{Args, ValueEnum};
use harness_console::{info, note, outln};
use reports::render;
use run_record::diff::{ChangeKind, Diff};
use run_record::{Report, replace_in};

use super::{CliError, Exit};

/// Compare two runs: regressed and fixed cases, changed answers or accuracy, added and removed cases.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask diff old-report conformance-report\n  \
    cargo xtask diff old-report conformance-report --fail-on regressed,less_accurate\n  \
    cargo xtask diff old-report conformance-report --all\n  \
    cargo xtask diff old-report conformance-report --format json > diff.json\n  \
    cargo xtask diff old-report conformance-report --out diff-report\n\n\
    Backends are matched by name; if a name differs, by their adapter. A case is the same if it has the same id in a corpus \
    that both runs have.\n\n\
    Exit codes: 0 no change of the kinds of --fail-on; 1 some; 2 usage, or a folder without a run; 4 no backend or no case in common; \
    5 the later run is incomplete; 73 a file or stdout cannot be written.")]
pub struct DiffRuns {
    /// The folder of the earlier run (`--out` of `conformance`).
    #[arg(value_name = "BEFORE")]
    before: PathBuf,
    /// The folder of the later run.
    #[arg(value_name = "AFTER")]
    after: PathBuf,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// List every change in text and Markdown, not only the first of each kind.
    #[arg(long)]
    all: bool,
    /// Also write diff.html, diff.md and diff.json to this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The kinds of change for which the exit code is 1, separated by commas; `none` for no kind.
    #[arg(long, value_name = "KINDS", value_delimiter = ',', default_value = "regressed,gone", value_parser = parse_kind)]
    fail_on: Vec<Option<ChangeKind>>,
}

/// An output format.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// For people.
    Text,
    /// For the summary of a CI job.
    Markdown,
    /// An HTML page.
    Html,
    /// For programs: one object, versioned.
    Json,
}

/// A kind of change, by its word or its key in JSON; `None` for `none`.
fn parse_kind(text: &str) -> Result<Option<ChangeKind>, String> {
    let kind = ChangeKind::ALL
        .into_iter()
        .find(|kind| kind.word() == text || kind.key() == text);
    match (kind, text) {
        (Some(kind), _) => Ok(Some(kind)),
        (None, "none") => Ok(None),
        (None, _) => Err(format!(
            "`{text}` is not a kind of change: expected none, {}",
            ChangeKind::ALL.map(ChangeKind::word).join(", ")
        )),
    }
}

impl DiffRuns {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (before, after) = read_both(&self.before, &self.after)?;
        let diff = Diff::of(&before, &after);
        let text = match self.format {
            Format::Text => render::diff_text(&diff, self.all),
            Format::Markdown => render::diff_markdown(&diff, self.all)?,
            Format::Html => render::diff_html(&diff)?,
            Format::Json => render::diff_json(&diff)?,
        };
        outln(format_args!("{}", text.trim_end()))?;
        if let Some(folder) = &self.out {
            write(&diff, self.all, folder)?;
        }
        Ok(self.exit(&diff))
    }

    fn exit(&self, diff: &Diff) -> Exit {
        let compared: u64 = diff.backends.iter().map(|backend| backend.compared).sum();
        if !diff.after.complete {
            note(format_args!(
                "error: the later run is incomplete; resume it by --resume"
            ));
            return Exit::Incomplete;
        }
        if compared == 0 {
            note(format_args!(
                "error: the runs have no backend or no case in common"
            ));
            return Exit::NoCases;
        }
        let named = self.fail_on.iter().flatten();
        match named.map(|kind| diff.count(*kind)).sum() {
            0_u64 => Exit::Passed,
            _ => Exit::Regression,
        }
    }
}

fn write(diff: &Diff, all: bool, folder: &Path) -> Result<(), CliError> {
    let files = [
        ("diff.html", render::diff_html(diff)?),
        ("diff.md", render::diff_markdown(diff, all)?),
        ("diff.json", render::diff_json(diff)?),
    ];
    for (name, text) in files {
        let path = replace_in(folder, name, text.as_bytes())?;
        info(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

/// Both runs. Logs of all releases are large, so they are read in parallel.
fn read_both(before: &Path, after: &Path) -> Result<(Report, Report), CliError> {
    let (first, second) = thread::scope(|scope| {
        let first = scope.spawn(|| Report::read(before));
        let second = Report::read(after);
        (first.join(), second)
    });
    let first = first.map_err(|_| CliError::Panicked)?;
    Ok((first?, second?))
}
