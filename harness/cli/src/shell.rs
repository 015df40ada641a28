//! `completions` and `man`: shell completions and manual pages, made from the definitions of the
//! commands.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::Shell;
use harness_console::outln;
use run_record::replace_in;

use super::{CliError, Command, Exit};

/// The program in completions and pages; `cargo xtask` has the same commands.
const PROGRAM: &str = "onnx-conformance";

/// Write the completions of a shell to stdout.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    onnx-conformance completions bash > ~/.local/share/bash-completion/completions/onnx-conformance\n  \
    onnx-conformance completions zsh > ~/.zfunc/_onnx-conformance\n\n\
    Exit codes: 0 written; 2 usage; 73 stdout cannot be written.")]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Write a manual page for the program and one for each command.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    onnx-conformance man ~/.local/share/man/man1\n\n\
    Exit codes: 0 written; 2 usage; 73 a file cannot be written.")]
pub struct Man {
    /// The folder for the pages.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

fn program() -> clap::Command {
    let program = clap::Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .about("Conformance and latency of ONNX backends");
    let program = super::Global::augment_args(program);
    Command::augment_subcommands(program.subcommand_required(true))
}

impl Completions {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program(), PROGRAM, &mut script);
        outln(format_args!("{}", String::from_utf8_lossy(&script).trim_end()))?;
        Ok(Exit::Passed)
    }
}

impl Man {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let mut program = program().disable_help_subcommand(true);
        program.build();
        for command in std::iter::once(&program).chain(program.get_subcommands()) {
            let manual = clap_mangen::Man::new(command.clone());
            let name = manual.get_filename();
            let mut page = Vec::new();
            // Writing to memory does not fail.
            let written = manual.render(&mut page);
            written.map_err(|source| run_record::WriteError {
                path: self.folder.join(&name),
                source,
            })?;
            let path = replace_in(&self.folder, name, &page)?;
            harness_console::info(format_args!("wrote {}", path.display()));
        }
        Ok(Exit::Passed)
    }
}
