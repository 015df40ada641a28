//! Arguments of every command.

use clap::{Args, ValueEnum};
use harness_console::{Colour, Verbosity};

/// Arguments of every command.
#[derive(Args, Clone, Copy, Debug)]
pub struct Global {
    /// Colours on standard output: auto (if it is a terminal and NO_COLOR is not set), always, or never.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    color: When,
    /// Print only results and errors: no progress, no names of written files.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print each result other than a pass as soon as it is known.
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    Auto,
    Always,
    Never,
}

impl Global {
    /// Applies them to all further output.
    pub fn apply(self) {
        harness_console::set_colour(match self.color {
            When::Auto => Colour::Auto,
            When::Always => Colour::Always,
            When::Never => Colour::Never,
        });
        harness_console::set_verbosity(match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        });
    }
}
