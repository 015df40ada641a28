//! The options of this backend.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use backend_api::{BackendError, Options, Switch};

/// The maximum number of threads. A larger number is a typing error, and rten uses the global pool if the
/// system cannot start them.
const MAX_THREADS: u16 = 1024;

/// The options with one line of help each.
pub(crate) const HELP: [(&str, &str); 3] = [
    ("optimize", "on (default) or off: optimize the graph"),
    (
        "prepack",
        "on (default) or off: pack weights at load instead of in every run",
    ),
    ("threads", "1 (default) to 1024: threads of the pool"),
];

/// The options in effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Whether the graph is optimized.
    pub optimize: Switch,
    /// Whether weights are packed at load.
    pub prepack: Switch,
    /// The number of threads of the pool.
    pub threads: NonZeroU16,
}

impl Settings {
    /// Reads options by name; others keep their defaults.
    ///
    /// # Errors
    /// [`BackendError::Option`] for an unknown name or an invalid value.
    pub fn from_options(mut options: Options) -> Result<Settings, BackendError> {
        let settings = Settings {
            optimize: options.take("optimize", "a switch")?.unwrap_or(Switch::On),
            prepack: options.take("prepack", "a switch")?.unwrap_or(Switch::On),
            threads: options.take_threads(MAX_THREADS)?,
        };
        options.finish()?;
        Ok(settings)
    }

    /// Returns the options by name, for a report.
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
