//! `cargo xtask`: development tasks of the project. Each command calls the crate that does the work.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use harness_cli::{Exit, Global, parse};
use harness_console::{note, outln};

mod command;
mod dist;
mod docs;
mod documents;
mod generate;
mod index;
mod repo;
mod schemas;
mod versions;

/// The folder of the JSON Schemas.
const SCHEMAS: &str = "docs/schemas";

/// Development tasks of onnx-conformance.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Harness(Box<harness_cli::Command>),
    /// Write the generated files that are checked in.
    #[command(subcommand)]
    Generate(Generate),
    /// List what the project lacks for operator versions of the table: an implementation, a declaration of
    /// the generator, cells without a case, a bound, a case with independent outputs. Exit code 1 if
    /// there is any. `generate schema` runs it when the table changed.
    Gaps,
    Dist(dist::Dist),
    /// Make a site of the documents in `target/docs`, with mdBook.
    Docs,
    /// Check the repository: layers, features, generated lists, lengths of files, forbidden text.
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
    /// The list of operator versions that the official cases of all pinned releases exercise;
    /// fetches those releases.
    Versions {
        /// Compare only; fail if the list differs.
        #[arg(long)]
        check: bool,
    },
    /// The JSON Schemas of files, documents and messages, from their types.
    Schemas {
        /// Compare only; fail if a file differs.
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
    let parsed = match parse::<Cli>() {
        Ok(parsed) => parsed,
        Err(exit) => return exit.into(),
    };
    parsed.command.global.apply();
    match parsed.command.command {
        Command::Harness(command) => harness(*command, &parsed.workers),
        Command::Generate(what) => generate(what),
        Command::Gaps => gaps(),
        Command::Dist(dist) => package(&dist),
        Command::Docs => site(),
        Command::Repo => repository(),
    }
}

/// Runs `cargo xtask gaps` as a new build, because this program has the old table.
fn list_gaps_of_the_new_table() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    if let Err(error) = std::process::Command::new(cargo).args(["xtask", "gaps"]).status() {
        note(format_args!(
            "run `cargo xtask gaps` for what the new versions lack ({error})"
        ));
    }
}

fn gaps() -> ExitCode {
    let exercised = match onnx_tests::gaps::exercised() {
        Ok(exercised) => exercised,
        Err(error) => {
            note(format_args!("error: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let mut count = 0;
    for schema in onnx_schema::all() {
        for gap in onnx_tests::gaps::gaps(schema, &exercised) {
            count += 1;
            if outln(format_args!("{schema}: {gap}")).is_err() {
                return ExitCode::FAILURE;
            }
        }
    }
    note(format_args!(
        "{count} gaps in {} operator versions",
        onnx_schema::all().count()
    ));
    if count == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The folder of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn package(dist: &dist::Dist) -> ExitCode {
    match dist.execute(&root()) {
        Ok(files) => {
            files
                .iter()
                .for_each(|file| note(format_args!("wrote {}", file.display())));
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(format_args!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn site() -> ExitCode {
    match docs::build(&root()) {
        Ok(folder) => {
            note(format_args!("wrote {}", folder.join("index.html").display()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(format_args!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn repository() -> ExitCode {
    match repo::check(&root()) {
        Ok(faults) if faults.is_empty() => ExitCode::SUCCESS,
        Ok(faults) => {
            faults.iter().for_each(|fault| note(format_args!("{fault}")));
            ExitCode::FAILURE
        }
        Err(error) => {
            note(format_args!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Builds the named workers and the reference first, because they must be beside this program.
fn harness(command: harness_cli::Command, workers: &BTreeSet<String>) -> ExitCode {
    if command.starts_workers() {
        let workers: Vec<&str> = workers.iter().map(String::as_str).chain(["reference"]).collect();
        if let Err(error) = onnx_tests::workers::build(&workers) {
            note(format_args!("error: {error}"));
            return Exit::BackendMissing.into();
        }
    }
    command.execute().into()
}

fn generate(what: Generate) -> ExitCode {
    let (outcome, check) = match what {
        Generate::Schema { check } => {
            let outcome = generate::schema(check).map_err(|error| error.to_string());
            if matches!(&outcome, Ok(files) if !check && !files.is_empty()) {
                list_gaps_of_the_new_table();
            }
            (outcome, check)
        }
        Generate::Versions { check } => (
            versions::generate(check).map_err(|error| error.to_string()),
            check,
        ),
        Generate::Schemas { check } => {
            let folder = root().join(SCHEMAS);
            (
                schemas::generate(&folder, check).map_err(|error| error.to_string()),
                check,
            )
        }
        Generate::Index { check } => {
            let operators = root().join("reference/operators/src");
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
                .for_each(|file| note(format_args!("{verb}: {}", file.display())));
            if check && !files.is_empty() {
                ExitCode::FAILURE
            } else {
                ExitCode::SUCCESS
            }
        }
        Err(message) => {
            note(format_args!("error: {message}"));
            ExitCode::FAILURE
        }
    }
}
