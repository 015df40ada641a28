//! Parses the command line; clap's messages use the same output functions as all others.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;

use clap::{ArgMatches, Parser};
use harness_console::note;
use harness_investigate::replay::Replay;
use harness_worker::BackendArg;

use super::bench::Against;
use super::config::{self, ConfigError, ConfigFile};
use super::{Exit, help};

/// The commands that start nothing and need no options: they also work beside a file that is not allowed.
const WITHOUT_FILE: [&str; 4] = ["config", "completions", "man", "help"];

/// The command line with the additions of the environment and the configuration file.
fn with_settings<C: Parser>() -> Result<Vec<OsString>, ConfigError> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let root = C::command();
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in config::unknown_variables(&root, names) {
        note(format_args!(
            "{name} has no effect: no command has such an option"
        ));
    }
    let variable = |name: &str| std::env::var(name).ok();
    config::check_variables(&variable)?;
    let without = |name: &OsString| WITHOUT_FILE.iter().any(|known| name == known);
    let file = if words.get(1).is_none_or(without) {
        None
    } else {
        ConfigFile::used()?
    };
    let expanded = config::expand(words, &root, file.as_ref(), &variable)?;
    for started in expanded.started {
        note(format_args!("{started}"));
    }
    Ok(expanded.words)
}

/// A command line.
#[derive(Debug)]
pub struct Parsed<C> {
    /// The command.
    pub command: C,
    /// The installed workers that its arguments name, by name.
    pub workers: BTreeSet<String>,
}

/// The installed workers among the values of a command and of those below it.
fn workers(matches: &ArgMatches) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for id in matches.ids() {
        // Values of another type are no backends.
        let backends = matches.try_get_many::<BackendArg>(id.as_str()).ok().flatten();
        let against = matches.try_get_one::<Against>(id.as_str()).ok().flatten();
        let old = against.and_then(|against| match against {
            Against::Backend(backend) => Some(backend),
            Against::Folder(_) => None,
        });
        let named = backends.into_iter().flatten().chain(old);
        found.extend(named.filter_map(BackendArg::worker).map(str::to_owned));
    }
    if let Some((_, below)) = matches.subcommand() {
        found.append(&mut workers(below));
    }
    found
}

/// Parses the command line as `C`, with the options of the environment and the configuration file.
///
/// # Errors
/// The exit code if there is nothing to do: 0 after help or a version, 2 after an error in the
/// arguments, 73 if the help cannot be written.
pub fn parse<C: Parser>() -> Result<Parsed<C>, Exit> {
    // Only the harness starts this program with options of a worker: the worker that answers with stored
    // outputs.
    if std::env::args_os().nth(1).is_some_and(|first| first == "--opt") {
        let served = backend_api::serve(Replay::from_options) == ExitCode::SUCCESS;
        return Err(if served { Exit::Passed } else { Exit::Internal });
    }
    let words = with_settings::<C>().map_err(|error| {
        note(format_args!("error: {error}"));
        Exit::Usage
    })?;
    let parsed = help::dressed(C::command(), None)
        .try_get_matches_from(words)
        .and_then(|matches| {
            Ok(Parsed {
                command: C::from_arg_matches(&matches)?,
                workers: workers(&matches),
            })
        });
    parsed.map_err(|error| {
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
