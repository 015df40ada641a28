//! The program `onnx-conformance`: the commands of the harness, for those who have no checkout. Its workers lie beside it.

use std::process::ExitCode;

use clap::Parser;

/// Conformance and latency of ONNX backends.
#[derive(Parser)]
#[command(name = "onnx-conformance", version)]
struct Cli {
    #[command(subcommand)]
    command: harness::cli::Command,
}

fn main() -> ExitCode {
    Cli::parse().command.execute().into()
}
