//! The argument of `--backend`, and the workers that it starts.

mod error;
mod installed;
mod start;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use harness_fetch::{Fetcher, Lockfile};

use crate::system::LOADS_LIBRARIES;
use crate::{WorkerSpec, is_remote};

pub use error::BackendTextError;
pub use installed::NotInstalled;

/// The backends of this repository, which are the default. The first is the reference. A build without shared
/// libraries has no worker for ONNX Runtime.
pub const ALL: &[&str] = if LOADS_LIBRARIES {
    &["reference", "native", "ort", "tract"]
} else {
    &["reference", "native", "tract"]
};

/// The backends that are timed.
pub const TIMED: &[&str] = ALL.split_at(1).1;

/// The names of all backends of this repository.
const BUILT_IN: [&str; 5] = ["reference", "native", "ort", "tract", "rten"];

/// The option of `ort` that selects a version of the lock file, or the installed one.
const VERSION: &str = "version";

/// Whether this is the name of a backend of this repository.
pub fn is_built_in(name: &str) -> bool {
    BUILT_IN.contains(&name)
}

/// The workers of a text for `--backend` ([`BackendArg`]).
///
/// # Errors
/// The text is malformed, or the backend or its runtime does not exist.
pub fn parse(text: &str, lock: &Lockfile, fetcher: &Fetcher) -> Result<WorkerSpec, BackendTextError> {
    text.parse::<BackendArg>()?.spec(lock, fetcher)
}

/// A backend as it is named on a command line:
///
/// - `ort`, `ort:optimization=disable,threads=2`: an installed worker, with options;
/// - `cmd:./my-worker --flag`, `stdio:…`, `ssh:HOST:…`, …: a program of this or another machine;
/// - `onnx-backend:MODULE[:DEVICE]`: a Python module with the interface of `onnx.backend.base`.
///
/// A prefix `NAME=` is the name in reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackendArg {
    /// Without the alias.
    text: String,
    alias: Option<String>,
    kind: Kind,
    options: BTreeMap<String, String>,
    /// The version of ONNX Runtime, one of the lock file or `installed`.
    version: Option<String>,
}

/// What serves a backend.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// An installed worker of this name.
    Installed(String),
    /// A program; the text says which.
    Program,
    /// A Python module, with its device.
    Module(String),
}

impl FromStr for BackendArg {
    type Err = BackendTextError;

    fn from_str(text: &str) -> Result<BackendArg, BackendTextError> {
        if let Some((alias, backend)) = alias(text) {
            return Ok(backend.parse::<BackendArg>()?.named(alias));
        }
        let whole = |kind| BackendArg {
            text: text.to_owned(),
            alias: None,
            kind,
            options: BTreeMap::new(),
            version: None,
        };
        match text.split_once(':') {
            Some(("onnx-backend", module)) if module.is_empty() || module.starts_with(['-', ':']) => {
                Err(BackendTextError::Module(text.to_owned()))
            }
            Some(("onnx-backend", module)) => Ok(whole(Kind::Module(module.to_owned()))),
            Some((scheme, _)) if is_program(scheme) => {
                WorkerSpec::parse(text)?;
                Ok(whole(Kind::Program))
            }
            Some((name, options)) => {
                let mut options = parse_options(text, options)?;
                start::check(text, name, &options)?;
                // The worker has no versions: the option selects a library of the lock file.
                let version = (name == start::ORT).then(|| options.remove(VERSION)).flatten();
                Ok(BackendArg {
                    options,
                    version,
                    ..whole(Kind::Installed(name.to_owned()))
                })
            }
            None => Ok(whole(Kind::Installed(text.to_owned()))),
        }
    }
}

impl fmt::Display for BackendArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(alias) = &self.alias {
            write!(f, "{alias}=")?;
        }
        f.write_str(&self.text)
    }
}

impl BackendArg {
    /// The installed worker of this name.
    pub fn installed(name: &str) -> BackendArg {
        BackendArg {
            text: name.to_owned(),
            alias: None,
            kind: Kind::Installed(name.to_owned()),
            options: BTreeMap::new(),
            version: None,
        }
    }

    /// The same backend under another name in reports.
    #[must_use]
    pub fn named(self, name: &str) -> BackendArg {
        BackendArg {
            alias: Some(name.to_owned()),
            ..self
        }
    }

