//! The options of this backend.

use backend_api::{BackendError, Below, Switch, Threads, choice, settings};
use ort::sys::GraphOptimizationLevel;

/// The default provider, which needs no registration.
pub(crate) const CPU: &str = "CPUExecutionProvider";

settings! {
    /// The options in effect.
    Settings {
        /// path of the ONNX Runtime library; default: $ORT_DYLIB_PATH
        library: String => "a path";
        /// version of ONNX Runtime that the harness fetches, or installed: that of the Python package
        version: String => "a version";
        /// disable, basic, extended, layout or all (default)
        optimization: Optimization = Optimization::All => "a level";
        /// optimizers that are left out, as in ConstantFolding+MatMulAddFusion; the runtime ignores unknown
        /// names
        without: String => "a list of names";
        /// file to which the runtime writes the optimized model, with at most 2 GiB
        save: String => "a path";
        /// threads within an operator; default 1
        threads: Threads<1024> = Threads::ONE => "a number of threads";
        /// on or off (default): idle threads spin instead of sleeping
        // Spinning slows other work on the machine.
        spinning: Switch = Switch::Off => "a switch";
        /// execution provider, CPUExecutionProvider by default; `CUDA` means CUDAExecutionProvider
        provider: String => "a name";
        /// plug-in execution provider, as in `webgpu`; its library is that of `ep-library`
        ep: String => "a name";
        /// path of a library with an execution provider, which is registered
        ep_library: String => "a path";
        /// Python package with that library, as in NAME==VERSION, which the harness fetches
        ep_package: String => "a package";
        /// cpu, gpu, npu, or the position of a device that `ep` offers; default 0
        ep_device: String => "a device";
        /// an option of the execution provider, as in ep.backend_type=htp
        ep_options("ep.NAME"): Below = Below::default() => "an option";
        /// an entry of the session's configuration, as in config.session.use_env_allocators=1
        config("config.NAME"): Below = Below::default() => "an entry";
        /// on or off: whether other providers may run nodes; off by default with `ep` or `ep-library`
        fallback: Switch => "a switch";
        /// on or off (default): allow opsets that are still in development
        unreleased_opsets: Switch = Switch::Off => "a switch";
    }
}

impl Settings {
    /// Options that exclude each other, and those that the harness replaces by a path.
    ///
    /// # Errors
    /// [`BackendError::Option`] if a provider and a plug-in are named, or a file that is not fetched here.
    pub(crate) fn check(&self) -> Result<(), BackendError> {
        let fetched = [
            ("version", "library", &self.version),
            ("ep-package", "ep-library", &self.ep_package),
        ];
        if let Some((option, path, _)) = fetched.into_iter().find(|(.., value)| value.is_some()) {
            return Err(BackendError::Option {
                option: option.to_owned(),
                message: format!(
                    "is for the harness, which fetches the file: give `{path}` to the worker itself"
                ),
            });
        }
        if self.is_plugin() && self.provider.is_some() {
            return Err(BackendError::Option {
                option: "provider".to_owned(),
                message: "is set together with `ep` or `ep-library`; set only one".to_owned(),
            });
        }
        Ok(())
    }

    /// The name of the execution provider, if it is no plug-in.
    pub(crate) fn provider(&self) -> &str {
        self.provider.as_deref().unwrap_or(CPU)
    }

    /// Whether other providers may run nodes that the requested one does not take.
    pub(crate) fn falls_back(&self) -> bool {
        self.fallback
            .map_or(!self.is_plugin(), |fallback| fallback == Switch::On)
    }

    /// Whether the provider is another one than that of the CPU, which takes every model.
    pub(crate) fn names_provider(&self) -> bool {
        self.is_plugin() || self.provider() != CPU
    }

    /// Whether the provider must take a model whole.
    pub(crate) fn is_strict(&self) -> bool {
        !self.falls_back() && self.names_provider()
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
    use std::collections::BTreeMap;

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
        let threads = "4".parse().expect("four");
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
            Err(
                "option `thread`: unknown option; known: library, version, optimization, without, save, threads",
            ),
        );
    }

    #[test]
    fn options_in_effect_can_be_parsed_again() {
        let pair = |name: &str| Below(BTreeMap::from([(name.to_owned(), "1".to_owned())]));
        let plain = Settings {
            spinning: Switch::On,
            optimization: Optimization::Layout,
            without: Some("ConstantFolding+MatMulAddFusion".to_owned()),
            ..Settings::default()
        };
        let plugged = Settings {
            ep: Some("webgpu".to_owned()),
            ep_library: Some("/x/lib.so".to_owned()),
            ep_device: Some("gpu".to_owned()),
            ep_options: pair("a.b"),
            config: pair("session.c"),
            fallback: Some(Switch::Off),
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
        let both = Settings::from_options(given.into_iter().collect()).expect("valid");
        let error = both.check().expect_err("two providers");
        assert!(error.to_string().contains("set only one"), "{error}");
        for (options, falls_back) in [
            (&[("ep", "webgpu")][..], false),
            (&[("ep-library", "/x")], false),
            (&[("ep", "webgpu"), ("fallback", "on")], true),
            (&[("provider", "CUDA")], true),
        ] {
            let settings = Settings::from_options(options.iter().copied().collect()).expect("valid");
            assert_eq!(settings.falls_back(), falls_back, "{options:?}");
        }
    }
}
