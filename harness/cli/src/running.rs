//! Converts arguments to a run: selects the cases, plans the run, starts the workers, and makes a report
//! from the log.

use std::path::Path;
use std::time::Instant;

use harness_compare::policy::{JUDGE, OFFICIAL};
use harness_conformance::generated::Kind;
use harness_conformance::run::{
    Earlier, Measured, OpenLog, Participants, Plan, RunDirectory, RunError, Shard, digest_of_selection, run,
};
use harness_console::{note, progress};
use harness_corpus::errata::Errata;
use harness_fetch::Lockfile;
use harness_worker::Cancel;
use run_record::Report;
use run_record::text::counted;
use run_record::{Environment, LOG, PolicyUsed, RunStarted};
use time::format_description::well_known::Rfc3339;

use super::CliError;
use super::clock::now;
use super::generated::Generating;
use super::models::Models;
use super::repeat::{command_line, repeat};
use super::selection::{Cases, Selected, fetcher};
use super::workers::Backends;

/// The part of the selected cases that is run.
#[derive(Clone, Copy, Default)]
pub(super) struct RunExtent {
    /// Only this shard.
    pub shard: Option<Shard>,
    /// Whether the run ends at the first failure.
    pub fail_fast: bool,
    /// The number of repetitions of a failing case.
    pub retries: u32,
}

/// Selects and runs the cases, and returns the report. The log is in `out`, where nothing is changed
/// before all arguments are valid and every backend has answered.
pub(super) fn run_cases(
    cases: &Cases,
    generating: &Generating,
    backends: &Backends,
    models: &Models,
    (out, earlier): (&Path, Earlier),
    extent: RunExtent,
) -> Result<Report, CliError> {
    let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
    let judged = generating.judged(backends)?;
    let plan = Plan {
        fail_fast: extent.fail_fast,
        retries: extent.retries,
        ..plan(cases, generating, &judged, models, extent.shard, &cancel)?
    };
    let directory = RunDirectory::take(out)?;
    let participants = Participants::start(&plan, &cancel).map_err(|error| match error {
        RunError::Backend(error) if error.is_cancelled() => CliError::NotBegun,
        error => CliError::Run(error),
    })?;
    let started = plan.started(&participants);
    let log = directory.open_log(&started, earlier)?;
    report_earlier(&log, out);
    Ok(run(&plan, participants, started, log, &cancel, &progress())?)
}

/// The generated or selected cases.
pub(super) fn select(
    cases: &Cases,
    generating: &Generating,
    backends: &Backends,
    cancel: &Cancel,
) -> Result<Selected, CliError> {
    let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
    match generating.select(cases, backends, &lock, &fetcher, cancel)? {
        Some(selected) => Ok(selected),
        None => cases.select(&lock, &fetcher),
    }
}

pub(super) fn plan(
    cases: &Cases,
    generating: &Generating,
    backends: &Backends,
    models: &Models,
    shard: Option<Shard>,
    cancel: &Cancel,
) -> Result<Plan, CliError> {
    let began = Instant::now();
    let default = if models.decide(cases, generating) {
        JUDGE
    } else {
        OFFICIAL
    };
    let options = backends.run_options(default)?;
    let errata = Errata::embedded()?;
    let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
    let Selected {
        mut selection,
        release,
        variants,
    } = select(cases, generating, backends, cancel)?;
    if selection.cases.is_empty() {
        return Err(CliError::NothingToRun(selection.defects));
    }
    let (specs, missing) = backends.specs(&lock, &fetcher)?;
    let selected = digest_of_selection(&selection.cases, &selection.defects);
    let all = selection.cases.len() + selection.defects.len();
    if let Some(shard) = shard {
        shard.share(&mut selection.cases, &mut selection.defects);
    }
    let count = selection.cases.len() + selection.defects.len();
    // One long case has all workers; many short ones share them.
    let parallel = backends.jobs.count().get().div_ceil(selection.cases.len().max(1));
    let noise = models.plan((cases, generating), options.policy.judge, parallel, || {
        backends.reference(&lock, &fetcher)
    })?;
    Ok(Plan {
        selected,
        started: RunStarted {
            shard: shard.map(|shard| shard.record(all as u64)),
            policy: options.policy.used.clone(),
            repeat: repeat(cases, generating, backends, models),
            selection: selected_by(cases, generating),
            ..started(release, count)
        },
        measured: match generating.asked() {
            Some((Kind::Contrib, _)) => Measured::Added,
            None if cases.is_everything() => Measured::Specification,
            _ => Measured::Cases,
        },
        variants,
        cases: selection.cases,
        defects: selection.defects,
        backends: specs,
        missing,
        workers: backends.jobs.count(),
        options,
        reference: backends.bounding(&lock, &fetcher)?,
        noise,
        errata,
        fail_fast: false,
        retries: 0,
        corpus_s: began.elapsed().as_secs_f64(),
    })
}

/// The arguments that select the cases, in one form for one selection.
fn selected_by(cases: &Cases, generating: &Generating) -> String {
    let mut filters = cases.filters.clone();
    filters.sort_unstable();
    filters.dedup();
    let mut words = cases.arguments().and(generating.arguments());
    for filter in filters {
        words = words.option("--filter", Some(filter));
    }
    let variants = cases.variants.as_ref().map(|kinds| {
        let keys: Vec<&str> = kinds.0.iter().map(|kind| kind.key()).collect();
        keys.join(",")
    });
    words.option("--variants", variants).0.join(" ")
}

/// Reports the result for an earlier run in the folder.
pub(super) fn report_earlier(log: &OpenLog, out: &Path) {
    let path = out.join(LOG);
    if let Some(truncated) = log.truncated {
        note(format_args!(
            "line {} of {} was truncated and is removed; its case runs again",
            truncated.line,
            path.display()
        ));
    }
    if log.discarded > 0 {
        note(format_args!(
            "discarded {} of an interrupted run in {}",
            counted(log.discarded, "result"),
            path.display()
        ));
    }
}

/// The start event of a run on `cases` cases of `release`.
pub(super) fn started(release: String, cases: usize) -> RunStarted {
    RunStarted {
        started: now()
            .ok()
            .and_then(|now| now.format(&Rfc3339).ok())
            .unwrap_or_default(),
        release,
        cases: cases as u64,
        command: command_line(),
        environment: Environment::collect(env!("CARGO_PKG_VERSION")),
        policy: PolicyUsed::default(),
        ..RunStarted::default()
    }
}
