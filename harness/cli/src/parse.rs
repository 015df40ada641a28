//! Parses the command line; clap's messages use the same output functions as all others.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Command, Parser};
use harness_console::note;
use harness_investigate::replay::Replay;

use super::Exit;
use super::config::{self, ConfigError, ConfigFile};

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
    let without = |name: &OsString| WITHOUT_FILE.iter().any(|known| name == known);
    let file = match words.get(1).is_none_or(without) {
        true => None,
        false => ConfigFile::used()?,
    };
    let expanded = config::expand(words, &root, file.as_ref(), &|name| std::env::var(name).ok())?;
    for started in expanded.started {
        note(format_args!("{started}"));
    }
    Ok(expanded.words)
}

/// The headings of options that several commands have, by the names of their fields.
const HEADINGS: &[(&str, &[&str])] = &[
    (
        "Cases",
        &["release", "cases", "own", "corpus", "variants", "filters"],
    ),
    (
        "Generated cases",
        &[
            "generated",
            "generated_graphs",
            "contrib",
            "generated_seed",
            "rulings",
            "witness",
        ],
    ),
    ("Inputs", &["inputs", "dims", "shapes"]),
    (
        "Judgement",
        &["policy", "tolerances", "no_bounds", "runs", "noise", "trust"],
    ),
    ("Workers", &["jobs", "timeout", "memory", "locale"]),
    ("General options", &["color", "quiet", "verbose"]),
];

/// The command with options under headings, and with examples that name the program that was started: `cargo
/// xtask` builds what they need first.
fn dressed(command: Command) -> Command {
    let heading = |name: &str| HEADINGS.iter().find(|(_, names)| names.contains(&name));
    let command = command.mut_args(|arg| match heading(arg.get_id().as_str()) {
        Some((heading, _)) if !arg.is_positional() => arg.help_heading(*heading),
        _ => arg,
    });
    let named = command
        .get_after_help()
        .map(|text| text.to_string().replace("cargo xtask ", program()));
    let command = match named {
        Some(text) => command.after_help(text),
        None => command,
    };
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    names
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, dressed))
}

/// How a command line of this program begins.
fn program() -> &'static str {
    let started = std::env::args_os().next().map(PathBuf::from);
    match started.is_some_and(|path| path.file_stem().is_some_and(|stem| stem == "xtask")) {
        true => "cargo xtask ",
        false => "onnx-conformance ",
    }
}

/// Parses the command line as `C`, with the options of the environment and the configuration file.
///
/// # Errors
/// The exit code if there is nothing to do: 0 after help or a version, 2 after an error in the
/// arguments, 73 if the help cannot be written.
pub fn parse<C: Parser>() -> Result<C, Exit> {
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
    let parsed = dressed(C::command())
        .try_get_matches_from(words)
        .and_then(|matches| C::from_arg_matches(&matches));
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
