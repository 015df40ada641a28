//! The options of this backend.

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::PathBuf;

use backend_api::{BackendError, Options, Switch, choice};
use ort::sys::GraphOptimizationLevel;

/// The maximum number of threads; a larger number is a typing error.
const MAX_THREADS: u16 = 1024;

/// The default provider, which needs no registration.
pub(crate) const CPU: &str = "CPUExecutionProvider";

/// The options with one line of help each.
pub(crate) const HELP: [(&str, &str); 13] = [
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
        "ep",
        "plug-in execution provider, as in `webgpu`; its library is that of `ep-library`",
    ),
    (
        "ep-library",
        "path of a library with an execution provider, which is registered",
    ),
    (
        "ep-device",
        "cpu, gpu, npu, or the position of a device that `ep` offers; default 0",
    ),
    (
        "ep.NAME",
        "an option of the execution provider, as in ep.backend_type=htp",
    ),
    (
        "config.NAME",
        "an entry of the session's configuration, as in config.session.use_env_allocators=1",
    ),
    (
        "fallback",
        "on or off: whether other providers may run nodes; off by default with `ep` or `ep-library`",
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
    /// The plug-in provider, which replaces `provider`.
    pub ep: Option<String>,
    /// The library with the plug-in provider.
    pub ep_library: Option<PathBuf>,
    /// The device of the plug-in provider: its kind or position; `None` for the first.
    pub ep_device: Option<String>,
    /// Options of the provider.
    pub ep_options: BTreeMap<String, String>,
    /// Entries of the session's configuration.
    pub config: BTreeMap<String, String>,
    /// Whether other providers may run nodes that the requested one does not take.
    pub fallback: Switch,
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
            provider: CPU.to_owned(),
            ep: None,
            ep_library: None,
            ep_device: None,
            ep_options: BTreeMap::new(),
            config: BTreeMap::new(),
            fallback: Switch::On,
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
        let (ep, ep_library) = (
            options.take("ep", "a name")?,
            options.take("ep-library", "a path")?,
        );
        let provider = options.take("provider", "a name")?;
        let is_plugin = ep.is_some() || ep_library.is_some();
        if is_plugin && provider.is_some() {
            return Err(BackendError::Option {
                option: "provider".to_owned(),
                message: "is set together with `ep` or `ep-library`; set only one".to_owned(),
            });
        }
        let fallback = if is_plugin { Switch::Off } else { default.fallback };
        let settings = Settings {
            library: options.take("library", "a path")?,
            optimization: options
                .take("optimization", "a level")?
                .unwrap_or(default.optimization),
            without: options.take("without", "a list of names")?.unwrap_or_default(),
            threads: options.take_threads(MAX_THREADS)?,
            spinning: options.take("spinning", "a switch")?.unwrap_or(default.spinning),
            provider: provider.unwrap_or(default.provider),
            ep,
            ep_library,
            ep_device: options.take("ep-device", "a device")?,
            ep_options: options.take_below("ep."),
            config: options.take_below("config."),
            fallback: options.take("fallback", "a switch")?.unwrap_or(fallback),
            unreleased_opsets: options
                .take("unreleased-opsets", "a switch")?
                .unwrap_or(default.unreleased_opsets),
        };
        options.finish()?;
        Ok(settings)
    }

    /// Returns the options by name, for a report. The path of the library is known only after it is loaded.
    pub(crate) fn in_effect(&self) -> BTreeMap<String, String> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let provider = if self.is_plugin() { "" } else { &self.provider };
        let fallback = if self.names_provider() {
            self.fallback.to_string()
        } else {
            String::new()
        };
        let options = [
            ("optimization", self.optimization.to_string()),
            ("without", self.without.clone()),
            ("threads", self.threads.to_string()),
            ("spinning", self.spinning.to_string()),
            ("provider", provider.to_owned()),
            ("ep", self.ep.clone().unwrap_or_default()),
            ("ep-library", path(&self.ep_library).unwrap_or_default()),
            ("ep-device", self.ep_device.clone().unwrap_or_default()),
            ("fallback", fallback),
            ("unreleased-opsets", self.unreleased_opsets.to_string()),
        ];
        let given = options.into_iter().filter(|(_, value)| !value.is_empty());
        let mut all: BTreeMap<String, String> = given.map(|(name, value)| (name.to_owned(), value)).collect();
        for (prefix, options) in [("ep", &self.ep_options), ("config", &self.config)] {
            all.extend(
                options
                    .iter()
                    .map(|(name, value)| (format!("{prefix}.{name}"), value.clone())),
            );
        }
        all
    }

    /// Whether the provider is another one than that of the CPU, which takes every model.
    pub(crate) fn names_provider(&self) -> bool {
        self.is_plugin() || self.provider != CPU
    }

    /// Whether the provider is a plug-in.
    pub(crate) fn is_plugin(&self) -> bool {
        self.ep.is_some() || self.ep_library.is_some()
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
            Err("option `thread`: unknown option; known: ep, ep-library, provider, library, optimization"),
        );
    }

    #[test]
    fn options_in_effect_can_be_parsed_again() {
        let pair = |name: &str| BTreeMap::from([(name.to_owned(), "1".to_owned())]);
        let plain = Settings {
            spinning: Switch::On,
            optimization: Optimization::Layout,
            without: "ConstantFolding+MatMulAddFusion".to_owned(),
            ..Settings::default()
        };
        let plugged = Settings {
            ep: Some("webgpu".to_owned()),
            ep_library: Some(PathBuf::from("/x/lib.so")),
            ep_device: Some("gpu".to_owned()),
            ep_options: pair("a.b"),
            config: pair("session.c"),
            fallback: Switch::Off,
            ..Settings::default()
        };
        for settings in [plain, plugged] {
            assert_eq!(
                Settings::from_options(settings.in_effect().into_iter().collect()),
                Ok(settings)
            );
        }
    }

    #[test]
    fn a_plug_in_replaces_the_provider_and_forbids_a_fall_back() {
        let given = [("ep", "webgpu"), ("provider", "CUDA")];
        let error = Settings::from_options(given.into_iter().collect()).expect_err("two providers");
        assert!(error.to_string().contains("set only one"), "{error}");
        for (options, fallback) in [
            (&[("ep", "webgpu")][..], Switch::Off),
            (&[("ep-library", "/x")], Switch::Off),
            (&[("ep", "webgpu"), ("fallback", "on")], Switch::On),
            (&[("provider", "CUDA")], Switch::On),
        ] {
            let settings = Settings::from_options(options.iter().copied().collect()).expect("valid");
            assert_eq!(settings.fallback, fallback, "{options:?}");
        }
    }
}
