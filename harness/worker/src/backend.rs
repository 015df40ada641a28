//! Parses the argument of `--backend` into the workers to start.

use std::collections::BTreeMap;
use std::path::Path;

use harness_corpus::{CorpusError, FetchEvent, Fetcher, Lockfile};

use crate::remote::files;
use crate::{SendError, SpecError, WorkerSpec, is_remote};

/// The backends of this repository, which are the default. The first is the reference.
pub const ALL: [&str; 4] = ["reference", "native", "ort", "tract"];

/// The backends that are timed.
pub const TIMED: [&str; 3] = ["native", "ort", "tract"];

/// The names of all backends of this repository.
const BUILT_IN: [&str; 5] = ["reference", "native", "ort", "tract", "rten"];

/// Whether this is the name of a backend of this repository.
pub fn is_built_in(name: &str) -> bool {
    BUILT_IN.contains(&name)
}

/// Whether a text for `--backend`, without an alias, names a program other than an installed worker, or has
/// options, one of which may be a library that the worker loads.
pub fn starts_program(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, _)| {
        matches!(scheme, "cmd" | "stdio" | "onnx-backend") || is_remote(scheme) || is_built_in(scheme)
    })
}

/// The environment variable with the Python interpreter of `onnx-backend:…`; default `python3` in `PATH`.
const PYTHON: &str = "ONNX_CONFORMANCE_PYTHON";

/// The module of the Python SDK that serves any module with the interface of `onnx.backend.base`.
const BRIDGE: &str = "onnx_conformance.bridge";

/// The option of `ort` that selects a version of the lock file.
const VERSION: &str = "version";

/// The options of `ort` for a plug-in provider: its name, the package with its library, and the library.
const EP: &str = "ep";
const EP_PACKAGE: &str = "ep-package";
const EP_LIBRARY: &str = "ep-library";

/// The option of `ort` that selects a library.
const LIBRARY: &str = "library";

/// The environment variable with the ONNX Runtime library.
const ORT_LIBRARY: &str = "ORT_DYLIB_PATH";

/// Why an argument is not a backend.
#[derive(Debug, thiserror::Error)]
pub enum BackendTextError {
    /// There is no worker of that name, or the command is malformed.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The runtime of a backend cannot be obtained.
    #[error("backend `{backend}`: {error}")]
    Runtime {
        /// The backend.
        backend: String,
        /// The error.
        #[source]
        error: CorpusError,
    },
    /// A file for a worker on another machine cannot be sent.
    #[error("backend `{backend}`: {error}")]
    Send {
        /// The backend.
        backend: String,
        /// The error.
        #[source]
        error: SendError,
    },
    /// `ort` has both a version and a library.
    #[error("backend `{0}` has both `version` and `library`; set only one")]
    TwoLibraries(String),
    /// `ort` has both a package and a library of a provider.
    #[error("backend `{0}` has both `ep-package` and `ep-library`; set only one")]
    TwoProviders(String),
    /// `onnx-backend:` has no module.
    #[error("backend `{0}` names no module; write `onnx-backend:MODULE` or `onnx-backend:MODULE:DEVICE`")]
    Module(String),
    /// An option that is not `key=value`.
    #[error("backend `{backend}`: option `{option}` is not of the form key=value")]
    Option {
        /// The backend.
        backend: String,
        /// The option.
        option: String,
    },
}

impl BackendTextError {
    /// Whether the text is well-formed, but the backend does not exist.
    pub fn is_missing(&self) -> bool {
        match self {
            BackendTextError::Spec(SpecError::Missing { .. } | SpecError::CurrentExe(_))
            | BackendTextError::Runtime { .. }
            | BackendTextError::Send { .. } => true,
            BackendTextError::Spec(SpecError::Command(_) | SpecError::Remote { .. })
            | BackendTextError::Module(_)
            | BackendTextError::TwoLibraries(_)
            | BackendTextError::TwoProviders(_)
            | BackendTextError::Option { .. } => false,
        }
    }
}

/// The alias of a backend and the rest: `new` and `ort:threads=2` of `new=ort:threads=2`. `None` without an
/// alias.
pub fn alias(text: &str) -> Option<(&str, &str)> {
    let named = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    text.split_once('=')
        .filter(|(name, backend)| !name.is_empty() && name.chars().all(named) && !backend.is_empty())
}

/// The name of a backend in reports: its alias, or the whole text.
pub fn name(text: &str) -> &str {
    alias(text).map_or(text, |(name, _)| name)
}

