//! The options of this backend.

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::PathBuf;

use backend_api::{BackendError, Options, Switch, choice};
use ort::sys::GraphOptimizationLevel;

/// The maximum number of threads; a larger number is a typing error.
const MAX_THREADS: u16 = 1024;

/// The options with one line of help each.
pub(crate) const HELP: [(&str, &str); 7] = [
    (
        "library",
        "path of the ONNX Runtime library; default: $ORT_DYLIB_PATH",
    ),
    (
        "optimization",
        "disable, basic, extended, layout or all (default)",
    ),
    (
        "without",
        "optimizers that are left out, as in ConstantFolding+MatMulAddFusion; the runtime ignores unknown names",
    ),
    ("threads", "threads within an operator; default 1"),
    (
        "spinning",
        "on or off (default): idle threads spin instead of sleeping",
    ),
    (
        "provider",
        "execution provider, CPUExecutionProvider by default; `CUDA` means CUDAExecutionProvider",
    ),
    (
        "unreleased-opsets",
        "on or off (default): allow opsets that are still in development",
    ),
];

/// The options in effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The path of the library; `None` for that in `ORT_DYLIB_PATH`.
    pub library: Option<PathBuf>,
    /// The level of graph optimization.
    pub optimization: Optimization,
    /// The names of optimizers that are left out, separated by `+`. The runtime does not report
    /// whether it has an optimizer of a name.
    pub without: String,
    /// The number of threads within an operator; operators run one after another.
    pub threads: NonZeroU16,
    /// Whether idle threads spin. The default is off, because spinning slows other work on the machine.
    pub spinning: Switch,
    /// The name of the execution provider.
    pub provider: String,
    /// Whether models may import an opset that ONNX has not released.
    pub unreleased_opsets: Switch,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            library: None,
            optimization: Optimization::All,
            without: String::new(),
            threads: NonZeroU16::MIN,
            spinning: Switch::Off,
            provider: "CPUExecutionProvider".to_owned(),
            unreleased_opsets: Switch::Off,
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
            library: options.take("library", "a path")?,
            optimization: options
                .take("optimization", "a level")?
                .unwrap_or(default.optimization),
            without: options.take("without", "a list of names")?.unwrap_or_default(),
            threads: options.take_threads(MAX_THREADS)?,
            spinning: options.take("spinning", "a switch")?.unwrap_or(default.spinning),
            provider: options.take("provider", "a name")?.unwrap_or(default.provider),
            unreleased_opsets: options
                .take("unreleased-opsets", "a switch")?
                .unwrap_or(default.unreleased_opsets),
        };
        options.finish()?;
        Ok(settings)
    }

    /// Returns the options by name, for a report. The path of the library is known only after it is loaded.
    pub(crate) fn in_effect(&self) -> BTreeMap<String, String> {
        let options = [
            ("optimization", self.optimization.to_string()),
            ("without", self.without.clone()),
            ("threads", self.threads.to_string()),
            ("spinning", self.spinning.to_string()),
            ("provider", self.provider.clone()),
            ("unreleased-opsets", self.unreleased_opsets.to_string()),
        ];
        let given = options.into_iter().filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

choice! {
    /// The level of graph optimization; each level includes those before it.
    Optimization {
        Disable = "disable",
        Basic = "basic",
        Extended = "extended",
        Layout = "layout",
        All = "all",
    }
}

impl Optimization {
    /// Returns the level in the runtime's terms.
    pub(crate) fn level(self) -> GraphOptimizationLevel {
        match self {
            Optimization::Disable => GraphOptimizationLevel::ORT_DISABLE_ALL,
            Optimization::Basic => GraphOptimizationLevel::ORT_ENABLE_BASIC,
            Optimization::Extended => GraphOptimizationLevel::ORT_ENABLE_EXTENDED,
            Optimization::Layout => GraphOptimizationLevel::ORT_ENABLE_LAYOUT,
            Optimization::All => GraphOptimizationLevel::ORT_ENABLE_ALL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, value: &str, expected: Result<Settings, &str>) {
        let found = Settings::from_options([(name, value)].into_iter().collect());
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{name}={value}"),
            (Err(found), Err(expected)) => {
                let found = found.to_string();
                assert!(found.starts_with(expected), "{name}={value}: {found}");
            }
            (found, expected) => panic!("{name}={value}: expected {expected:?}, got {found:?}"),
        }
    }

    #[test]
    fn options_are_validated() {
        let default = Settings::default;
        let threads = NonZeroU16::MIN.saturating_add(3);
        check("threads", "4", Ok(Settings { threads, ..default() }));
        check(
            "threads",
            "0",
            Err("option `threads`: `0` is not a number of threads: "),
        );
        check(
            "spinning",
            "on",
            Ok(Settings {
                spinning: Switch::On,
                ..default()
            }),
        );
        check(
            "spinning",
            "yes",
            Err("option `spinning`: `yes` is not a switch: use on or off"),
        );
        let optimization = Optimization::Basic;
        check(
            "optimization",
            "basic",
            Ok(Settings {
                optimization,
                ..default()
            }),
        );
        check(
            "optimization",
            "O3",
            Err("option `optimization`: `O3` is not a level: use disable, basic"),
        );
        check(
            "thread",
            "1",
            Err("option `thread`: unknown option; known: library, optimization, without, threads"),
        );
    }

    #[test]
    fn options_in_effect_can_be_parsed_again() {
        let settings = Settings {
            spinning: Switch::On,
            optimization: Optimization::Layout,
            without: "ConstantFolding+MatMulAddFusion".to_owned(),
            ..Settings::default()
        };
        assert_eq!(
            Settings::from_options(settings.in_effect().into_iter().collect()),
            Ok(settings)
        );
    }
}
