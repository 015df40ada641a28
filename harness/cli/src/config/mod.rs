//! Options that are not on the command line: from environment variables and from a configuration file.
//!
//! An option on the command line takes precedence, then the variable `ONNX_CONFORMANCE_<OPTION>`, then
//! the file `onnx-conformance.toml` of the working folder or of the nearest parent folder, if it is the
//! user's or allowed ([`FoundFile`]). Their values
//! are inserted into the command line before it is parsed, so that every option of every command can be
//! given in each of the three ways, and a value is checked in one place.

mod file;
mod schema;
mod show;
mod trust;

use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use harness_console::note;
use harness_worker::BackendArg;
use harness_worker::backend::is_built_in;
use run_record::shown::one_line;

pub use file::{ConfigError, ConfigFile, FoundFile, NAME};
pub(crate) use schema::Configuration;
pub use show::Config;

use crate::bench::Against;

/// The prefix of variables.
const PREFIX: &str = "ONNX_CONFORMANCE_";

/// The variable with the bytes of external data that are held in memory for one model.
const RESIDENT: &str = "ONNX_CONFORMANCE_RESIDENT_BYTES";

/// Variables with this prefix that are no options.
const OTHER_VARIABLES: [&str; 10] = [
    file::VARIABLE,
    "ONNX_CONFORMANCE_CACHE",
    "ONNX_CONFORMANCE_FD_IN",
    "ONNX_CONFORMANCE_FD_OUT",
    "ONNX_CONFORMANCE_LOG",
    "ONNX_CONFORMANCE_PROGRAM",
    "ONNX_CONFORMANCE_PYTHON",
    "ONNX_CONFORMANCE_STORE",
    RESIDENT,
    "ONNX_CONFORMANCE_STORE_BYTES",
];

/// The source of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// A variable of the environment.
    Variable(String),
    /// The configuration file.
    File,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Variable(name) => f.write_str(name),
            Source::File => f.write_str(NAME),
        }
    }
}

/// An option of a command that is not on the command line, with its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The option, without dashes.
    pub option: String,
    /// Its values, at least one.
    pub values: Vec<String>,
    /// Their source.
    pub source: Source,
}

/// A command line with the options of variables and the file.
#[derive(Debug)]
pub struct Expanded {
    /// The words.
    pub words: Vec<OsString>,
    /// A line for each program that is started because of the file.
    pub started: Vec<String>,
}

/// The variables with the prefix that are neither an option of any command nor another known one.
pub fn unknown_variables(root: &Command, names: impl Iterator<Item = String>) -> Vec<String> {
    let options = |command: &Command| -> Vec<String> {
        let options = command.get_arguments().filter_map(Arg::get_long);
        options.map(variable_of).collect()
    };
    let known: Vec<String> = root.get_subcommands().flat_map(options).collect();
    let mut unknown: Vec<String> = names
        .filter(|name| name.starts_with(PREFIX))
        .filter(|name| !known.contains(name) && !OTHER_VARIABLES.contains(&name.as_str()))
        .collect();
    unknown.sort();
    unknown
}

/// Checks the variables with a number that are no options.
///
/// # Errors
/// The value is another text.
pub fn check_variables(variable: &impl Fn(&str) -> Option<String>) -> Result<(), ConfigError> {
    match variable(RESIDENT) {
        Some(value) if value.parse::<u64>().is_err() => Err(ConfigError::Variable {
            name: RESIDENT,
            value,
        }),
        _ => Ok(()),
    }
}

/// The variable of an option.
fn variable_of(option: &str) -> String {
    format!("{PREFIX}{}", option.replace('-', "_").to_uppercase())
}

/// The backends of the file that a command starts, by name; each is named on stderr.
///
/// # Errors
/// The file cannot be used.
pub fn started_backends(starts: &impl Fn(&str) -> bool) -> Result<BTreeMap<String, BackendArg>, ConfigError> {
    let Some(file) = ConfigFile::used()? else {
        return Ok(BTreeMap::new());
    };
    let mut backends = file.backends.clone();
    backends.retain(|name, _| starts(name));
    for (name, backend) in &backends {
        note(format_args!("{}", started(&file, name, backend)));
    }
    Ok(backends)
}

