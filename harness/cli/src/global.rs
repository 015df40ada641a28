//! Arguments that every command takes.

use clap::{Args, ValueEnum};
use harness_console::{Colour, Verbosity};

/// Arguments that every command takes.
#[derive(Args, Clone, Copy, Debug)]
pub struct Global {
    /// Colours on standard output: where it is a terminal and NO_COLOR is not set, or always, or never.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    color: When,
    /// Say nothing but results and errors: no progress, no names of files that were written.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Name each result that is no pass as soon as it is there.
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
    /// Makes them hold for all that is written from now on.
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
