//! What the program writes to its terminal: results to stdout, everything else to stderr.
//!
//! A result that cannot be written is an error; a note that cannot be written is lost, for it must not cost a result. Nothing
//! else in the program prints.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::fmt::Arguments;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

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

/// A note that a person who wants nothing but results and errors does not get.
pub fn info(line: Arguments<'_>) {
    if verbosity() != Verbosity::Quiet {
        note(line);
    }
}

/// How much is said beside results and errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verbosity {
    /// Nothing.
    Quiet,
    /// Progress, and what was written.
    Normal,
    /// Also each result that is no pass.
    Verbose,
}

/// Whether results are coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Where stdout is a terminal and `NO_COLOR` is not set.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

static VERBOSITY: AtomicU8 = AtomicU8::new(Verbosity::Normal as u8);

/// Sets how much is said from now on.
pub fn set_verbosity(verbosity: Verbosity) {
    VERBOSITY.store(verbosity as u8, Ordering::Relaxed);
}

fn verbosity() -> Verbosity {
    let known = [Verbosity::Quiet, Verbosity::Verbose];
    let set = VERBOSITY.load(Ordering::Relaxed);
    let found = known.into_iter().find(|verbosity| *verbosity as u8 == set);
    found.unwrap_or(Verbosity::Normal)
}

/// Sets whether results are coloured from now on.
pub fn set_colour(colour: Colour) {
    match colour {
        Colour::Auto => anstream::ColorChoice::Auto,
        Colour::Always => anstream::ColorChoice::Always,
        Colour::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// What stdout can show, and the user wants.
pub fn look() -> Look {
    match (anstream::ColorChoice::global(), io::stdout().is_terminal()) {
        (anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi, _) => Look::Colour,
        (anstream::ColorChoice::Never, true) => Look::Lines,
        (anstream::ColorChoice::Never, false) => Look::Plain,
        (anstream::ColorChoice::Auto, _) => Look::of(&io::stdout()),
    }
}

/// How progress is shown: a bar if stderr is a terminal, else lines.
pub fn progress() -> Progress {
    match (verbosity(), io::stderr().is_terminal()) {
        (Verbosity::Quiet, _) => Progress::Silent,
        (Verbosity::Normal | Verbosity::Verbose, true) => Progress::Bar,
        (Verbosity::Normal | Verbosity::Verbose, false) => Progress::Plain,
    }
}
