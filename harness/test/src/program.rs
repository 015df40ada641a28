//! The program `onnx-conformance`: the cases that it selects, and its results.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde::Deserialize;

/// The variable with the path of the program.
const VARIABLE: &str = "ONNX_CONFORMANCE_PROGRAM";

/// Its name in `PATH`.
const NAME: &str = "onnx-conformance";

/// The results, by the id of the case.
pub type Results = BTreeMap<String, CaseResult>;

/// Why there are no tests.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The program does not start.
    #[error("cannot start {} ({source}): `pip install {NAME}`, or set {VARIABLE} to its path", program.display())]
    Start {
        /// Its path.
        program: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The program ended without a list or a report.
    #[error("`{NAME} {command}` failed ({code}):\n{stderr}")]
    Ended {
        /// The command.
        command: &'static str,
        /// How it ended.
        code: std::process::ExitStatus,
        /// What it printed.
        stderr: String,
    },
    /// An answer has another form.
    #[error("`{NAME} {command}` wrote another form than this version expects: {source}")]
    Form {
        /// The command.
        command: &'static str,
        /// The error.
        source: serde_json::Error,
    },
    /// There is no folder for the report.
    #[error("cannot create a folder for the report: {0}")]
    Folder(io::Error),
}

/// The path of the program: this one, or that of the variable, or its name.
pub fn path(given: Option<PathBuf>) -> PathBuf {
    let of_variable = || std::env::var_os(VARIABLE).map(PathBuf::from);
    given.or_else(of_variable).unwrap_or_else(|| NAME.into())
}

/// The program with the arguments of a suite.
#[derive(Debug)]
pub struct Program {
    /// Its path.
    pub path: PathBuf,
    /// The value of `--backend`.
    pub backend: String,
    /// The arguments that select cases.
    pub arguments: Vec<String>,
    /// The baseline.
    pub baseline: Option<PathBuf>,
}

/// The result of a case.
#[derive(Debug)]
pub struct CaseResult {
    /// The status of CTRF: `passed`, `failed`, `skipped`, `pending`.
    pub status: String,
    verdict: String,
    message: String,
}

impl CaseResult {
    /// The reason; the verdict if there is none.
    pub fn reason(&self) -> String {
        match self.message.as_str() {
            "" => self.verdict.clone(),
            message => format!("{}: {message}", self.verdict),
        }
    }
}

/// The document of `--list=json`.
#[derive(Deserialize)]
struct Listed {
    cases: Vec<ListedCase>,
}

#[derive(Deserialize)]
struct ListedCase {
    id: String,
}

/// `ctrf.json`.
#[derive(Deserialize)]
struct Ctrf {
    results: CtrfResults,
}

#[derive(Deserialize)]
struct CtrfResults {
    tests: Vec<CtrfTest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CtrfTest {
    name: String,
    status: String,
    /// The backend, the corpus and the suite, which may be empty.
    suite: Vec<String>,
    raw_status: String,
    #[serde(default)]
    message: String,
}

impl Program {
    /// The ids of the selected cases.
    pub fn cases(&self) -> Result<Vec<String>, ProgramError> {
        let command = "conformance --list=json";
        let output = self.start(&["conformance", "--list=json"], &[])?;
        if !output.status.success() {
            return Err(ended(command, &output));
        }
        let listed: Listed = serde_json::from_slice(&output.stdout)
            .map_err(|source| ProgramError::Form { command, source })?;
        Ok(listed.cases.into_iter().map(|case| case.id).collect())
    }

    /// Runs the selected cases; of these only some, if any are named.
    pub fn run(&self, only: &[&str]) -> Result<Results, ProgramError> {
        let scratch = tempfile::tempdir().map_err(ProgramError::Folder)?;
        let folder = scratch.path().join("report");
        let (out, command) = (folder.display().to_string(), self.command());
        let baseline = self
            .baseline
            .as_ref()
            .map(|path| format!("--baseline={}", path.display()));
        let filters = only.iter().map(|case| format!("--filter={case}"));
        let further: Vec<String> = baseline.into_iter().chain(filters).collect();
        let output = self.start(&[command, "--quiet", "--out", &out], &further)?;
        // The exit code says that a case fails; its test says it too.
        let Ok(report) = fs::read(folder.join("ctrf.json")) else {
            return Err(ended(command, &output));
        };
        let ctrf: Ctrf =
            serde_json::from_slice(&report).map_err(|source| ProgramError::Form { command, source })?;
        Ok(ctrf.results.tests.into_iter().map(result).collect())
    }

    fn command(&self) -> &'static str {
        match self.baseline {
            Some(_) => "gate",
            None => "conformance",
        }
    }

    fn start(&self, command: &[&str], further: &[String]) -> Result<Output, ProgramError> {
        let started = Command::new(&self.path)
            .args(command)
            .args(&self.arguments)
            .args(further)
            .args(["--backend", &self.backend])
            .stdin(Stdio::null())
            .output();
        started.map_err(|source| ProgramError::Start {
            program: self.path.clone(),
            source,
        })
    }
}

fn ended(command: &'static str, output: &Output) -> ProgramError {
    ProgramError::Ended {
        command,
        code: output.status,
        stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    }
}

/// A result by the id of its case: corpus, suite and name, joined by slashes.
fn result(test: CtrfTest) -> (String, CaseResult) {
    let place = test.suite.iter().skip(1).chain([&test.name]);
    let parts: Vec<&str> = place
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    let result = CaseResult {
        status: test.status,
        verdict: test.raw_status,
        message: test.message,
    };
    (parts.join("/"), result)
}
