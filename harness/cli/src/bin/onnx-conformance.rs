//! The program `onnx-conformance`: the commands of the harness for use without a checkout. Its workers
//! are in the same folder.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use clap::Parser;
use harness_cli::{Global, Parsed, parse};

/// Conformance and latency of ONNX backends.
#[derive(Parser)]
#[command(name = "onnx-conformance", version)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: harness_cli::Command,
}

fn main() -> ExitCode {
    match parse::<Cli>() {
        Ok(Parsed { command: cli, .. }) => {
            cli.global.apply();
            cli.command.execute().into()
        }
        Err(exit) => exit.into(),
    }
}