/// The workers of `text`: `ort`, `ort:optimization=disable,threads=2`, `cmd:./my-worker --flag`, or
/// `onnx-backend:MODULE[:DEVICE]` for a Python module with the interface of `onnx.backend.base`.
///
/// ONNX Runtime's library is fetched as pinned in the lock file, unless `ORT_DYLIB_PATH` selects another;
/// `ort:version=1.20.1` selects another version of the lock file. The library of a plug-in provider
/// (`ort:ep=webgpu`, `ort:ep-package=NAME==VERSION`) is fetched in the same way, unless `ep-library`
/// names it.
///
/// Files of this machine that the command of a worker on another one names (`ssh:HOST:@./my-worker`) are sent
/// there, unless they are there.
///
/// A prefix `NAME=` is the backend's name in reports.
pub fn parse(text: &str, lock: &Lockfile, fetcher: &Fetcher) -> Result<WorkerSpec, BackendTextError> {
    if let Some((alias, backend)) = alias(text) {
        let mut spec = parse(backend, lock, fetcher)?;
        spec.name = alias.to_owned();
        return Ok(spec);
    }
    let (name, options) = match text.split_once(':') {
        Some(("onnx-backend", module)) => return bridge(text, module),
        Some(("cmd" | "stdio", _)) | None => (text, None),
        Some((scheme, _)) if is_remote(scheme) => (text, None),
        Some((name, options)) => (name, Some(options)),
    };
    // A malformed argument is an error whether or not the worker exists.
    let mut options = parse_options(text, options)?;
    // The worker has no versions: the option selects a library of the lock file.
    let version = (name == "ort").then(|| options.remove(VERSION)).flatten();
    if version.is_some() && options.contains_key(LIBRARY) {
        return Err(BackendTextError::TwoLibraries(text.to_owned()));
    }
    let mut spec = WorkerSpec::parse(name)?;
    // Reports and the commands that repeat a case show the original text.
    spec.name = text.to_owned();
    spec.options = options;
    let tell = |file: &Path, bytes| fetcher.tell(&FetchEvent::Sending { file, bytes });
    files::send(&mut spec, tell).map_err(|error| BackendTextError::Send {
        backend: text.to_owned(),
        error,
    })?;
    if name != "ort" {
        return Ok(spec);
    }
    provider(&mut spec, lock, fetcher)?;
    if version.is_some() || std::env::var_os(ORT_LIBRARY).is_none() {
        let pin = match &version {
            Some(version) => lock.runtime_version(version),
            None => lock.runtime(),
        };
        let library = pin.and_then(|pin| fetcher.runtime_library(pin));
        let library = library.map_err(|error| BackendTextError::Runtime {
            backend: text.to_owned(),
            error,
        })?;
        spec.env
            .insert(ORT_LIBRARY.to_owned(), library.display().to_string());
    }
    Ok(spec)
}

/// Sets the library of a plug-in provider from a package of the lock file. A provider that the lock file does
/// not have is left to the worker, which says where its library is.
fn provider(spec: &mut WorkerSpec, lock: &Lockfile, fetcher: &Fetcher) -> Result<(), BackendTextError> {
    let package = spec.options.remove(EP_PACKAGE);
    if spec.options.contains_key(EP_LIBRARY) {
        return match package {
            Some(_) => Err(BackendTextError::TwoProviders(spec.name.clone())),
            None => Ok(()),
        };
    }
    let failed = |error| BackendTextError::Runtime {
        backend: spec.name.clone(),
        error,
    };
    let pin = match (&package, spec.options.get(EP)) {
        (Some(package), _) => Some(lock.provider_package(package).map_err(failed)?),
        (None, Some(name)) => lock.provider(name),
        (None, None) => None,
    };
    if let Some(pin) = pin {
        let library = fetcher.provider_library(&pin.package).map_err(failed)?;
        spec.options
            .insert(EP_LIBRARY.to_owned(), library.display().to_string());
        spec.options
            .entry(EP.to_owned())
            .or_insert_with(|| pin.provider.clone());
    }
    Ok(())
}

/// The options of a backend, `key=value,key=value`.
fn parse_options(backend: &str, options: Option<&str>) -> Result<BTreeMap<String, String>, BackendTextError> {
    let pair = |option: &str| {
        let pair = option.split_once('=').filter(|(key, _)| !key.is_empty());
        let (key, value) = pair.ok_or_else(|| BackendTextError::Option {
            backend: backend.to_owned(),
            option: option.to_owned(),
        })?;
        Ok((key.to_owned(), value.to_owned()))
    };
    options
        .into_iter()
        .flat_map(|options| options.split(','))
        .map(pair)
        .collect()
}

/// The worker that serves a Python module. The handshake fails if the module cannot be imported.
fn bridge(text: &str, module: &str) -> Result<WorkerSpec, BackendTextError> {
    if module.is_empty() || module.starts_with(['-', ':']) {
        return Err(BackendTextError::Module(text.to_owned()));
    }
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    Ok(WorkerSpec {
        args: ["-m", BRIDGE, module].map(str::to_owned).to_vec(),
        ..WorkerSpec::new(text, python)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_python_module_is_served_by_the_bridge() {
        let spec = bridge("onnx-backend:m.backend:CUDA:1", "m.backend:CUDA:1").expect("a module");
        assert_eq!(spec.args, ["-m", "onnx_conformance.bridge", "m.backend:CUDA:1"]);
        assert_eq!(spec.name, "onnx-backend:m.backend:CUDA:1");
    }

    #[test]
    fn an_alias_precedes_an_equals_sign() {
        for (text, expected) in [
            ("new=ort:version=1.31.1", Some(("new", "ort:version=1.31.1"))),
            ("my-npu.2=cmd:./npu --x=1", Some(("my-npu.2", "cmd:./npu --x=1"))),
            ("ort:threads=2", None),
            ("cmd:./npu --x=1", None),
            ("ort", None),
            ("=ort", None),
            ("new=", None),
        ] {
            assert_eq!(alias(text), expected, "{text}");
        }
    }

    #[test]
    fn a_bridge_without_a_module_is_rejected() {
        for module in ["", ":CPU", "--help"] {
            let text = format!("onnx-backend:{module}");
            let error = bridge(&text, module).expect_err(module).to_string();
            assert!(
                error.starts_with(&format!("backend `{text}` names no module")),
                "{error}"
            );
        }
    }
}
