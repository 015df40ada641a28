//! What the program writes to its terminal: results to stdout, everything else to stderr.
//!
//! A result that cannot be written is an error; a note that cannot be written is lost, for it must not cost a result. Nothing
//! else in the program prints.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::fmt::Arguments;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::AutoStream;
use reports::render::Look;
use reports::shown;

mod progress;

pub use progress::{Meter, Progress};

/// Results cannot be written to stdout.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output: {0}")]
pub struct OutputError(#[source] io::Error);

/// Set when the reader of stdout has gone away, as `head` does: it wants no more of it.
static READER_GONE: AtomicBool = AtomicBool::new(false);

/// Writes a line of a command's result, without colours where stdout shows none.
///
/// # Errors
/// A stdout that takes nothing any more, on a full disk for example. A reader that has gone away is no error.
pub fn outln(line: Arguments<'_>) -> Result<(), OutputError> {
    if READER_GONE.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut stdout = AutoStream::auto(io::stdout().lock());
    match writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            READER_GONE.store(true, Ordering::Relaxed);
            Ok(())
        }
        written => written.map_err(OutputError),
    }
}

/// Writes a line to stderr: what goes on, what was written, why something failed. What it cites cannot command the terminal.
pub fn note(line: Arguments<'_>) {
    // In one piece, so that the lines of several threads or processes do not mix.
    let line = format!("{}\n", shown::lines(&line.to_string()));
    let _ = io::stderr().write_all(line.as_bytes());
}

/// What stdout can show.
pub fn look() -> Look {
    Look::of(&io::stdout())
}

/// How progress is shown: a bar if stderr is a terminal, else lines.
pub fn progress() -> Progress {
    match io::stderr().is_terminal() {
        true => Progress::Bar,
        false => Progress::Plain,
    }
}
