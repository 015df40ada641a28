//! The ONNX Runtime of a process: its library, environment and providers. There is at most one.

use std::ffi::CStr;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use backend_api::{BackendError, Switch};
use ort::environment::Environment;
use ort::logging::LogLevel;
use ort::sys;

use crate::ffi::interface::{self, OLDEST, has};
use crate::ffi::{Assignment, Device, Plugins, call};
use crate::plugin::Plugin;
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
    /// The second number of the version: 12 of 1.12.1.
    pub(crate) minor: u32,
    /// The functions that return the providers of nodes; `None` before version 1.24.
    pub(crate) assignment: Option<Assignment>,
    /// The functions for libraries with providers; `None` before version 1.22.
    plugins: Option<Plugins>,
    /// The registered library; `None` if the settings name none.
    pub(crate) plugin: Option<Plugin>,
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
        let base = base(&library)?;
        let version = version(base);
        let minor =
            minor(&version).ok_or_else(|| unusable(&library, &format!("its version is {version}")))?;
        let environment = environment(&library, base, &version, minor)?;
        // SAFETY: the runtime stays loaded.
        let (plugins, assignment) = unsafe { (Plugins::of(base, minor), Assignment::of(base, minor)) };
        let plugin = match (plugins, &assignment) {
            _ if !settings.is_plugin() => None,
            (Some(functions), Some(_)) => Some(Plugin::register(functions, &environment, settings)?),
            _ => return Err(unproven("ep", &version)),
        };
        let runtime = Arc::new(Runtime {
            environment,
            version,
            minor,
            assignment,
            plugins,
            plugin,
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
        let registered = self.plugin.as_ref().map(|plugin| plugin.library.as_path());
        let asked = settings
            .ep_library
            .as_ref()
            .map(|path| Path::new(path).canonicalize());
        let asked = asked.transpose();
        if settings.is_plugin() != registered.is_some() || asked.ok().flatten().as_deref() != registered {
            return fixed("ep-library", "the runtime was loaded with another one".to_owned());
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

    /// Returns the devices of every registered provider; none before version 1.22.
    pub(crate) fn devices(&self) -> Vec<Device> {
        let devices = self.plugins.map(|plugins| plugins.devices(&self.environment));
        devices.and_then(Result::ok).unwrap_or_default()
    }

    /// Checks that the settings can be used with this runtime. Returns the full name of the provider.
    pub(crate) fn check(&self, settings: &Settings) -> Result<String, BackendError> {
        let provider = match &self.plugin {
            Some(plugin) => plugin.device(settings)?.provider.clone(),
            None => self.provider(settings.provider())?,
        };
        if !settings.falls_back() && self.assignment.is_none() {
            Err(unproven("fallback", &self.version))
        } else {
            Ok(provider)
        }
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
        .as_ref()
        .map(PathBuf::from)
        .or_else(|| std::env::var_os(LIBRARY_VARIABLE).map(PathBuf::from))
        .filter(|path| !path.as_os_str().is_empty())
        .ok_or_else(|| BackendError::Missing {
            message: format!(
                "no ONNX Runtime library; set {LIBRARY_VARIABLE} or the option `library` to libonnxruntime.so \
                 (onnxruntime.dll, libonnxruntime.dylib) of version 1.{OLDEST} or later: it lies in `onnxruntime/capi` of the \
                 Python package onnxruntime from 1.19 on, in `bin` of the npm package onnxruntime-node, and in \
                 `lib` of ONNX Runtime's own releases"
            ),
        })?;
    named.canonicalize().map_err(|error| BackendError::Missing {
        message: format!(
            "the ONNX Runtime library {} cannot be opened: {error}",
            named.display()
        ),
    })
}

/// An older runtime cannot prove that a provider ran a node.
fn unproven(option: &str, version: &str) -> BackendError {
    BackendError::Option {
        option: option.to_owned(),
        message: format!(
            "ONNX Runtime {version} does not report the provider of each node; use 1.24 or later"
        ),
    }
}

fn unusable(library: &Path, reason: &dyn Display) -> BackendError {
    BackendError::Missing {
        message: format!("{} is not a usable ONNX Runtime: {reason}", library.display()),
    }
}

/// Gives the functions of a loaded library to `ort`, and makes the environment of the process.
fn environment(
    library: &Path,
    base: *const sys::OrtApiBase,
    version: &str,
    minor: u32,
) -> Result<Environment, BackendError> {
    // SAFETY: the base belongs to the loaded library, which is of this version.
    let table = unsafe { interface::table(base, minor) }.ok_or_else(|| {
        let reason = format!("its version is {version}, but 1.{OLDEST} or a later one is needed");
        unusable(library, &reason)
    })?;
    if !ort::set_api(table) {
        return Err(unusable(library, &"this process uses another one"));
    }
    let builder = ort::init().with_name("onnx-conformance").with_telemetry(false);
    let environment = builder.build().map_err(|error| unusable(library, &error))?;
    // The runtime also returns logged errors as statuses.
    if has!(minor, UpdateEnvWithCustomLogLevel) {
        environment.set_log_level(LogLevel::Fatal);
    }
    Ok(environment)
}

/// Loads a library for the life of the process, and returns its entry point.
fn base(library: &Path) -> Result<*const sys::OrtApiBase, BackendError> {
    type GetApiBase = unsafe extern "system" fn() -> *const sys::OrtApiBase;
    let load = || -> Result<*const sys::OrtApiBase, libloading::Error> {
        // SAFETY: the user names this file as ONNX Runtime, whose initialisers have no preconditions.
        let loaded = unsafe { libloading::Library::new(library) }?;
        // SAFETY: the entry point has this signature in every release.
        let base = unsafe { loaded.get::<GetApiBase>(b"OrtGetApiBase\0")?() };
        // The functions of the library are used until the process ends.
        std::mem::forget(loaded);
        Ok(base)
    };
    match load() {
        Ok(base) if base.is_null() => Err(unusable(library, &"OrtGetApiBase returns null")),
        Ok(base) => Ok(base),
        Err(error) => Err(unusable(library, &error)),
    }
}

/// Returns the version of the library.
fn version(base: *const sys::OrtApiBase) -> String {
    // SAFETY: the base is not null, and its library stays loaded.
    let text = unsafe { ((*base).GetVersionString)() };
    // SAFETY: a string constant of the library.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The second number of a version 1.x; `None` for another one.
fn minor(version: &str) -> Option<u32> {
    version.strip_prefix("1.")?.split('.').next()?.parse().ok()
}