/// The line that names a backend of the file.
fn started(file: &ConfigFile, name: &str, backend: &BackendArg) -> String {
    let line = format!("{}: backend `{name}` is `{backend}`", file.path.display());
    one_line(&line).into_owned()
}

/// The options of `command` in variables or the file, whether or not they are on the command line.
///
/// # Errors
/// A table or a key of the file does not name a command or an option.
pub fn settings(
    command: &Command,
    file: Option<&ConfigFile>,
    variable: &impl Fn(&str) -> Option<String>,
) -> Vec<Setting> {
    let in_file = |arg: &Arg, option: &str| {
        let file = file?;
        let values = file.commands.get(command.get_name())?.get(option)?;
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let value = |value: &String| {
            if is_path {
                folder.join(value).display().to_string()
            } else {
                value.clone()
            }
        };
        Some(values.iter().map(value).collect())
    };
    let setting = |arg: &Arg| {
        let option = arg.get_long()?;
        let name = variable_of(option);
        let (values, source) = match variable(&name) {
            Some(value) => (vec![value], Source::Variable(name)),
            None => (in_file(arg, option)?, Source::File),
        };
        Some(Setting {
            option: option.to_owned(),
            values,
            source,
        })
    };
    command.get_arguments().filter_map(setting).collect()
}

/// Fails if the file names a command or an option that `root` does not have.
///
/// # Errors
/// The first unknown name.
pub fn check(root: &Command, file: &ConfigFile) -> Result<(), ConfigError> {
    let unknown = |what: String| ConfigError::Unknown {
        path: file.path.clone(),
        what,
    };
    for (name, options) in &file.commands {
        let command = root.find_subcommand(name);
        let command = command.ok_or_else(|| unknown(format!("command `{name}`")))?;
        for option in options.keys() {
            let known = command.get_arguments().any(|arg| arg.get_long() == Some(option));
            if !known {
                return Err(unknown(format!("option `--{option}` of `{name}`")));
            }
        }
    }
    Ok(())
}

