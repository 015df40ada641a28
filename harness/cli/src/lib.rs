//! The command line: parses arguments, calls the library, and returns an exit code.
//!
//! Results go to stdout, everything else to stderr. `cargo xtask` and the program
//! `onnx-conformance` share these commands.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod accumulation;
mod ambiguities;
mod arguments;
mod backends;
mod bench;
mod bisect;
mod case_subject;
mod check;
mod clock;
mod columns;
mod compare;
mod config;
mod conformance;
mod coverage;
mod diff;
mod error;
mod exhaustive;
mod exit;
mod export;
mod fail_on;
mod failing;
mod fetch;
mod files;
mod format;
mod gate;
mod generated;
mod global;
mod help;
mod history;
mod hub;
mod inputs;
mod judging;
mod keep;
mod kit;
mod limits;
mod list;
mod locate;
mod matrix;
mod merge;
mod models;
mod mutate;
mod outcome;
mod parse;
mod parting;
mod power;
mod profile;
mod provider;
mod randomize;
mod reduce;
mod rejections;
mod repeat;
mod rulings;
mod running;
pub mod schemas;
mod selection;
mod shell;
mod statement;
mod system;
mod tolerance;
mod trust;
mod unreadable;
mod upgrade;
mod variants;
mod workers;

use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::Subcommand;
use harness_console::note;

pub use config::ConfigFile;
pub use error::CliError;
pub use exit::Exit;
pub use global::Global;
pub use parse::{Parsed, parse};

/// The commands of the harness.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Download the pinned corpora and runtimes to the cache.
    Fetch(fetch::Fetch),
    /// Check models against the specification without running them.
    Check(check::Check),
    /// Run models on backends and show which answers are right.
    Compare(compare::Compare),
    /// Run backends over test cases and write reports.
    Conformance(conformance::Conformance),
    /// Show what test cases exercise of the specification, and what they do not.
    Coverage(coverage::Coverage),
    /// Find the first node of a model that is wrong on a backend.
    Locate(locate::Locate),
    /// List the available backends, or ask one for its capabilities.
    Backends(backends::Backends),
    /// Show the options of the environment and of onnx-conformance.toml.
    Config(config::Config),
    /// Make one report from the runs of several shards.
    Merge(merge::Merge),
    /// Find the value of a backend's option at which its answer becomes wrong.
    Bisect(bisect::Bisect),
    /// Convert a model to a newer opset, and verify that its outputs are the same.
    Upgrade(upgrade::Upgrade),
    /// Reduce a model to the smallest one that fails in the same way on a backend.
    Reduce(reduce::Reduce),
    /// Make an archive that runs the suite on another machine, without a checkout and without network.
    Kit(kit::Kit),
    /// Store a reduced model as a regression case.
    Keep(keep::Keep),
    /// Measure latencies and write reports.
    Bench(bench::Bench),
    /// Measure how long backends take for each node of a model.
    Profile(profile::Profile),
    /// Compare every input of narrow formats with correct rounding.
    Exhaustive(exhaustive::Exhaustive),
    /// Compare a backend with its baseline; decide a release.
    Gate(gate::Gate),
    /// Compare two runs: regressed, fixed and changed cases.
    Diff(diff::DiffRuns),
    /// Store the results of many runs in one file, and show trends.
    History(history::Histories),
    /// Test the comparison by planted faults.
    Mutate(mutate::Mutate),
    /// Measure the judge of `compare` on honest answers and planted faults.
    Power(power::Power),
    /// Test the sums of backends by the bias and the spread of their errors.
    #[command(alias = "populations")]
    Accumulation(accumulation::Accumulation),
    /// Show the open questions of the specification, and how backends answer them.
    #[command(alias = "readings")]
    Ambiguities(ambiguities::Ambiguities),
    /// Write the light models with random weights as cases.
    Randomize(randomize::Randomize),
    /// Write the completions of a shell.
    Completions(shell::Completions),
    /// Write the manual pages.
    Man(shell::Man),
    /// Write the results of a backend as a package that others can check, or check one.
    Statement(statement::Statement),
    /// List the policies for differences, or add a rule.
    Tolerance(tolerance::Tolerance),
}

impl Command {
    /// Whether the command starts workers: those of the backends on its command line, and the reference,
    /// which computes expected outputs and the bounds of rounding errors.
    pub fn starts_workers(&self) -> bool {
        match self {
            Command::Check(command) => command.asks(),
            Command::Ambiguities(command) => command.asks(),
            Command::Statement(command) => command.repeats(),
            Command::Completions(_)
            | Command::Config(_)
            | Command::Diff(_)
            | Command::Fetch(_)
            | Command::History(_)
            | Command::Man(_)
            | Command::Merge(_)
            | Command::Tolerance(_) => false,
            _ => true,
        }
    }

    /// Executes the command and returns the exit code; an error is written to stderr.
    pub fn execute(self) -> Exit {
        let outcome = system::survive_large_files()
            .map_err(CliError::Signals)
            .and_then(|()| {
                catch_unwind(AssertUnwindSafe(|| self.dispatch())).unwrap_or(Err(CliError::Panicked))
            });
        outcome.unwrap_or_else(|error| {
            note(format_args!("error: {error}"));
            error.exit()
        })
    }

    fn dispatch(self) -> Result<Exit, CliError> {
        match self {
            Command::Fetch(command) => command.execute(),
            Command::Check(command) => command.execute(),
            Command::Compare(command) => command.execute(),
            Command::Conformance(command) => command.execute(),
            Command::Coverage(command) => command.execute(),
            Command::Locate(command) => command.execute(),
            Command::Backends(command) => command.execute(),
            Command::Config(command) => command.execute(&Command::augment_subcommands(clap::Command::new(
                "onnx-conformance",
            ))),
            Command::Merge(command) => command.execute(),
            Command::Bisect(command) => command.execute(),
            Command::Reduce(command) => command.execute(),
            Command::Keep(command) => command.execute(),
            Command::Kit(command) => command.execute(),
            Command::Bench(command) => command.execute(),
            Command::Exhaustive(command) => command.execute(),
            Command::Gate(command) => command.execute(),
            Command::Completions(command) => command.execute(),
            Command::Diff(command) => command.execute(),
            Command::History(command) => command.execute(),
            Command::Man(command) => command.execute(),
            Command::Mutate(command) => command.execute(),
            Command::Accumulation(command) => command.execute(),
            Command::Power(command) => command.execute(),
            Command::Profile(command) => command.execute(),
            Command::Randomize(command) => command.execute(),
            Command::Ambiguities(command) => command.execute(),
            Command::Statement(command) => command.execute(),
            Command::Tolerance(command) => command.execute(),
            Command::Upgrade(command) => command.execute(),
        }
    }
}
