//! `onnx-conformance.toml`: named backends, and default values of options.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Value;

/// The name of the file.
pub const NAME: &str = "onnx-conformance.toml";

/// The placeholder for the folder of the file.
const FOLDER: &str = "{dir}";

/// A configuration file.
#[derive(Debug)]
pub struct ConfigFile {
    /// Its path.
    pub path: PathBuf,
    /// The texts for `--backend`, by the names in reports.
    pub backends: BTreeMap<String, String>,
    /// Values of options, by command and option.
    pub commands: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not valid TOML, or has another form.
    #[error("`{}`: {source}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Position and reason.
        source: Box<toml::de::Error>,
    },
    /// A value is not a string, number, boolean or list of them.
    #[error("`{}`: `{command}.{option}` must be a string, a number, true, or a list of them", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The table.
        command: String,
        /// The key.
        option: String,
    },
    /// A table or a key does not name a command or an option.
    #[error("`{}`: there is no {what}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The unknown name.
        what: String,
    },
}

/// The file format: a table of backends, and a table for each command.
#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    backends: BTreeMap<String, String>,
    #[serde(flatten)]
    commands: BTreeMap<String, BTreeMap<String, Value>>,
}

impl ConfigFile {
    /// The file of the working folder, or of the nearest parent folder that has one. `None` without a
    /// working folder.
    ///
    /// # Errors
    /// Like [`Self::find`].
    pub fn nearest() -> Result<Option<ConfigFile>, ConfigError> {
        match std::env::current_dir() {
            Ok(folder) => ConfigFile::find(&folder),
            Err(_) => Ok(None),
        }
    }

    /// The file in `folder` or in the nearest parent folder that has one.
    ///
    /// # Errors
    /// The file cannot be read or used.
    pub fn find(folder: &Path) -> Result<Option<ConfigFile>, ConfigError> {
        let mut paths = folder.ancestors().map(|folder| folder.join(NAME));
        match paths.find(|path| path.is_file()) {
            None => Ok(None),
            Some(path) => {
                let text = fs::read_to_string(&path).map_err(|source| ConfigError::Read {
                    path: path.clone(),
                    source,
                })?;
                ConfigFile::parse(&text, &path).map(Some)
            }
        }
    }

    /// Parses the text of the file at `path`. `{dir}` in a string is replaced by the folder of the file.
    ///
    /// # Errors
    /// The text has another form.
    pub fn parse(text: &str, path: &Path) -> Result<ConfigFile, ConfigError> {
        let written: Written = toml::from_str(text).map_err(|source| ConfigError::Syntax {
            path: path.to_path_buf(),
            source: Box::new(source),
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).display().to_string();
        let text = |text: &str| text.replace(FOLDER, &folder);
        let values = |command: &str, option: &str, value: &Value| {
            let words = match value {
                Value::Array(list) => list.iter().map(|value| word(value, text)).collect(),
                value => word(value, text).map(|word| vec![word]),
            };
            words.ok_or_else(|| ConfigError::Value {
                path: path.to_path_buf(),
                command: command.to_owned(),
                option: option.to_owned(),
            })
        };
        let mut commands = BTreeMap::new();
        for (command, options) in &written.commands {
            let options = options
                .iter()
                .map(|(option, value)| Ok((option.clone(), values(command, option, value)?)));
            commands.insert(command.clone(), options.collect::<Result<_, ConfigError>>()?);
        }
        let backends = written
            .backends
            .into_iter()
            .map(|(name, backend)| (name, text(&backend)));
        Ok(ConfigFile {
            path: path.to_path_buf(),
            backends: backends.collect(),
            commands,
        })
    }
}

fn word(value: &Value, text: impl Fn(&str) -> String) -> Option<String> {
    match value {
        Value::String(value) => Some(text(value)),
        Value::Integer(value) => Some(value.to_string()),
        Value::Float(value) => Some(value.to_string()),
        Value::Boolean(value) => Some(value.to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}