/// The command line with the additional options of variables and the file. Names of backends are
/// replaced by those of the file.
///
/// # Errors
/// The file has an unknown name, or gives the name of a backend of this program to another one.
pub fn expand(
    words: Vec<OsString>,
    root: &Command,
    file: Option<&ConfigFile>,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<Expanded, ConfigError> {
    if let Some(file) = file {
        check(root, file)?;
    }
    // The program, the command, and its arguments.
    let command = words.get(1).and_then(|name| root.find_subcommand(name));
    let Some(command) = command else {
        return Ok(Expanded {
            words,
            started: Vec::new(),
        });
    };
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let is_typed = |option: &str| {
        let (alone, joined) = (format!("--{option}"), format!("--{option}="));
        let mut typed = words.iter().take(end).filter_map(|word| word.to_str());
        typed.any(|word| word == alone || word.starts_with(&joined))
    };
    let (mut added, mut started) = (Vec::new(), Vec::new());
    for setting in settings(command, file, variable) {
        if is_typed(&setting.option) || conflicts(command, &setting.option, &is_typed) {
            continue;
        }
        if let (Source::File, Some(file), true) =
            (&setting.source, file, takes_backend(command, &setting.option))
        {
            started.extend(programs(&setting, file)?);
        }
        added.extend(arguments(command, &setting));
    }
    let mut expanded: Vec<OsString> = words.iter().take(2).cloned().collect();
    expanded.extend(added.into_iter().map(OsString::from));
    expanded.extend(words.into_iter().skip(2));
    if let Some(file) = file {
        expanded = with_backends(command, expanded, file, &mut started);
    }
    started.dedup();
    Ok(Expanded {
        words: expanded,
        started,
    })
}

/// A line for each value of the file that starts a program other than an installed worker, or lets one load
/// a library.
///
/// # Errors
/// A value gives the name of a backend of this program to another one.
fn programs(setting: &Setting, file: &ConfigFile) -> Result<Vec<String>, ConfigError> {
    let mut lines = Vec::new();
    for value in &setting.values {
        // A malformed value is refused when the command line is parsed.
        let Ok(backend) = value.parse::<BackendArg>() else {
            continue;
        };
        let taken = backend
            .alias()
            .filter(|name| is_built_in(name) && backend.worker() != Some(name));
        if let Some(name) = taken {
            return Err(ConfigError::BuiltIn {
                path: file.path.clone(),
                name: name.to_owned(),
            });
        }
        let line = format!("{}: --{}={value}", file.path.display(), setting.option);
        lines.extend(backend.starts_program().then(|| one_line(&line).into_owned()));
    }
    Ok(lines)
}

/// Whether an argument conflicts with the option.
fn conflicts(command: &Command, option: &str, is_typed: &impl Fn(&str) -> bool) -> bool {
    let mut arguments = command.get_arguments();
    let Some(arg) = arguments.find(|arg| arg.get_long() == Some(option)) else {
        return false;
    };
    let others = command.get_arg_conflicts_with(arg).into_iter();
    others.filter_map(Arg::get_long).any(is_typed)
}

/// An option as arguments. A switch has no value if its value is `true` or empty.
fn arguments(command: &Command, setting: &Setting) -> Vec<String> {
    let mut known = command.get_arguments();
    let arg = known.find(|arg| arg.get_long() == Some(&setting.option));
    let is_switch = arg.is_some_and(|arg| matches!(arg.get_action(), ArgAction::SetTrue));
    let word = format!("--{}", setting.option);
    match (is_switch, setting.values.as_slice()) {
        (true, [value]) if matches!(value.as_str(), "" | "true" | "1") => vec![word],
        (true, [value]) if matches!(value.as_str(), "false" | "0") => Vec::new(),
        (_, values) => values.iter().map(|value| format!("{word}={value}")).collect(),
    }
}

/// Whether the values of an option are backends.
fn takes_backend(command: &Command, option: &str) -> bool {
    let mut known = command.get_arguments();
    let arg = known.find(|arg| arg.get_long() == Some(option));
    let types = [TypeId::of::<BackendArg>(), TypeId::of::<Against>()];
    arg.is_some_and(|arg| types.iter().any(|of| arg.get_value_parser().type_id() == *of))
}

/// The command of these words, or the one below it that they name.
fn innermost<'c>(command: &'c Command, words: &[OsString]) -> &'c Command {
    let below = |command: &'c Command, word: &OsString| command.find_subcommand(word).unwrap_or(command);
    words.iter().fold(command, below)
}

/// Replaces each backend name of the file by its text, and adds a line for it.
fn with_backends(
    command: &Command,
    words: Vec<OsString>,
    file: &ConfigFile,
    lines: &mut Vec<String>,
) -> Vec<OsString> {
    let command = innermost(command, &words);
    let is_option = |word: &str| {
        word.strip_prefix("--")
            .is_some_and(|name| takes_backend(command, name))
    };
    let joined = |text: &str| {
        let (option, name) = text.split_once('=')?;
        is_option(option).then(|| (option.to_owned(), name.to_owned()))
    };
    let mut named = |name: &str| {
        let backend = file.backends.get(name)?;
        lines.push(started(file, name, backend));
        // The name in the file takes precedence over an alias there.
        Some(backend.clone().named(name).to_string())
    };
    let mut after = false;
    let mut expanded = Vec::with_capacity(words.len());
    for word in words {
        let text = word.to_str().unwrap_or_default();
        let new = match (after, joined(text)) {
            (true, _) => named(text),
            (false, Some((option, name))) => named(&name).map(|backend| format!("{option}={backend}")),
            (false, None) => None,
        };
        after = is_option(text);
        expanded.push(new.map_or(word, OsString::from));
    }
    expanded
}

#[cfg(test)]
mod tests;
