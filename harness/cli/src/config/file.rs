//! `onnx-conformance.toml`: named backends, and default values of options.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use harness_worker::BackendArg;
use harness_worker::backend::{self, BackendTextError};
use run_record::{MAX_TOML, WriteError, read_text};
use serde::Deserialize;
use toml::Value;

use super::trust;
use crate::system::{self, Objection};

/// The name of the file.
pub const NAME: &str = "onnx-conformance.toml";

/// The variable that names another file, which is used whoever owns it; `none` for no file.
pub const VARIABLE: &str = "ONNX_CONFORMANCE_CONFIG";

/// The value of the variable for no file.
const NONE: &str = "none";

/// The placeholder for the folder of the file.
const FOLDER: &str = "{dir}";

/// A configuration file.
#[derive(Debug)]
pub struct ConfigFile {
    /// Its path.
    pub path: PathBuf,
    /// Backends by their names in reports.
    pub backends: BTreeMap<String, BackendArg>,
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
    /// The file is not that of the user, and was not allowed.
    #[error(
        "`{}` is not used, because {objection}: it may start programs; read it, then allow it by `onnx-conformance config allow`, \
         or set {VARIABLE}=none", path.display()
    )]
    NotAllowed {
        /// The file.
        path: PathBuf,
        /// Why it is not used as it is.
        objection: Objection,
    },
    /// A backend of this project would be another program.
    #[error("`{}`: `{name}` is a backend of this program; give yours another name", path.display())]
    BuiltIn {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A backend has another form.
    #[error("`{}`: {source}", path.display())]
    Backend {
        /// The file.
        path: PathBuf,
        /// The text and the reason.
        source: BackendTextError,
    },
    /// A variable of the environment has another form.
    #[error("{name} is `{value}`, expected a number of bytes")]
    Variable {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// There is no folder in which to remember an allowed file.
    #[error("there is no folder for the state of programs: set XDG_STATE_HOME, or HOME")]
    NoState,
    /// There is no file to allow.
    #[error("there is no {NAME} in this folder or above")]
    NoFile,
    /// The file could not be remembered.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A table or a key does not name a command or an option.
    #[error("`{}`: there is no {what}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The unknown name.
        what: String,
    },
}

/// A configuration file that was found, whether or not it may be used.
#[derive(Debug)]
pub struct FoundFile {
    /// Its path.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
    /// Why it may not be used.
    pub objection: Option<Objection>,
}

impl FoundFile {
    /// The file that the variable names, else the nearest one.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn find() -> Result<Option<FoundFile>, ConfigError> {
        match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(value) if value == NONE => Ok(None),
            // The user chose this file.
            Some(value) => FoundFile::read(&PathBuf::from(value), |_, _, _| Ok(None)).map(Some),
            // Without a working folder there is no nearest file.
            None => std::env::current_dir().map_or(Ok(None), |folder| FoundFile::nearest(&folder)),
        }
    }

    /// The file in `folder` or in the nearest folder above that has one.
    fn nearest(folder: &Path) -> Result<Option<FoundFile>, ConfigError> {
        let mut paths = folder.ancestors().map(|folder| folder.join(NAME));
        let Some(path) = paths.find(|path| path.symlink_metadata().is_ok()) else {
            return Ok(None);
        };
        let objection = |path: &Path, file: &Metadata, text: &str| {
            if trust::is_allowed(path, text) {
                Ok(None)
            } else {
                system::objection(path, file)
            }
        };
        FoundFile::read(&path, objection).map(Some)
    }

    fn read(
        path: &Path,
        objection: impl Fn(&Path, &Metadata, &str) -> io::Result<Option<Objection>>,
    ) -> Result<FoundFile, ConfigError> {
        let read = || {
            let text = read_text(path, MAX_TOML)?;
            let objection = objection(path, &fs::metadata(path)?, &text)?;
            Ok((text, objection))
        };
        let failed = |source| ConfigError::Read {
            path: path.to_path_buf(),
            source,
        };
        let (text, objection) = read().map_err(failed)?;
        Ok(FoundFile {
            path: path.to_path_buf(),
            text,
            objection,
        })
    }
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
    /// The file that commands use: the one that the variable names, else the nearest one, which must be
    /// the user's or allowed. `None` if there is none, or the variable is `none`.
    ///
    /// # Errors
    /// The file cannot be read or used, or is not allowed.
    pub fn used() -> Result<Option<ConfigFile>, ConfigError> {
        let Some(found) = FoundFile::find()? else {
            return Ok(None);
        };
        match found.objection {
            Some(objection) => Err(ConfigError::NotAllowed {
                path: found.path,
                objection,
            }),
            None => ConfigFile::parse(&found.text, &found.path).map(Some),
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
        if let Some(name) = written.backends.keys().find(|name| backend::is_built_in(name)) {
            return Err(ConfigError::BuiltIn {
                path: path.to_path_buf(),
                name: name.clone(),
            });
        }
        let backends = written.backends.into_iter().map(|(name, written)| {
            let malformed = |source| ConfigError::Backend {
                path: path.to_path_buf(),
                source,
            };
            let backend: BackendArg = text(&written).parse().map_err(malformed)?;
            Ok((name, backend))
        });
        Ok(ConfigFile {
            path: path.to_path_buf(),
            backends: backends.collect::<Result<_, ConfigError>>()?,
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
