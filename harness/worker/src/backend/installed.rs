//! The library of ONNX Runtime in an installed Python package.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, str};

use super::start::PYTHON;

/// Prints the folder of the package without importing it; nothing if it is not installed.
const FIND: &str = "\
from importlib.util import find_spec
spec = find_spec('onnxruntime')
print(*(spec.submodule_search_locations or [])[:1] if spec else [], end='')";

/// Why there is no such library.
#[derive(Debug, thiserror::Error)]
pub enum NotInstalled {
    /// The interpreter cannot be started.
    #[error(
        "cannot start `{}`: {error}; `{PYTHON}` names another interpreter", python.display()
    )]
    Start {
        /// The interpreter.
        python: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// The interpreter failed.
    #[error("`{}` cannot look for packages: {said}", python.display())]
    Failed {
        /// The interpreter.
        python: PathBuf,
        /// The last line of its stderr.
        said: String,
    },
    /// The package is not installed.
    #[error(
        "the Python package onnxruntime is not installed for `{}`: `pip install 'onnx-conformance[ort]'` \
         installs it beside this program, and `{PYTHON}` names another interpreter",
        .0.display()
    )]
    Package(PathBuf),
    /// The package has no library of its own.
    #[error("`{}` has no library of ONNX Runtime: its packages have one from 1.19 on", .0.display())]
    Library(PathBuf),
}

/// The library of the package `onnxruntime` in the Python environment of this program; of the interpreter
/// that a variable names, if it does.
///
/// # Errors
/// There is no interpreter, no such package, or no library in it.
pub(super) fn library() -> Result<PathBuf, NotInstalled> {
    let python = env::var_os(PYTHON).map_or_else(beside, PathBuf::from);
    // Isolated: a folder of that name in the working folder is not the package.
    let asked = Command::new(&python).args(["-I", "-c", FIND]).output();
    let said = match asked {
        Ok(said) => said,
        Err(error) => return Err(NotInstalled::Start { python, error }),
    };
    let text = |bytes| str::from_utf8(bytes).unwrap_or_default().trim().to_owned();
    if !said.status.success() {
        let said = text(&said.stderr);
        return Err(NotInstalled::Failed {
            python,
            said: said.lines().last().unwrap_or_default().to_owned(),
        });
    }
    match text(&said.stdout) {
        folder if folder.is_empty() => Err(NotInstalled::Package(python)),
        folder => in_package(Path::new(&folder)),
    }
}

/// The interpreter of the environment in which this program is installed, or else the one of `PATH`.
fn beside() -> PathBuf {
    let name = if cfg!(windows) { "python" } else { "python3" };
    let program = env::current_exe().unwrap_or_default();
    let python = program.with_file_name(format!("{name}{}", env::consts::EXE_SUFFIX));
    if python.is_file() { python } else { name.into() }
}

/// The library in the folder of a package. The libraries of providers beside it have longer names.
fn in_package(folder: &Path) -> Result<PathBuf, NotInstalled> {
    let folder = folder.join("capi");
    let start = format!("{}onnxruntime.", env::consts::DLL_PREFIX);
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix(&start)
            .is_some_and(|rest| rest.split('.').any(|part| part == env::consts::DLL_EXTENSION))
    };
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let found = entries.map(|entry| entry.path()).filter(is_library).min();
    found.ok_or(NotInstalled::Library(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_not_one_of_a_provider() {
        let folder = tempfile::tempdir().unwrap();
        let capi = folder.path().join("capi");
        let error = in_package(folder.path()).unwrap_err().to_string();
        assert!(error.contains("from 1.19 on"), "{error}");
        fs::create_dir(&capi).unwrap();
        let (start, end) = (env::consts::DLL_PREFIX, env::consts::DLL_EXTENSION);
        for name in [
            format!("{start}onnxruntime_providers_shared.{end}"),
            format!("onnxruntime_pybind11_state.{end}"),
            format!("{start}onnxruntime.txt"),
        ] {
            fs::write(capi.join(name), "").unwrap();
        }
        assert!(in_package(folder.path()).is_err());
        let library = capi.join(format!("{start}onnxruntime.{end}"));
        fs::write(&library, "").unwrap();
        assert_eq!(in_package(folder.path()).unwrap(), library);
    }
}
