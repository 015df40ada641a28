//! The ONNX Runtime of a process: its library, environment and providers. There is at most one.

use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use backend_api::{BackendError, Switch};
use ort::environment::Environment;
use ort::logging::LogLevel;
use ort::sys;

use crate::ffi::{Assignment, call};
use crate::settings::Settings;
use crate::{error, providers};

/// The environment variable with the path of the library, used without the option `library`.
const LIBRARY_VARIABLE: &str = "ORT_DYLIB_PATH";

/// The runtime reads this variable when it loads a model; "0" allows opsets that ONNX has not released.
const RELEASED_ONLY_VARIABLE: &str = "ALLOW_RELEASED_ONNX_OPSET_ONLY";

/// A process can load only one library and hold only one environment.
static RUNTIME: Mutex<Option<Arc<Runtime>>> = Mutex::new(None);

/// A loaded runtime.
pub(crate) struct Runtime {
    pub(crate) environment: Environment,
    pub(crate) library: PathBuf,
    pub(crate) version: String,
    /// The functions that return the providers of nodes; `None` before version 1.24.
    pub(crate) assignment: Option<Assignment>,
    unreleased_opsets: Switch,
}

impl Runtime {
    /// Loads the runtime, or returns the loaded one if it has the same settings.
    pub(crate) fn open(settings: &Settings) -> Result<Arc<Runtime>, BackendError> {
        let library = library(settings)?;
        // A panic in another thread leaves the slot unchanged.
        let mut slot = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = &*slot {
            runtime.check_same(&library, settings)?;
            return Ok(Arc::clone(runtime));
        }
        if settings.unreleased_opsets == Switch::On {
            // SAFETY: the runtime, which reads the environment from C, is not loaded yet. The lock of the
            // slot makes this the only writer in this crate, and Rust's own readers are synchronised with it.
            unsafe { std::env::set_var(RELEASED_ONLY_VARIABLE, "0") };
        }
        let environment = environment(&library)?;
        let base = base(&library)?;
        let runtime = Arc::new(Runtime {
            environment,
            version: version(base),
            // SAFETY: the environment keeps the runtime loaded.
            assignment: unsafe { Assignment::of(base) },
            library,
            unreleased_opsets: settings.unreleased_opsets,
        });
        Ok(Arc::clone(slot.insert(runtime)))
    }

    fn check_same(&self, library: &Path, settings: &Settings) -> Result<(), BackendError> {
        let fixed = |option: &str, message: String| {
            Err(BackendError::Option {
                option: option.to_owned(),
                message: format!("{message}; it is fixed for the life of the process"),
            })
        };
        if self.library != library {
            return fixed("library", format!("{} is already loaded", self.library.display()));
        }
        if self.unreleased_opsets != settings.unreleased_opsets {
            return fixed(
                "unreleased-opsets",
                "the runtime was loaded with another value".to_owned(),
            );
        }
        Ok(())
    }

    /// Returns the execution providers of this library.
    pub(crate) fn providers(&self) -> Result<Vec<String>, BackendError> {
        let (mut names, mut count) = (ptr::null_mut(), 0);
        // SAFETY: the runtime allocates the array, which is released below.
        unsafe { call!(GetAvailableProviders(&mut names, &mut count)) }.map_err(error::load)?;
        let copy = |index| {
            // SAFETY: the array holds `count` NUL-terminated strings.
            let name = unsafe { CStr::from_ptr(*names.add(index)) };
            name.to_string_lossy().into_owned()
        };
        let copies = (0..usize::try_from(count).unwrap_or(0)).map(copy).collect();
        // SAFETY: the array was returned by the call above and is not used again.
        unsafe { call!(ReleaseAvailableProviders(names, count)) }.map_err(error::load)?;
        Ok(copies)
    }

    /// Returns the full name of a provider: `name` with or without `ExecutionProvider`, in upper or lower
    /// case, or another common name.
    pub(crate) fn provider(&self, name: &str) -> Result<String, BackendError> {
        let present = self.providers()?;
        let found = present.iter().find(|full| providers::means(name, full));
        found.cloned().ok_or_else(|| {
            let source = match providers::source(name) {
                Some(source) => format!("{source}, has it: name its library by `library=FILE`"),
                None => "ONNX Runtime has no provider of this name".to_owned(),
            };
            BackendError::Missing {
                message: format!(
                    "{} has no execution provider `{name}`; available: {}; {source}",
                    self.library.display(),
                    present.join(", ")
                ),
            }
        })
    }
}

/// Returns the absolute path of the library.
fn library(settings: &Settings) -> Result<PathBuf, BackendError> {
    let named = settings
        .library
        .clone()
        .or_else(|| std::env::var_os(LIBRARY_VARIABLE).map(PathBuf::from))
        .filter(|path| !path.as_os_str().is_empty())
        .ok_or_else(|| BackendError::Missing {
            message: format!(
                "no ONNX Runtime library; set {LIBRARY_VARIABLE} or the option `library` to libonnxruntime.so \
                 (onnxruntime.dll, libonnxruntime.dylib) of version 1.{} or later: it lies in `onnxruntime/capi` of the \
                 Python package onnxruntime, and in `lib` of ONNX Runtime's own releases",
                ort::MINOR_VERSION
            ),
        })?;
    named.canonicalize().map_err(|error| BackendError::Missing {
        message: format!(
            "the ONNX Runtime library {} cannot be opened: {error}",
            named.display()
        ),
    })
}

fn environment(library: &Path) -> Result<Environment, BackendError> {
    let missing = |message: String| BackendError::Missing {
        message: format!("{} is not a usable ONNX Runtime: {message}", library.display()),
    };
    let builder = ort::init_from(library).map_err(|error| missing(error.to_string()))?;
    let environment = builder
        .with_name("onnx-conformance")
        .with_telemetry(false)
        .build()
        .map_err(|error| missing(error.to_string()))?;
    // The runtime also returns logged errors as statuses.
    environment.set_log_level(LogLevel::Fatal);
    Ok(environment)
}

/// Returns the entry point of a library that `ort` has loaded; `ort` does not expose it.
fn base(library: &Path) -> Result<*const sys::OrtApiBase, BackendError> {
    type GetApiBase = unsafe extern "system" fn() -> *const sys::OrtApiBase;
    let read = || -> Result<*const sys::OrtApiBase, libloading::Error> {
        // SAFETY: `ort` has loaded this library, so its initialisers have already run.
        let library = unsafe { libloading::Library::new(library) }?;
        // SAFETY: the entry point has this signature in every release; `ort` has called it.
        Ok(unsafe { library.get::<GetApiBase>(b"OrtGetApiBase\0")?() })
    };
    read().map_err(|error| BackendError::Missing {
        message: format!("{} is not a usable ONNX Runtime: {error}", library.display()),
    })
}

/// Returns the version of the library.
fn version(base: *const sys::OrtApiBase) -> String {
    // SAFETY: `ort` has checked that the base is not null, and keeps the library loaded.
    let text = unsafe { ((*base).GetVersionString)() };
    // SAFETY: a string constant of the library.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
