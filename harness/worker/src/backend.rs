//! From what a person types after `--backend` to the workers to start.

use std::collections::BTreeMap;

use harness_corpus::{CorpusError, Fetcher, Lockfile};

use crate::{SpecError, WorkerSpec, is_remote};

/// The backends of this repository: what runs where none is named. The first says what is right.
pub const ALL: [&str; 4] = ["reference", "native", "ort", "tract"];

/// Those of them whose speed is of interest.
pub const TIMED: [&str; 3] = ["native", "ort", "tract"];

/// The variable that names the Python interpreter of `onnx-backend:…`; `python3` of `PATH` without it.
const PYTHON: &str = "ONNX_CONFORMANCE_PYTHON";

/// The module of the Python SDK that serves any module with the interface of `onnx.backend.base`.
const BRIDGE: &str = "onnx_conformance.bridge";

/// The option of `ort` that names a version of the lock.
const VERSION: &str = "version";

/// The option of `ort` that names a library.
const LIBRARY: &str = "library";

/// The variable that names the ONNX Runtime library.
const ORT_LIBRARY: &str = "ORT_DYLIB_PATH";

/// Why a text names no backend.
#[derive(Debug, thiserror::Error)]
pub enum BackendTextError {
    /// No worker of that name, or a malformed command.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The runtime that a backend needs cannot be had.
    #[error("backend `{backend}`: {error}")]
    Runtime {
        /// The backend.
        backend: String,
        /// Why not.
        #[source]
        error: CorpusError,
    },
    /// `ort` with a version and a library.
    #[error("backend `{0}` has both `version` and `library`; one of them is enough")]
    TwoLibraries(String),
    /// `onnx-backend:` without a module.
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
    /// Whether the text is well formed, and what it names is not there.
    pub fn is_missing(&self) -> bool {
        match self {
            BackendTextError::Spec(SpecError::Missing { .. } | SpecError::CurrentExe(_))
            | BackendTextError::Runtime { .. } => true,
            BackendTextError::Spec(SpecError::Command(_) | SpecError::Remote { .. })
            | BackendTextError::Module(_)
            | BackendTextError::TwoLibraries(_)
            | BackendTextError::Option { .. } => false,
        }
    }
}

/// The name that a text gives its backend, and what it names: `new` and `ort:threads=2` of `new=ort:threads=2`. None where the
/// text gives no name.
pub fn alias(text: &str) -> Option<(&str, &str)> {
    let named = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    text.split_once('=')
        .filter(|(name, backend)| !name.is_empty() && name.chars().all(named) && !backend.is_empty())
}

/// How reports call the backend that a text names: its alias, or the whole text.
pub fn name(text: &str) -> &str {
    alias(text).map_or(text, |(name, _)| name)
}

/// The workers that `text` names: `ort`, `ort:optimization=disable,threads=2`, `cmd:./my-worker --flag`, or
/// `onnx-backend:MODULE[:DEVICE]` for a Python module with the interface of `onnx.backend.base`.
///
/// ONNX Runtime's library is fetched as pinned in the lock, unless `ORT_DYLIB_PATH` names another; `ort:version=1.20.1` is
/// another version of the lock.
///
/// `NAME=` before any of them is how reports call the backend.
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
    // A malformed text is an error of its own, whether or not the worker is there.
    let mut options = parse_options(text, options)?;
    // The worker knows no versions: the option names a library of the lock.
    let version = (name == "ort").then(|| options.remove(VERSION)).flatten();
    if version.is_some() && options.contains_key(LIBRARY) {
        return Err(BackendTextError::TwoLibraries(text.to_owned()));
    }
    let mut spec = WorkerSpec::parse(name)?;
    // Reports and the command that repeats a case show what was typed.
    spec.name = text.to_owned();
    spec.options = options;
    if name != "ort" {
        return Ok(spec);
    }
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

/// The worker that serves a Python module. Whether the module imports is found out by the handshake.
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
    fn a_name_stands_before_an_equals_sign() {
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
    fn a_bridge_to_nothing_is_refused() {
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
