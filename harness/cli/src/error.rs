//! Errors of commands and their exit codes.

use harness_bench::gate::SavedError;
use harness_bench::{ExportError, SweepError};
use harness_compare::policy::PolicyError;
use harness_conformance::coverage::ImplementedError;
use harness_conformance::gate::BaselineError;
use harness_conformance::generated::GenerateError;
use harness_conformance::merge::MergeError;
use harness_conformance::provider::ProviderProfileError;
use harness_conformance::rulings::RulingsError;
use harness_conformance::run::{DirectoryError, RunError};
use harness_console::OutputError;
use harness_corpus::errata::ErrataError;
use harness_corpus::own::OwnError;
use harness_corpus::readings::ReadingsError;
use harness_corpus::{CaseDefect, CorpusError};
use harness_fetch::hub::HubError;
use harness_fetch::locale::LocaleError;
use harness_fetch::{FetchError, PinError};
use harness_history::HistoryError;
use harness_investigate::InvestigateError;
use harness_investigate::runner::RunnerError;
use harness_lab::exhaustive::JournalError;
use harness_profile::ProfileError;
use harness_statement::{KeyError, PackageError};
use harness_worker::StartError;
use harness_worker::backend::BackendTextError;
use onnx_upgrade::UpgradeError;
use reports::ReportError;
use reports::render::RenderError;
use run_record::LogError;
use run_record::WriteError;
use run_record::sums::SumsError;

