//! The options of this backend.

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::PathBuf;

use backend_api::{BackendError, Options, Switch};

use crate::passes::Rewrites;

/// More threads than this are a mistyped number.
const MAX_THREADS: u16 = 256;

/// Steps of a run by default; the reference has the same number.
const STEPS: u64 = 10_000_000;

/// Every option with a line of help.
pub(crate) const HELP: [(&str, &str); 7] = [
    (
        "dump",
        "a file that the graph is written to after each pass, `-` for stderr; nothing is written by default",
    ),
    (
        "optimize",
        "on (default) or off: rewrite the graph, or run it node by node as it stands",
    ),
    (
        "profile",
        "a file that the mean time of each step is written to after every run; nothing by default",
    ),
    (
        "steps",
        "steps of a run: nodes, in a body each time, and elements of sequences that a loop hands on (default 10000000)",
    ),
    ("threads", "1 (default) to 256: threads of the one pool"),
    (
        "without",
        "passes to leave out, by the names that a dump shows, joined by `+`; none by default",
    ),
    (
        "winograd",
        "on (default) or off: 3 × 3 convolutions by fewer multiplications and a few bits less accuracy, where it is faster",
    ),
];

/// The options in effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Where the graph is written to after each pass.
    pub dump: Option<PathBuf>,
    /// Whether the graph is rewritten.
    pub optimize: Switch,
    /// Where the mean time of each step is written to after every run.
    pub profile: Option<PathBuf>,
    /// Steps that one run may make.
    pub steps: u64,
    /// Threads of the one pool.
    pub threads: NonZeroU16,
    /// The rewrites that are left out.
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
            steps: STEPS,
            threads: NonZeroU16::MIN,
            without: Rewrites::ALL,
            winograd: Switch::On,
        }
    }
}

impl Settings {
    /// Reads options by name; what is not named keeps its default.
    ///
    /// # Errors
    /// [`BackendError::Option`] for a name that is not known or a value that does not fit.
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

    /// The options by name, for a report.
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
