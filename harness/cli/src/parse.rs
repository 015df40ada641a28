//! The command line, read; what clap has to say goes the way of all output.

use std::io::ErrorKind;

use std::process::ExitCode;

use clap::Parser;
use harness_console::note;
use harness_investigate::replay::Replay;

use super::Exit;

/// The command line as `C` describes it.
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
    C::try_parse().map_err(|error| {
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
