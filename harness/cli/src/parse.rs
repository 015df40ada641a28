//! The command line, read; what clap has to say goes the way of all output.

use std::io::ErrorKind;

use clap::Parser;
use harness_console::note;

use super::Exit;

/// The command line as `C` describes it.
///
/// # Errors
/// The exit code where there is nothing to do: 0 after help or a version, 2 after a mistake in the arguments, 73 where the
/// help cannot be written.
pub fn parse<C: Parser>() -> Result<C, Exit> {
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
