//! The options of this backend.

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::PathBuf;

use backend_api::{BackendError, Options, Switch};

use crate::kernels::Steps;
use crate::rewrites::Rewrites;

/// The maximum number of threads; a larger number is a typing error.
const MAX_THREADS: u16 = 256;

/// The options with one line of help each.
pub(crate) const HELP: [(&str, &str); 7] = [
    (
        "dump",
        "file for the graph after each pass, `-` for stderr (default none)",
    ),
    ("optimize", "on (default) or off: optimize the graph"),
    (
        "profile",
        "file for the mean and minimum time of each step, written after every run (default none)",
    ),
    (
        "steps",
        "maximum steps of a run: nodes, in a body each time, elements of sequences that a loop passes on, and each 4096 elements of a result (default 10000000)",
    ),
    ("threads", "1 (default) to 256: threads of the pool"),
    (
        "without",
        "passes to disable, named as in a dump and joined by `+` (default none)",
    ),
    (
        "winograd",
        "on (default) or off: faster 3 × 3 convolutions with fewer multiplications and a few bits less accuracy",
    ),
];

/// The options in effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The file for the graph after each pass.
    pub dump: Option<PathBuf>,
    /// Whether the graph is optimized.
    pub optimize: Switch,
    /// The file for the mean and minimum time of each step, written after every run.
    pub profile: Option<PathBuf>,
    /// The maximum number of steps of one run.
    pub steps: u64,
    /// The number of threads of the pool.
    pub threads: NonZeroU16,
    /// The disabled passes.
    pub without: Rewrites,
    /// Whether Winograd's filtering may be used.
    pub winograd: Switch,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            dump: None,
            optimize: Switch::On,
            profile: None,
            steps: Steps::DEFAULT,
            threads: NonZeroU16::MIN,
            without: Rewrites::ALL,
            winograd: Switch::On,
        }
    }
}

impl Settings {
    /// Reads options by name; others keep their defaults.
    ///
    /// # Errors
    /// [`BackendError::Option`] for an unknown name or an invalid value.
    pub fn from_options(mut options: Options) -> Result<Settings, BackendError> {
        let default = Settings::default();
        let settings = Settings {
            dump: options.take("dump", "a file")?,
            optimize: options.take("optimize", "a switch")?.unwrap_or(default.optimize),
            profile: options.take("profile", "a file")?,
            steps: options
                .take("steps", "a number of steps")?
                .unwrap_or(default.steps),
            threads: options.take_threads(MAX_THREADS)?,
            without: options
                .take("without", "a list of passes")?
                .unwrap_or(default.without),
            winograd: options.take("winograd", "a switch")?.unwrap_or(default.winograd),
        };
        options.finish()?;
        Ok(settings)
    }

    /// Returns the options by name, for a report.
    pub(crate) fn in_effect(&self) -> BTreeMap<String, String> {
        let file = |path: &Option<PathBuf>| {
            path.as_ref()
                .map(|path| path.display().to_string())
                .unwrap_or_default()
        };
        [
            ("dump", file(&self.dump)),
            ("optimize", self.optimize.to_string()),
            ("profile", file(&self.profile)),
            ("steps", self.steps.to_string()),
            ("threads", self.threads.to_string()),
            ("without", self.without.to_string()),
            ("winograd", self.winograd.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}