    /// The name in reports: the alias, or the whole text.
    pub fn name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.text)
    }

    /// The name in reports that the user gave.
    pub fn alias(&self) -> Option<&str> {
        self.alias.as_deref()
    }

    /// The text without the alias.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name of the installed worker; `None` for a program or a module.
    pub fn worker(&self) -> Option<&str> {
        match &self.kind {
            Kind::Installed(name) => Some(name),
            Kind::Program | Kind::Module(_) => None,
        }
    }

    /// Whether both are served by the same program, with any options.
    pub fn has_program_of(&self, other: &BackendArg) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Program, Kind::Program) => self.text == other.text,
            (Kind::Module(_), Kind::Module(_)) => true,
            (this, other) => this == other,
        }
    }

    /// Whether it starts a program other than an installed worker, or has options, one of which may be a
    /// library that the worker loads.
    pub fn starts_program(&self) -> bool {
        match &self.kind {
            Kind::Installed(name) => is_built_in(name) && self.text != *name,
            Kind::Program | Kind::Module(_) => true,
        }
    }

    /// The value of an option of an installed worker.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.get(key).map(String::as_str)
    }

    /// The backend without the options for whose names `is_left_out` holds, and without the alias. `None` for
    /// a program and a module.
    pub fn without_options(&self, is_left_out: impl Fn(&str) -> bool) -> Option<BackendArg> {
        let name = self.worker()?;
        let (_, options) = self.text.split_once(':').unwrap_or_default();
        let kept = options.split(',').filter(|option| {
            let key = option.split('=').next().unwrap_or_default();
            !key.is_empty() && !is_left_out(key)
        });
        let kept: Vec<&str> = kept.collect();
        let between = if kept.is_empty() { "" } else { ":" };
        format!("{name}{between}{}", kept.join(",")).parse().ok()
    }

    /// The backend with further options: `ort:threads=2` of `ort`, `cmd:./worker --opt threads=2` of
    /// `cmd:./worker`. The alias `new` becomes `new-2`, so that each has a name of its own. `None` for a
    /// module, which takes no options, and for an option that a text cannot contain.
    pub fn with_options(&self, options: &[(String, String)]) -> Option<BackendArg> {
        if options.is_empty() {
            return Some(self.clone());
        }
        let pairs = options.iter().map(|(key, value)| format!("{key}={value}"));
        let text = match &self.kind {
            Kind::Module(_) => return None,
            Kind::Program => {
                let quoted: Option<Vec<String>> = pairs.map(|pair| quoted(&pair)).collect();
                format!("{} --opt {}", self.text, quoted?.join(" --opt "))
            }
            Kind::Installed(_) if options.iter().any(|(_, value)| value.contains(',')) => return None,
            Kind::Installed(_) => {
                let between = if self.text.contains(':') { ',' } else { ':' };
                format!("{}{between}{}", self.text, pairs.collect::<Vec<_>>().join(","))
            }
        };
        let backend = text.parse::<BackendArg>().ok()?;
        Some(match &self.alias {
            None => backend,
            Some(alias) => {
                let values: Vec<String> = options.iter().map(|(_, value)| plain(value)).collect();
                backend.named(&format!("{alias}-{}", values.join("-")))
            }
        })
    }
}

/// Whether the text after this scheme is a command line.
fn is_program(scheme: &str) -> bool {
    matches!(scheme, "cmd" | "stdio") || is_remote(scheme)
}

/// The alias of a backend and the rest: `new` and `ort:threads=2` of `new=ort:threads=2`. `None` without an
/// alias.
fn alias(text: &str) -> Option<(&str, &str)> {
    let named = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    text.split_once('=')
        .filter(|(name, backend)| !name.is_empty() && name.chars().all(named) && !backend.is_empty())
}

/// The options of a backend, `key=value,key=value`.
fn parse_options(backend: &str, options: &str) -> Result<BTreeMap<String, String>, BackendTextError> {
    let pair = |option: &str| -> Result<(String, String), BackendTextError> {
        let pair = option.split_once('=').filter(|(key, _)| !key.is_empty());
        let (key, value) = pair.ok_or_else(|| BackendTextError::Option {
            backend: backend.to_owned(),
            option: option.to_owned(),
        })?;
        Ok((key.to_owned(), value.to_owned()))
    };
    let mut options_by_name = BTreeMap::new();
    for option in options.split(',') {
        let (key, value) = pair(option)?;
        if options_by_name.insert(key.clone(), value).is_some() {
            return Err(BackendTextError::Twice {
                backend: backend.to_owned(),
                option: key,
            });
        }
    }
    Ok(options_by_name)
}

/// An option as a word of a command line; `None` if no quoting can contain it.
fn quoted(option: &str) -> Option<String> {
    let is_plain = option
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "=._/:+-".contains(c));
    if is_plain {
        Some(option.to_owned())
    } else {
        Some(shlex::try_quote(option).ok()?.into_owned())
    }
}

/// The value as a part of an alias.
fn plain(value: &str) -> String {
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c
        } else {
            '_'
        }
    };
    value.chars().map(kept).collect()
}

#[cfg(test)]
mod tests;
