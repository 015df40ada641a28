//! The subject of a statement: the files of a backend with their digests.

use std::path::{Path, PathBuf};

use harness_conformance::run::program_file;
use harness_corpus::Sha256;
use harness_fetch::Lockfile;
use harness_statement::Subject;
use harness_worker::{WorkerSpec, backend};
use run_record::Report;

use super::read;
use crate::CliError;
use crate::selection::fetcher;

/// The files of the backend of a run, which were not rebuilt after it.
pub(super) fn subject_of_run(report: &Report, name: &str) -> Result<Vec<Subject>, CliError> {
    let text = report.started.repeat.named.get(name).map_or(name, String::as_str);
    let spec = backend::parse(text, &Lockfile::embedded()?, &fetcher()?)?;
    let built = report.started.fingerprint.get(&format!("backend {name}"));
    let is_same = |file: String| built.is_none_or(|built| built.contains(&file));
    if !program_file(&spec.command).is_none_or(is_same) {
        return Err(CliError::Usage(format!(
            "{} was rebuilt after the run: run it again",
            spec.command.display()
        )));
    }
    subject(&spec)
}

/// The files of a backend: the program, files among its arguments and in its environment (the library of
/// the runtime).
///
/// # Errors
/// A file cannot be read, or the worker is on another machine.
pub(super) fn subject(spec: &WorkerSpec) -> Result<Vec<Subject>, CliError> {
    if spec.launcher.is_some() {
        return Err(CliError::Usage(format!(
            "the files of `{}` are on another machine: make or verify the statement there",
            spec.name
        )));
    }
    let words = spec.args.iter().chain(spec.env.values()).map(PathBuf::from);
    let files = std::iter::once(spec.command.clone()).chain(words);
    let described = |path: &Path| {
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Ok(Subject::new(file, Sha256::of(&read(path)?).to_string()))
    };
    let found = files.filter(|path| path.is_file());
    found.map(|path| described(&path)).collect()
}
