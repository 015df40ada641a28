//! The conformance cases of ONNX as tests of a Rust runtime.
//!
//! A test without the standard harness (`harness = false` in `Cargo.toml`) calls [`Suite::run`] with the
//! backend, and each case is a test of its own:
//!
//! ```no_run
//! # use backend_api::{Backend, BackendError, Description, LoadRequest, Session};
//! # struct MyBackend;
//! # impl Backend for MyBackend {
//! #     fn describe(&self) -> Description { Description::default() }
//! #     fn load(&mut self, _: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
//! #         Err(BackendError::unsupported("everything"))
//! #     }
//! # }
//! fn main() -> std::process::ExitCode {
//!     onnx_conformance_test::Suite::new("my-runtime")
//!         .arguments(["--filter", "*/node/*"])
//!         .run(|options| options.finish().map(|()| MyBackend))
//! }
//! ```
//!
//! The program `onnx-conformance` selects the cases, runs the backend in worker processes and judges its
//! answers; this crate starts it and shows its results. Unsupported cases, and those that a baseline excuses,
//! are ignored tests with their reason.

#![warn(missing_docs)]

mod program;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use backend_api::protocol::FD_IN;
use backend_api::{Backend, BackendError, Options};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

use program::{Program, ProgramError, Results};

/// The tests of a backend.
#[derive(Clone, Debug)]
pub struct Suite {
    name: String,
    arguments: Vec<String>,
    baseline: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl Suite {
    /// The cases of the newest release of ONNX whose data can be downloaded, on a backend of this name. The
    /// name is that of reports and of the baseline, and none of a backend of `onnx-conformance`.
    pub fn new(name: impl Into<String>) -> Suite {
        Suite {
            name: name.into(),
            arguments: Vec::new(),
            baseline: None,
            program: None,
        }
    }

    /// The path of the program `onnx-conformance`. By default the variable `ONNX_CONFORMANCE_PROGRAM` names
    /// it, or else it is in `PATH`.
    #[must_use]
    pub fn program(mut self, path: impl Into<PathBuf>) -> Suite {
        self.program = Some(path.into());
        self
    }

    /// Adds arguments of `onnx-conformance conformance`, which select the cases, the policy and limits:
    /// `["--release", "all"]`, `["--builtin"]`, `["--generated"]`.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl Into<String>>) -> Suite {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Expects the failures of this baseline: only what is worse fails. The path is relative to the folder of
    /// the package.
    #[must_use]
    pub fn baseline(mut self, path: impl AsRef<Path>) -> Suite {
        self.baseline = Some(path.as_ref().to_path_buf());
        self
    }

    /// Runs the tests with a backend of this program: the program starts itself as its worker, which is
    /// `make` with the options of the backend (`--opt` of [`backend_api::serve`]).
    ///
    /// Call it first in `main`: in a worker it serves the backend instead.
    pub fn run<B: Backend>(self, make: impl FnOnce(Options) -> Result<B, BackendError>) -> ExitCode {
        if std::env::var_os(FD_IN).is_some() {
            return backend_api::serve(make);
        }
        match std::env::current_exe() {
            Ok(path) => self.run_worker(&format!("cmd:{}", quoted(&path))),
            Err(error) => failure(&format!("the path of this program is unknown: {error}")),
        }
    }

    /// Runs the tests with the worker of this text for `--backend`: `cmd:./my-worker --flag`.
    pub fn run_worker(self, backend: &str) -> ExitCode {
        let arguments = Arguments::from_args();
        match self.trials(backend, &arguments) {
            Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
            Err(error) => failure(&error.to_string()),
        }
    }

    /// A test for each case. The selected ones have been run, unless the tests are only listed.
    fn trials(self, backend: &str, arguments: &Arguments) -> Result<Vec<Trial>, ProgramError> {
        let program = Program {
            path: program::path(self.program),
            backend: format!("{}={backend}", self.name),
            arguments: self.arguments,
            baseline: self.baseline,
        };
        let results = Arc::new(OnceLock::new());
        let cases = program.cases()?;
        let trials: Vec<Trial> = cases
            .iter()
            .map(|case| trial(case, Arc::clone(&results)))
            .collect();
        let selected: Vec<&str> = trials
            .iter()
            .filter(|trial| !arguments.is_filtered_out(trial))
            .map(Trial::name)
            .collect();
        if !arguments.list && !selected.is_empty() {
            let only = if selected.len() < trials.len() {
                &selected[..]
            } else {
                &[]
            };
            // Nothing else sets it.
            let _ = results.set(program.run(only)?);
        }
        Ok(trials)
    }
}

/// The test of a case, which shows its result.
fn trial(case: &str, results: Arc<OnceLock<Results>>) -> Trial {
    let id = case.to_owned();
    Trial::ignorable_test(case, move || {
        let result = results.get().and_then(|results| results.get(&id));
        let result = result.ok_or_else(|| Failed::from("the report has no result of this case"))?;
        match result.status.as_str() {
            "passed" => Ok(Completion::Completed),
            "skipped" => Ok(Completion::ignored_with(result.reason())),
            _ => Err(Failed::from(result.reason())),
        }
    })
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

fn failure(problem: &str) -> ExitCode {
    eprintln!("error: {problem}");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word() {
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }
}
