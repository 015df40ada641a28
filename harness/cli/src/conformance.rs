//! `conformance`: runs test cases on backends.

use std::path::PathBuf;

use clap::Args;
use harness_conformance::run::{Earlier, Shard, ShardError};
use harness_console::{info, look, note, outln};
use harness_history::History;
use harness_worker::Cancel;
use reports::{View, render, write_all};
use run_record::Report;
use run_record::diff::Diff;
use run_record::sums::Sums;

use super::export::{ExportForm, export};
use super::fail_on::FailOn;
use super::generated::Generating;
use super::judging::Bounds;
use super::list::{ListFormat, list};
use super::models::Models;
use super::provider;
use super::rulings::rule;
use super::running::{RunExtent, run_cases, select};
use super::selection::Cases;
use super::workers::Backends;
use super::{CliError, Exit, outcome, rejections};

/// Run backends over test cases in isolated workers, compare, and write reports.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask conformance\n  \
    cargo xtask conformance --backend ort:optimization=disable --filter softmax\n  \
    cargo xtask conformance --backend 'cmd:./my-worker --flag' --cases ./my-cases\n  \
    cargo xtask conformance --policy bound\n  \
    cargo xtask conformance --filter softmax --list\n  \
    cargo xtask conformance --filter onnx-1.22.0/node/test_dft --export cases\n  \
    cargo xtask conformance --variants --backend native\n  \
    cargo xtask conformance --backend ort --retries 3\n  \
    cargo xtask conformance --backend my-npu --fail-on wrong,crash\n  \
    cargo xtask conformance --history onnx-history.sqlite\n  \
    cargo xtask conformance --backend ort --accumulation sums/populations.json\n  \
    cargo xtask conformance --provider-profile webgpu.toml --filter '*/node/*'\n  \
    cargo xtask conformance --shard 2/8 --out shard-2\n  \
    cargo xtask conformance --generated=5000 --policy bound --backend native\n  \
    cargo xtask conformance --generated=5000 --policy bound --backend ort --rulings\n  \
    cargo xtask conformance --contrib --policy bound --backend ort --backend rten\n  \
    cargo xtask conformance --rejections --backend ort --backend native\n  \
    cargo xtask conformance --generated-graphs=2000 --generated-seed 7 --policy bound --backend native\n\n\
    A PATTERN is a complete case id, a glob over it (*?[{), or a word that the id contains.\n\n\
    Exit codes: 0 done; 1 a backend is below its floor or has a verdict of --fail-on; 2 usage; 4 no case, a case that cannot be read, or corpus below its \
    pinned count; 5 incomplete (use --resume); 6 a backend is missing; 9 the reference disagrees with stored outputs; \
    73 a report or stdout cannot be written.")]
pub struct Conformance {
    #[command(flatten)]
    cases: Cases,
    #[command(flatten)]
    generating: Generating,
    #[command(flatten)]
    backends: Backends,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    models: Models,
    /// Run models that must be refused instead: at least one for each rule of the checker, and rules of
    /// operators. Counts the models that each backend refuses and accepts wrongly; exit 1 if one is
    /// accepted wrongly.
    #[arg(long, conflicts_with_all = ["cases", "release", "own", "corpus", "filters", "generated", "generated_graphs", "contrib", "variants", "list", "resume", "shard"])]
    rejections: bool,
    /// List the selected cases on stdout and run nothing.
    #[arg(long, value_name = "FORMAT", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    list: Option<ListFormat>,
    /// Write the files of the selected cases to this folder, each case to a folder of its own in the
    /// official layout, and run nothing. `locate`, `reduce` and `compare` accept such a folder.
    #[arg(long, value_name = "DIR", conflicts_with = "list")]
    export: Option<PathBuf>,
    /// The form of exported cases. `--cases` reads both: a case as JSON text keeps its id.
    #[arg(long, value_name = "FORM", value_enum, default_value_t, requires = "export")]
    export_as: ExportForm,
    /// End the run at the first wrong or missing answer (exit 1); the remaining cases are reported as
    /// not run.
    #[arg(long, conflicts_with = "resume")]
    fail_fast: bool,
    /// Repeat each case with a wrong or missing answer up to N times. A case with different verdicts is
    /// flaky, which is a verdict of its own and not a pass.
    #[arg(long, value_name = "N", default_value = "0", conflicts_with = "fail_fast")]
    retries: u32,
    /// The folder for the log and the reports.
    #[arg(long, value_name = "DIR", default_value = "conformance-report")]
    out: PathBuf,
    /// Resume the interrupted run in the same folder. It must have the same cases, backends and policy.
    #[arg(long)]
    resume: bool,
    /// Discard an interrupted run in the same folder; with --resume, only if it is another run.
    #[arg(long)]
    force: bool,
    /// Run only this part of the cases, as one of several jobs: K/N, or without a value according to the
    /// variables of GitLab, Bazel, Slurm or Kubernetes. `merge` makes one report of all parts.
    #[arg(long, value_name = "K/N", num_args = 0..=1, default_missing_value = FROM_VARIABLES, value_parser = parse_shard)]
    shard: Option<Shard>,
    /// Report the changes since the run in this folder. Default: the complete run in --out, if there is
    /// one.
    #[arg(long, value_name = "DIR")]
    since: Option<PathBuf>,
    /// Show on the page of cases the verdicts of each case in the runs of this history (`history add`).
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Show on the front page how the backends add: a populations.json of `accumulation --out`.
    #[arg(long, alias = "populations", value_name = "FILE")]
    accumulation: Option<PathBuf>,
    /// Judge the run also by what an execution provider claims (docs/providers.md): each case is PASS,
    /// UNSUPPORTED, FAIL, EXCLUDED or NOT_RUN in `provider-results.json`; exit 1 for a FAIL. The default
    /// backend is that of the profile.
    #[arg(long, value_name = "FILE")]
    provider_profile: Option<PathBuf>,
    /// Fail (exit 1) if a backend passes fewer cases than this (repeatable).
    #[arg(long = "floor", value_name = "BACKEND=N", value_parser = parse_floor)]
    floors: Vec<(String, u64)>,
    /// Fail (exit 1) if a backend has a verdict of these kinds, separated by commas: `wrong`, `broken`, or
    /// the name of a verdict in results.csv (mismatch, unsupported, crash, …).
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
}

/// The value of `--shard` without a value.
const FROM_VARIABLES: &str = "";

fn parse_shard(text: &str) -> Result<Shard, ShardError> {
    match text {
        FROM_VARIABLES => Shard::from_variables(|name| std::env::var(name).ok()),
        text => text.parse(),
    }
}

pub(super) fn parse_floor(text: &str) -> Result<(String, u64), String> {
    // The text of a backend may contain `=`, the number cannot.
    let (backend, count) = text
        .rsplit_once('=')
        .ok_or("expected BACKEND=N, as in ort=1722")?;
    let count = count
        .parse()
        .map_err(|_| format!("`{count}` is not a number of cases"))?;
    Ok((backend.to_owned(), count))
}

impl Conformance {
    pub(super) fn execute(mut self) -> Result<Exit, CliError> {
        self.backends.bounds = self.bounds;
        let earlier = Earlier {
            resume: self.resume,
            force: self.force,
        };
        if self.rejections {
            return rejections::run(&self.backends);
        }
        self.check_floors()?;
        let profile = self
            .provider_profile
            .as_deref()
            .map(|path| provider::load(path, &mut self.backends))
            .transpose()?;
        if self.list.is_some() || self.export.is_some() {
            let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
            let mut selected = select(&self.cases, &self.generating, &self.backends, &cancel)?.selection;
            if let Some(shard) = self.shard {
                shard.share(&mut selected.cases, &mut selected.defects);
            }
            return match (&self.export, self.list) {
                (Some(folder), _) => export(&selected, folder, self.export_as),
                (None, format) => list(&selected, format.unwrap_or_default()),
            };
        }
        let before = self.before()?;
        let history = self.history.as_deref().map(History::open).transpose()?;
        let sums = self.accumulation.as_deref().map(Sums::read).transpose()?;
        let report = run_cases(
            &self.cases,
            &self.generating,
            &self.backends,
            &self.models,
            (&self.out, earlier),
            RunExtent {
                shard: self.shard,
                fail_fast: self.fail_fast,
                retries: self.retries,
            },
        )?;
        let view = View {
            since: before.map(|before| Diff::of(&before, &report)),
            past: history.map(|history| history.past(&report)).transpose()?,
            sums,
            ..View::from(report)
        };
        let report = &view;
        let written = write_all(report, &self.out);
        for table in [
            render::terminal(report, look()),
            render::release_table(report, look()),
            render::model_table(report, look()),
        ] {
            if !table.is_empty() {
                outln(format_args!("{table}"))?;
            }
        }
        for line in outcome::few_failures(report) {
            outln(format_args!("{line}"))?;
        }
        for file in written? {
            info(format_args!("wrote {}", file.display()));
        }
        if self.fail_fast && outcome::any_failure(report) {
            note(format_args!(
                "error: the run ended at its first failure (--fail-fast)"
            ));
            return Ok(Exit::Regression);
        }
        let exit = outcome::exit(report, &self.floors, &self.fail_on);
        let exit = match &profile {
            Some(profile) => provider::judge(report, profile, &self.out, exit)?,
            None => exit,
        };
        if exit == Exit::Incomplete {
            note(format_args!("--resume runs the missing cases"));
        }
        match (self.generating.rulings, self.generating.generated) {
            (true, Some(most)) => {
                let ruled = rule(report, (self.generating.generated_seed, most), &self.out)?;
                // An incomplete run takes precedence over its results.
                Ok(if exit == Exit::Passed { ruled } else { exit })
            }
            _ => Ok(exit),
        }
    }

    /// The run with which this one is compared: the named one, which must be readable, or else a
    /// complete one that this run replaces.
    fn before(&self) -> Result<Option<Report>, CliError> {
        match &self.since {
            Some(folder) => Ok(Some(Report::read(folder)?)),
            None if self.resume => Ok(None),
            None => Ok(Report::read(&self.out).ok().filter(|report| report.complete)),
        }
    }

    /// The floor of a backend that is not run cannot be reached.
    fn check_floors(&self) -> Result<(), CliError> {
        let named = |name: &String| {
            self.backends
                .backends
                .iter()
                .any(|backend| backend.name() == name)
        };
        match self.floors.iter().find(|(name, _)| !named(name)) {
            None => Ok(()),
            Some((name, _)) => Err(CliError::Usage(format!(
                "--floor names `{name}`, which is not among the backends: {}",
                self.backends.shown()
            ))),
        }
    }
}
