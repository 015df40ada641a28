//! `keep`: stores a reduced model as a regression case.

use std::path::PathBuf;

use clap::Args;
use harness_console::{note, outln};
use harness_investigate::keep::keep;

use super::{CliError, Exit};

/// Store a reduced model as a regression case, with a report of the fault in Markdown.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask keep reduced --to regressions\n  \
    cargo xtask conformance --cases regressions/cases --policy bound --backend tract\n  \
    cargo xtask gate --cases regressions/cases --policy bound --backend tract --baseline tract.toml --accept 'local/kept/*'\n\n\
    Expected values are those of the reference, and the files state this.\n\n\
    Exit codes: 0 written; 2 a folder that `reduce` did not write; 73 a file cannot be written.")]
pub struct Keep {
    /// The folder that `reduce` wrote.
    #[arg(value_name = "DIR")]
    reduced: PathBuf,
    /// The folder for all regression cases.
    #[arg(long, value_name = "DIR", default_value = "regressions")]
    to: PathBuf,
}

impl Keep {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let kept = keep(&self.reduced, &self.to)?;
        outln(format_args!("{}", kept.id))?;
        for file in kept.files {
            note(format_args!("wrote {}", file.display()));
        }
        note(format_args!(
            "it runs with all other cases of the folder: conformance --cases {} --policy bound",
            kept.cases.display()
        ));
        note(format_args!(
            "a gate knows the failure after: gate --cases {} --policy bound --backend BACKEND --baseline FILE --accept '{}'",
            kept.cases.display(),
            kept.id
        ));
        Ok(Exit::Passed)
    }
}
