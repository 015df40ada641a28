//! Terminal output of the program: results to stdout, everything else to stderr.
//!
//! A result that cannot be written is an error. A note that cannot be written is dropped, so that it does
//! not affect the result. No other code of the program prints.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::fmt::Arguments;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use anstream::AutoStream;
use run_record::Look;
use run_record::shown;

mod progress;

pub use progress::{Meter, Progress, Teller};

/// Results cannot be written to stdout.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output: {0}")]
pub struct OutputError(#[source] io::Error);

/// Set when the reader of stdout has closed it, like `head` does.
static READER_GONE: AtomicBool = AtomicBool::new(false);

/// Writes a line of a command's result, without colours if stdout does not show them. Hidden characters in
/// it, as those of a name in a file, are escaped.
///
/// # Errors
/// Stdout cannot be written, for example because the disk is full. A reader that has closed stdout is not
/// an error.
pub fn outln(line: Arguments<'_>) -> Result<(), OutputError> {
    if READER_GONE.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut stdout = AutoStream::auto(io::stdout().lock());
    let line = line.to_string();
    match writeln!(stdout, "{}", shown::styled(&line)).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            READER_GONE.store(true, Ordering::Relaxed);
            Ok(())
        }
        written => written.map_err(OutputError),
    }
}

/// Writes a line to stderr: progress, written files, errors. Control characters in it are escaped.
pub fn note(line: Arguments<'_>) {
    // In one write, so that lines of several threads or processes do not mix.
    let line = format!("{}\n", shown::lines(&line.to_string()));
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Like [`note`], but not with `--quiet`.
pub fn info(line: Arguments<'_>) {
    if verbosity() != Verbosity::Quiet {
        note(line);
    }
}

/// How much is written in addition to results and errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verbosity {
    /// Nothing.
    Quiet,
    /// Progress and written files.
    Normal,
    /// Also each result that is not a pass.
    Verbose,
}

/// Whether results are coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// If stdout is a terminal and `NO_COLOR` is not set.
    Auto,
    Always,
    Never,
}

static VERBOSITY: AtomicU8 = AtomicU8::new(Verbosity::Normal as u8);

/// Sets the verbosity for all later output.
pub fn set_verbosity(verbosity: Verbosity) {
    VERBOSITY.store(verbosity as u8, Ordering::Relaxed);
}

fn verbosity() -> Verbosity {
    let known = [Verbosity::Quiet, Verbosity::Verbose];
    let set = VERBOSITY.load(Ordering::Relaxed);
    let found = known.into_iter().find(|verbosity| *verbosity as u8 == set);
    found.unwrap_or(Verbosity::Normal)
}

/// Sets the colours for all later output.
pub fn set_colour(colour: Colour) {
    match colour {
        Colour::Auto => anstream::ColorChoice::Auto,
        Colour::Always => anstream::ColorChoice::Always,
        Colour::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// The capabilities of stdout and the user's choice of colours.
pub fn look() -> Look {
    match (anstream::ColorChoice::global(), io::stdout().is_terminal()) {
        (anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi, _) => Look::Colour,
        (anstream::ColorChoice::Never, true) => Look::Lines,
        (anstream::ColorChoice::Never, false) => Look::Plain,
        (anstream::ColorChoice::Auto, _) => Look::of(&io::stdout()),
    }
}

/// How progress is shown: a bar if stderr is a terminal, otherwise lines.
pub fn progress() -> Progress {
    match (verbosity(), io::stderr().is_terminal()) {
        (Verbosity::Quiet, _) => Progress::Silent,
        (Verbosity::Normal | Verbosity::Verbose, true) => Progress::Bar,
        (Verbosity::Normal | Verbosity::Verbose, false) => Progress::Plain,
    }
}
