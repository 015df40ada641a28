//! The workers of a backend: its executable, and the library of its runtime.

use std::collections::BTreeMap;
use std::path::Path;

use harness_fetch::{FetchError, FetchEvent, Fetcher, Lockfile};

use super::{BackendArg, BackendTextError, Kind, VERSION, installed};
use crate::remote::files;
use crate::system::LOADS_LIBRARIES;
use crate::{SpecError, WorkerSpec};

/// The backend whose library is fetched.
pub(super) const ORT: &str = "ort";

/// The environment variable with the Python interpreter of `onnx-backend:…` (default `python3` in `PATH`) and
/// of `ort:version=installed`.
pub(super) const PYTHON: &str = "ONNX_CONFORMANCE_PYTHON";

/// The module of the Python SDK that serves any module with the interface of `onnx.backend.base`.
const BRIDGE: &str = "onnx_conformance.bridge";

/// The options of `ort` for a plug-in provider: its name, the package with its library, and the library.
const EP: &str = "ep";
const EP_PACKAGE: &str = "ep-package";
const EP_LIBRARY: &str = "ep-library";

/// The option of `ort` that selects a library.
const LIBRARY: &str = "library";

/// The value of the option `version` for the library of the Python package that is installed.
const INSTALLED: &str = "installed";

/// The environment variable with the ONNX Runtime library.
const ORT_LIBRARY: &str = "ORT_DYLIB_PATH";

/// The backend that is never timed.
const REFERENCE: &str = "reference";

/// The environment variable with the settings of glibc's allocator; other allocators ignore it.
const ALLOCATOR: &str = "GLIBC_TUNABLES";

/// Large pages, and freed tensors of up to 16 MiB that the next ones reuse: a quarter of the page faults of a
/// network of 100 MB, and 7 % less time.
const LARGE_PAGES: &str =
    "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=16777216:glibc.malloc.trim_threshold=67108864";

/// Refuses options of which only one can be followed.
pub(super) fn check(
    text: &str,
    name: &str,
    options: &BTreeMap<String, String>,
) -> Result<(), BackendTextError> {
    let both = |one, other| name == ORT && options.contains_key(one) && options.contains_key(other);
    if both(VERSION, LIBRARY) {
        return Err(BackendTextError::TwoLibraries(text.to_owned()));
    }
    if both(EP_PACKAGE, EP_LIBRARY) {
        return Err(BackendTextError::TwoProviders(text.to_owned()));
    }
    Ok(())
}

impl BackendArg {
    /// The workers.
    ///
    /// ONNX Runtime's library is fetched as pinned in the lock file, unless `ORT_DYLIB_PATH` selects another;
    /// `ort:version=1.20.1` selects another version of the lock file, and `ort:version=installed` the one of
    /// the Python package `onnxruntime` that is installed with this program. The library of a plug-in
    /// provider (`ort:ep=webgpu`, `ort:ep-package=NAME==VERSION`) is fetched in the same way, unless
    /// `ep-library` names it.
    ///
    /// Files of this machine that the command of a worker on another one names (`ssh:HOST:@./my-worker`) are
    /// sent there, unless they are there.
    ///
    /// # Errors
    /// There is no such worker, its runtime cannot be obtained, or a file cannot be sent.
    pub fn spec(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<WorkerSpec, BackendTextError> {
        let mut spec = match &self.kind {
            Kind::Module(module) => bridge(module),
            Kind::Program => WorkerSpec::parse(&self.text)?,
            Kind::Installed(name) => match WorkerSpec::parse(name) {
                Err(SpecError::Missing { .. }) if name == ORT && !LOADS_LIBRARIES => {
                    return Err(BackendTextError::Static(self.text.clone()));
                }
                found => found?,
            },
        };
        // Reports and the commands that repeat a case show the original text.
        spec.name = self.text.clone();
        spec.options = self.options.clone();
        let tell = |file: &Path, bytes| fetcher.tell(&FetchEvent::Sending { file, bytes });
        files::send(&mut spec, tell).map_err(|error| BackendTextError::Send {
            backend: self.text.clone(),
            error,
        })?;
        if self.worker() == Some(ORT) {
            self.with_libraries(&mut spec, lock, fetcher)?;
        }
        if self.worker() == Some(REFERENCE) && std::env::var_os(ALLOCATOR).is_none() {
            spec.env.insert(ALLOCATOR.to_owned(), LARGE_PAGES.to_owned());
        }
        spec.name = self.name().to_owned();
        Ok(spec)
    }

    /// Sets the libraries of ONNX Runtime and of its plug-in provider.
    fn with_libraries(
        &self,
        spec: &mut WorkerSpec,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<(), BackendTextError> {
        let failed = |error| BackendTextError::Runtime {
            backend: self.text.clone(),
            error,
        };
        provider(spec, lock, fetcher).map_err(failed)?;
        let given = spec.options.contains_key(LIBRARY) || std::env::var_os(ORT_LIBRARY).is_some();
        if self.version.is_some() || !given {
            let fetch = |pin: Result<_, _>| pin.and_then(|pin| fetcher.runtime_library(pin));
            let library = match self.version.as_deref() {
                Some(INSTALLED) => installed::library().map_err(|error| BackendTextError::Installed {
                    backend: self.text.clone(),
                    error,
                })?,
                Some(version) => fetch(lock.runtime_version(version)).map_err(failed)?,
                None => fetch(lock.runtime()).map_err(failed)?,
            };
            spec.env
                .insert(ORT_LIBRARY.to_owned(), library.display().to_string());
        }
        Ok(())
    }
}

/// Sets the library of a plug-in provider from a package of the lock file. A provider that the lock file does
/// not have is left to the worker, which says where its library is.
fn provider(spec: &mut WorkerSpec, lock: &Lockfile, fetcher: &Fetcher) -> Result<(), FetchError> {
    let package = spec.options.remove(EP_PACKAGE);
    if spec.options.contains_key(EP_LIBRARY) {
        return Ok(());
    }
    let pin = match (&package, spec.options.get(EP)) {
        (Some(package), _) => Some(lock.provider_package(package)?),
        (None, Some(name)) => lock.provider(name),
        (None, None) => None,
    };
    if let Some(pin) = pin {
        let library = fetcher.provider_library(&pin.package)?;
        spec.options
            .insert(EP_LIBRARY.to_owned(), library.display().to_string());
        spec.options
            .entry(EP.to_owned())
            .or_insert_with(|| pin.provider.clone());
    }
    Ok(())
}

/// The worker that serves a Python module. The handshake fails if the module cannot be imported.
fn bridge(module: &str) -> WorkerSpec {
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    WorkerSpec {
        args: ["-m", BRIDGE, module].map(str::to_owned).to_vec(),
        ..WorkerSpec::new(module, python)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_python_module_is_served_by_the_bridge() {
        let spec = bridge("m.backend:CUDA:1");
        assert_eq!(spec.args, ["-m", "onnx_conformance.bridge", "m.backend:CUDA:1"]);
    }
}
