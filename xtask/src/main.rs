//! `cargo xtask`: the project's chores. Thin: each command calls the crate that does the work.

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use harness::cli::Exit;

mod generate;
mod index;
mod repo;
mod versions;

/// Chores of onnx-conformance.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Harness(Box<harness::cli::Command>),
    /// Write the checked-in files that are made from something else.
    #[command(subcommand)]
    Generate(Generate),
    /// Check what holds of the whole repository: layers, generated lists, lengths of files, forbidden text.
    Repo,
}

#[derive(Subcommand)]
enum Generate {
    /// The table of operator versions, from the pinned `onnx` Python package.
    Schema {
        /// Compare only; fail if a file differs.
        #[arg(long)]
        check: bool,
    },
    /// The list of operator versions that the official cases of all pinned releases exercise; fetches those releases.
    Versions {
        /// Compare only; fail if the list differs.
        #[arg(long)]
        check: bool,
    },
    /// The list of files in the `mod.rs` of each chapter of operators.
    Index {
        /// Compare only; fail if a file differs.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Harness(command) => harness(*command),
        Command::Generate(what) => generate(what),
        Command::Repo => repository(),
    }
}

fn repository() -> ExitCode {
    match repo::check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
        Ok(faults) if faults.is_empty() => ExitCode::SUCCESS,
        Ok(faults) => {
            faults.iter().for_each(|fault| eprintln!("{fault}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the workers first: they lie beside this program.
fn harness(command: harness::cli::Command) -> ExitCode {
    if let Err(error) = onnx_tests::workers::build(&command.backends()) {
        eprintln!("error: {error}");
        return Exit::BackendMissing.into();
    }
    command.execute().into()
}

fn generate(what: Generate) -> ExitCode {
    let (outcome, check) = match what {
        Generate::Schema { check } => (generate::schema(check).map_err(|error| error.to_string()), check),
        Generate::Versions { check } => (
            versions::generate(check).map_err(|error| error.to_string()),
            check,
        ),
        Generate::Index { check } => {
            let operators = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reference/operators/src");
            (
                index::generate(&operators, check).map_err(|error| error.to_string()),
                check,
            )
        }
    };
    match outcome {
        Ok(files) => {
            let verb = if check { "differs" } else { "written" };
            files
                .iter()
                .for_each(|file| eprintln!("{verb}: {}", file.display()));
            if check && !files.is_empty() {
                ExitCode::FAILURE
            } else {
                ExitCode::SUCCESS
            }
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
