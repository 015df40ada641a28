//! Options that are not on the command line: from environment variables and from a configuration file.
//!
//! An option on the command line takes precedence, then the variable `ONNX_CONFORMANCE_<OPTION>`, then
//! the file `onnx-conformance.toml` of the working folder or of the nearest parent folder. Their values
//! are inserted into the command line before it is parsed, so that every option of every command can be
//! given in each of the three ways, and a value is checked in one place.

mod file;
mod show;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

use clap::{Arg, ArgAction, Command};
use harness_worker::backend;

pub use file::{ConfigError, ConfigFile, NAME};
pub use show::Config;

/// The prefix of variables.
const PREFIX: &str = "ONNX_CONFORMANCE_";

/// The options that name a backend. Their values can be names in the file.
const BACKENDS: [&str; 4] = ["--backend", "--against", "--trust", "--on"];

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

/// The options of `command` in variables or the file, whether or not they are on the command line.
///
/// # Errors
/// A table or a key of the file does not name a command or an option.
pub fn settings(
    command: &Command,
    file: Option<&ConfigFile>,
    variable: &impl Fn(&str) -> Option<String>,
) -> Vec<Setting> {
    let options = command.get_arguments().filter_map(Arg::get_long);
    let in_file = |option: &str| file?.commands.get(command.get_name())?.get(option).cloned();
    let setting = |option: &str| {
        let name = format!("{PREFIX}{}", option.replace('-', "_").to_uppercase());
        let (values, source) = match variable(&name) {
            Some(value) => (vec![value], Source::Variable(name)),
            None => (in_file(option)?, Source::File),
        };
        Some(Setting {
            option: option.to_owned(),
            values,
            source,
        })
    };
    options.filter_map(setting).collect()
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
/// The file has an unknown name.
pub fn expand(
    words: Vec<OsString>,
    root: &Command,
    file: Option<&ConfigFile>,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<Vec<OsString>, ConfigError> {
    if let Some(file) = file {
        check(root, file)?;
    }
    // The program, the command, and its arguments.
    let command = words.get(1).and_then(|name| root.find_subcommand(name));
    let Some(command) = command else {
        return Ok(words);
    };
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let is_typed = |option: &str| {
        let (alone, joined) = (format!("--{option}"), format!("--{option}="));
        let mut typed = words.iter().take(end).filter_map(|word| word.to_str());
        typed.any(|word| word == alone || word.starts_with(&joined))
    };
    let mut added = Vec::new();
    for setting in settings(command, file, variable) {
        if is_typed(&setting.option) || conflicts(command, &setting.option, &is_typed) {
            continue;
        }
        added.extend(arguments(command, &setting));
    }
    let mut expanded: Vec<OsString> = words.iter().take(2).cloned().collect();
    expanded.extend(added.into_iter().map(OsString::from));
    expanded.extend(words.into_iter().skip(2));
    let none = BTreeMap::new();
    let backends = file.map_or(&none, |file| &file.backends);
    Ok(with_backends(expanded, backends))
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

/// Replaces each backend name of the file by its text.
fn with_backends(words: Vec<OsString>, backends: &BTreeMap<String, String>) -> Vec<OsString> {
    let joined = |text: &str| {
        let (option, name) = text.split_once('=')?;
        BACKENDS
            .contains(&option)
            .then(|| (option.to_owned(), name.to_owned()))
    };
    let named = |name: &str| {
        let backend = backends.get(name)?;
        // An alias takes precedence over a name in the file.
        let backend = backend::alias(backend).map_or(backend.as_str(), |(_, backend)| backend);
        Some(format!("{name}={backend}"))
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
        after = BACKENDS.contains(&text);
        expanded.push(new.map_or(word, OsString::from));
    }
    expanded
}

#[cfg(test)]
mod tests;
