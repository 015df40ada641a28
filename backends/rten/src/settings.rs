//! The options of this backend.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use backend_api::{BackendError, Options, Switch};

/// More threads than this are a mistyped number, and rten falls back to the global pool where the system refuses to start
/// them.
const MAX_THREADS: u16 = 1024;

/// Every option with a line of help.
pub(crate) const HELP: [(&str, &str); 3] = [
    (
        "optimize",
        "on (default) or off: rewrite the graph, or run it as it stands",
    ),
    (
        "prepack",
        "on (default) or off: pack weights at load, or in every run",
    ),
    ("threads", "1 (default) to 1024: threads of the pool"),
];

/// The options in effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Whether the graph is rewritten.
    pub optimize: Switch,
    /// Whether weights are packed at load.
    pub prepack: Switch,
    /// Threads of the pool.
    pub threads: NonZeroU16,
}

impl Settings {
    /// Reads options by name; what is not named keeps its default.
    ///
    /// # Errors
    /// [`BackendError::Option`] for a name that is not known or a value that does not fit.
    pub fn from_options(mut options: Options) -> Result<Settings, BackendError> {
        let settings = Settings {
            optimize: options.take("optimize", "a switch")?.unwrap_or(Switch::On),
            prepack: options.take("prepack", "a switch")?.unwrap_or(Switch::On),
            threads: options.take_threads(MAX_THREADS)?,
        };
        options.finish()?;
        Ok(settings)
    }

    /// The options by name, for a report.
    pub(crate) fn in_effect(&self) -> BTreeMap<String, String> {
        [
            ("optimize", self.optimize.to_string()),
            ("prepack", self.prepack.to_string()),
            ("threads", self.threads.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}
