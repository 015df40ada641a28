//! The command line, read; what clap has to say goes the way of all output.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser;
use harness_console::note;
use harness_investigate::replay::Replay;

use super::Exit;
use super::config::{self, ConfigError, ConfigFile};

/// The command line with what the environment and the configuration file add.
fn with_settings<C: Parser>() -> Result<Vec<OsString>, ConfigError> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let file = ConfigFile::nearest()?;
    config::expand(words, &C::command(), file.as_ref(), &|name| {
        std::env::var(name).ok()
    })
}

/// The command line as `C` describes it, with the options that the environment and the configuration file give.
///
/// # Errors
/// The exit code where there is nothing to do: 0 after help or a version, 2 after a mistake in the arguments, 73 where the
/// help cannot be written.
pub fn parse<C: Parser>() -> Result<C, Exit> {
    // Only the harness starts this program with options of a worker: it is the one that gives stored outputs.
    if std::env::args_os().nth(1).is_some_and(|first| first == "--opt") {
        let served = backend_api::serve(Replay::from_options) == ExitCode::SUCCESS;
        return Err(if served { Exit::Passed } else { Exit::Internal });
    }
    let words = with_settings::<C>().map_err(|error| {
        note(format_args!("error: {error}"));
        Exit::Usage
    })?;
    C::try_parse_from(words).map_err(|error| {
        let printed = error.print();
        match (error.use_stderr(), printed) {
            (true, _) => Exit::Usage,
            (false, Err(failure)) if failure.kind() != ErrorKind::BrokenPipe => {
                note(format_args!("error: cannot write to standard output: {failure}"));
                Exit::CannotWrite
            }
            (false, _) => Exit::Passed,
        }
    })
}
