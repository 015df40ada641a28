//! Builds the arguments of a command line.

use std::path::Path;
use std::time::Duration;

/// Arguments in the order of the command line.
#[derive(Default)]
pub(super) struct Arguments(pub Vec<String>);

impl Arguments {
    /// Adds a switch, if it is on.
    pub fn switch(mut self, name: &str, on: bool) -> Self {
        self.0.extend(on.then(|| name.to_owned()));
        self
    }

    /// Adds an option, if it has a value. A value that looks like an option is added with an equals
    /// sign.
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

    /// Adds the arguments of `further`.
    pub fn and(mut self, further: Arguments) -> Self {
        self.0.extend(further.0);
        self
    }
}

/// A duration in the form of `--timeout`.
pub(super) fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}
