//! The arguments of a run as the command that repeats one of its results has them.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use harness_worker::backend;
use reports::record::Repeat;

use super::conformance::Backends;
use super::generated::Generating;
use super::models::Models;
use super::selection::Cases;

/// Arguments in the order in which they are typed.
#[derive(Default)]
pub(super) struct Arguments(Vec<String>);

impl Arguments {
    /// Adds a switch, if it is on.
    pub fn switch(mut self, name: &str, on: bool) -> Self {
        self.0.extend(on.then(|| name.to_owned()));
        self
    }

    /// Adds an option, if it has a value. A value that looks like an option stands behind an equals sign.
    pub fn option(mut self, name: &str, value: Option<impl ToString>) -> Self {
        match value.map(|value| value.to_string()) {
            Some(value) if value.starts_with('-') => self.0.push(format!("{name}={value}")),
            Some(value) => self.0.extend([name.to_owned(), value]),
            None => {}
        }
        self
    }

    /// Adds an option whose value is a path.
    pub fn path(self, name: &str, path: Option<&Path>) -> Self {
        self.option(name, path.map(Path::display))
    }

    /// Adds further arguments.
    pub fn and(mut self, further: Arguments) -> Self {
        self.0.extend(further.0);
        self
    }
}

/// What repeats a result of a run with these arguments.
pub(super) fn repeat(cases: &Cases, generating: &Generating, backends: &Backends, models: &Models) -> Repeat {
    let program = command_line().into_iter().next().unwrap_or_default();
    let is_xtask = Path::new(&program).file_stem() == Some(OsStr::new("xtask"));
    Repeat {
        program: match is_xtask {
            true => ["cargo", "xtask", "conformance"].map(String::from).into(),
            false => vec![program, "conformance".to_owned()],
        },
        named: backends
            .backends
            .iter()
            .filter_map(|text| backend::alias(text))
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect(),
        cases: cases.arguments().and(generating.arguments()).0,
        options: backends.workers.arguments().and(models.arguments()).0,
    }
}

/// The command line of this process, program first; what is not UTF-8 is shown as far as it can be.
pub(super) fn command_line() -> Vec<String> {
    let words = std::env::args_os();
    words.map(|word| word.to_string_lossy().into_owned()).collect()
}

/// A duration as `--timeout` takes it.
pub(super) fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}