use super::Exit;
use super::config::ConfigError;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error(transparent)]
    Own(#[from] OwnError),
    #[error(transparent)]
    Pin(#[from] PinError),
    #[error(transparent)]
    BackendText(#[from] BackendTextError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Sums(#[from] SumsError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Implemented(#[from] ImplementedError),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error(transparent)]
    Errata(#[from] ErrataError),
    #[error(transparent)]
    Readings(#[from] ReadingsError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Rulings(#[from] RulingsError),
    #[error("cannot create a folder for the run: {0}")]
    Folder(#[source] std::io::Error),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    ProviderProfile(#[from] ProviderProfileError),
    #[error(transparent)]
    Locale(#[from] LocaleError),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(transparent)]
    Investigate(#[from] InvestigateError),
    /// A worker cannot be started again, or the command is interrupted.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error(transparent)]
    Sweep(#[from] SweepError),
    #[error(transparent)]
    Saved(#[from] SavedError),
    #[error("no model `{name}`: there is no such file or folder, and the light models are {known}")]
    UnknownModel { name: String, known: String },
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Package(#[from] PackageError),
    #[error(transparent)]
    Upgrade(#[from] UpgradeError),
    #[error("no case can be run: {}", reasons(.0))]
    NothingToRun(Vec<CaseDefect>),
    #[error(
        "interrupted before the first case: this run did not begin, and an earlier run in its folder is unchanged \
         (--resume continues one that was interrupted)"
    )]
    NotBegun,
    #[error("cannot listen for signals: {0}")]
    Signals(#[source] std::io::Error),
    #[error("internal error, described in the lines above: please report it")]
    Panicked,
    #[error("{0}")]
    Usage(String),
}

impl CliError {
    /// The exit code for this error.
    pub fn exit(&self) -> Exit {
        match self {
            CliError::Corpus(error) | CliError::Generate(GenerateError::Corpus(error)) => corpus(error),
            CliError::Fetch(error) | CliError::Pin(PinError::Fetch(error)) => fetched(error),
            CliError::Pin(PinError::Corpus(error)) => corpus(error),
            CliError::NothingToRun(_) => Exit::NoCases,
            CliError::NotBegun => Exit::Incomplete,
            CliError::History(error) => history(error),
            CliError::Investigate(error) => investigate(error),
            CliError::Runner(error) | CliError::Profile(ProfileError::Runner(error)) => runner(error),
            CliError::Profile(ProfileError::Naming(_)) => Exit::Usage,
            CliError::Baseline(BaselineError::Write(_)) | CliError::Policy(PolicyError::Write(_)) => {
                Exit::CannotWrite
            }
            CliError::Upgrade(UpgradeError::NoAdapter(_) | UpgradeError::Broken(_)) => Exit::Regression,
            CliError::Upgrade(_)
            | CliError::Pin(_)
            | CliError::Errata(_)
            | CliError::Baseline(_)
            | CliError::Policy(_)
            | CliError::ProviderProfile(_)
            | CliError::Sweep(_)
            | CliError::Sums(_)
            | CliError::Saved(_)
            | CliError::UnknownModel { .. }
            | CliError::Key(_)
            | CliError::Usage(_) => Exit::Usage,
            CliError::Package(PackageError::Incomplete) => Exit::Incomplete,
            CliError::Package(PackageError::Log(error)) => log(error),
            CliError::Package(PackageError::Write(_)) => Exit::CannotWrite,
            CliError::Package(_) => Exit::Usage,
            CliError::BackendText(error) if error.is_missing() => Exit::BackendMissing,
            CliError::BackendText(_) => Exit::Usage,
            CliError::Start(error)
            | CliError::Export(ExportError::Start(error))
            | CliError::Implemented(ImplementedError::Start(error))
            | CliError::Generate(GenerateError::Witness(error))
            | CliError::Run(RunError::Backend(error)) => start(error),
            CliError::Run(RunError::ReferenceLost) => Exit::Incomplete,
            CliError::Locale(LocaleError::Cache { .. }) => Exit::CannotWrite,
            CliError::Implemented(_)
            | CliError::Locale(_)
            | CliError::Export(ExportError::Subject { .. })
            | CliError::Run(RunError::NoBackend) => Exit::BackendMissing,
            CliError::Log(error)
            | CliError::Merge(MergeError::Log(error))
            | CliError::Directory(DirectoryError::Log(error))
            | CliError::Run(RunError::Log(error)) => log(error),
            CliError::Directory(DirectoryError::Lock { .. })
            | CliError::Write(_)
            | CliError::Report(ReportError::Write(_))
            | CliError::Output(_)
            | CliError::Export(ExportError::Write(_)) => Exit::CannotWrite,
            CliError::Directory(_) | CliError::Merge(_) | CliError::Config(_) => Exit::Usage,
            CliError::Folder(_) | CliError::Journal(_) => Exit::CannotWrite,
            CliError::Own(_)
            | CliError::Readings(_)
            | CliError::Rulings(_)
            | CliError::Run(RunError::Readings(_))
            | CliError::Panicked
            | CliError::Signals(_)
            | CliError::Render(_)
            | CliError::Report(ReportError::Render { .. }) => Exit::Internal,
        }
    }
}

fn fetched(error: &FetchError) -> Exit {
    match error {
        FetchError::Corpus(error) => corpus(error),
        FetchError::NoArchitectures { .. }
        | FetchError::Hub(HubError::Missing { .. } | HubError::Empty { .. }) => Exit::NoCases,
        _ => Exit::Usage,
    }
}

fn corpus(error: &CorpusError) -> Exit {
    match error {
        CorpusError::BelowFloor { .. } | CorpusError::NoCaseSelected { .. } | CorpusError::NoCases { .. } => {
            Exit::NoCases
        }
        CorpusError::CannotWrite { .. } | CorpusError::Write(_) => Exit::CannotWrite,
        _ => Exit::Usage,
    }
}

fn history(error: &HistoryError) -> Exit {
    match error {
        HistoryError::Log(error) => log(error),
        HistoryError::Incomplete { .. } => Exit::Incomplete,
        HistoryError::Operator { .. } | HistoryError::Backend { .. } | HistoryError::Case { .. } => {
            Exit::NoCases
        }
        HistoryError::Write(_) => Exit::CannotWrite,
        error if error.is_unwritable() => Exit::CannotWrite,
        HistoryError::Database { .. }
        | HistoryError::Endless { .. }
        | HistoryError::Other { .. }
        | HistoryError::Absent { .. }
        | HistoryError::Import { .. } => Exit::Usage,
    }
}

fn runner(error: &RunnerError) -> Exit {
    match error {
        RunnerError::Start(error) => start(error),
        RunnerError::Cancelled => Exit::Incomplete,
    }
}

fn investigate(error: &InvestigateError) -> Exit {
    match error {
        InvestigateError::NoModel { .. }
        | InvestigateError::Defect(_)
        | InvestigateError::Undecided { .. }
        | InvestigateError::NoReference { .. }
        | InvestigateError::NoFailure { .. }
        | InvestigateError::WholeFile { .. }
        | InvestigateError::NotRepeated { .. }
        | InvestigateError::NotACase { .. }
        | InvestigateError::NotKept { .. } => Exit::NoCases,
        InvestigateError::Corpus(error) => corpus(error),
        InvestigateError::Runner(error) => runner(error),
        InvestigateError::Write(_) => Exit::CannotWrite,
        InvestigateError::Read { .. }
        | InvestigateError::Decode(_)
        | InvestigateError::NoOutputs(_)
        | InvestigateError::Case(_)
        | InvestigateError::Input { .. }
        | InvestigateError::NotReduced { .. }
        | InvestigateError::Tensor(_) => Exit::Usage,
    }
}

fn start(error: &StartError) -> Exit {
    match error {
        error if error.is_cancelled() => Exit::Incomplete,
        error if error.is_option() => Exit::Usage,
        _ => Exit::BackendMissing,
    }
}

fn log(error: &LogError) -> Exit {
    match error {
        LogError::Write { .. } => Exit::CannotWrite,
        LogError::Read { .. }
        | LogError::NoHeader { .. }
        | LogError::Format { .. }
        | LogError::Changed { .. }
        | LogError::Line { .. } => Exit::Usage,
    }
}

/// The first few cases with their defects.
fn reasons(defects: &[CaseDefect]) -> String {
    const NAMED: usize = 3;
    let named = defects.iter().take(NAMED);
    let mut text: Vec<String> = named
        .map(|defect| format!("{}: {}", defect.id, defect.kind))
        .collect();
    if defects.len() > NAMED {
        text.push(format!("and {} more", defects.len() - NAMED));
    }
    text.join("; ")
}
