//! Verifies the folder of a statement by the rules of the verifier.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use harness_corpus::Sha256;
use run_record::LOG;
use run_record::{Report, read_file, read_text};

use crate::envelope::open;
use crate::files::{ENVELOPE, PackageError};
use crate::key::VerifyingKey;
use crate::package::{CLAIM, report};
use crate::predicate::{PREDICATE_TYPE, STATEMENT_TYPE, Statement};
use crate::result::Judged;
use crate::rules::{Finding, Rules};

/// The maximum length of an envelope in bytes: a hundred times that of a run of all releases.
const MAX_ENVELOPE: u64 = 256 << 20;

/// The maximum length of another file in bytes.
const MAX_FILE: u64 = 1 << 30;

/// The maximum number of files in a package.
const MAX_FILES: usize = 64;

/// A package whose bytes are those of its statement.
#[derive(Debug, Clone)]
pub struct Verified {
    pub statement: Statement,
    /// The backend, by its name in the log.
    pub backend: String,
    /// The name of the profile.
    pub profile: String,
    /// Its log.
    pub report: Report,
    /// The lists by the rules of the verifier.
    pub judged: Judged,
    /// The differences from the rules of the verifier; a package with one is not accepted.
    pub findings: Vec<Finding>,
}

/// Verifies a package: the signature, if a key is given; the digest of each file; and that the lists
/// follow from the log by `rules`. Profiles, policies, errata and waivers of the package are compared, and
/// never used.
///
/// # Errors
/// The first fault of the package because of which there is nothing to judge.
pub fn verify(folder: &Path, rules: &Rules, key: Option<&VerifyingKey>) -> Result<Verified, PackageError> {
    let path = folder.join(ENVELOPE);
    let file = read_text(&path, MAX_ENVELOPE).map_err(|error| io_error(&path, error))?;
    let statement = parse(&open(&file, key)?)?;
    let files = files(folder, &statement)?;
    let (backend, profile) = claim(&statement)?;
    let log = files.get(LOG).ok_or_else(|| wrong(LOG, "is missing"))?;
    let report = report(folder, log, &backend)?;
    let mut findings = rules.compare(&files, &report, &backend);
    let judged = rules.judge(&report, &backend, &profile)?;
    findings.extend(first_difference(&statement, &judged).map(Finding::Lists));
    Ok(Verified {
        statement,
        backend,
        profile,
        report,
        judged,
        findings,
    })
}

/// Parses the payload of an envelope.
///
/// # Errors
/// [`PackageError::Statement`].
pub fn parse(payload: &[u8]) -> Result<Statement, PackageError> {
    let no_statement = |problem: String| PackageError::Statement(problem);
    let statement: Statement =
        serde_json::from_slice(payload).map_err(|error| no_statement(error.to_string()))?;
    let types = (
        statement.statement_type.as_str(),
        statement.predicate_type.as_str(),
    );
    if types == (STATEMENT_TYPE, PREDICATE_TYPE) {
        Ok(statement)
    } else {
        Err(no_statement(format!("its types are {} and {}", types.0, types.1)))
    }
}

/// The backend and the profile of a statement.
fn claim(statement: &Statement) -> Result<(String, String), PackageError> {
    let configuration = &statement.predicate.configuration;
    let claim = configuration.iter().find(|resource| resource.name == CLAIM);
    let fact = |name: &str| claim.and_then(|claim| claim.annotations.get(name)).cloned();
    match (fact("backend"), fact("profile")) {
        (Some(backend), Some(profile)) => Ok((backend, profile)),
        _ => Err(PackageError::Statement(
            "it names no backend or no profile".to_owned(),
        )),
    }
}

/// The first case that the statement lists elsewhere than `judged` does; the result if only that differs.
fn first_difference(statement: &Statement, judged: &Judged) -> Option<String> {
    let said = &statement.predicate;
    let lists = [
        (&said.passed_tests, &judged.passed),
        (&said.warned_tests, &judged.warned),
        (&said.failed_tests, &judged.failed),
    ];
    for (said, judged) in lists {
        let differs = (0..said.len().max(judged.len())).find(|&at| said.get(at) != judged.get(at));
        if let Some(at) = differs {
            return said.get(at).or(judged.get(at)).cloned();
        }
    }
    (said.result != judged.outcome()).then(|| said.result.name().to_owned())
}

/// The files of the folder, which are exactly those of the statement, with the same digests. Each is read
/// once, so that what is judged is what was checked.
fn files(folder: &Path, statement: &Statement) -> Result<BTreeMap<String, Vec<u8>>, PackageError> {
    let named: BTreeMap<&str, Option<&String>> = statement
        .predicate
        .configuration
        .iter()
        .filter(|resource| !resource.digest.is_empty())
        .map(|resource| (resource.name.as_str(), resource.digest.get("sha256")))
        .collect();
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| io_error(folder, error))? {
        let entry = entry.map_err(|error| io_error(folder, error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == ENVELOPE {
            continue;
        }
        let expected = named
            .get(name.as_str())
            .ok_or_else(|| wrong(&name, "is not named in the statement"))?;
        if files.len() == MAX_FILES {
            return Err(wrong(&name, "is one file too many: a package has at most 64"));
        }
        let bytes = read_file(&entry.path(), MAX_FILE).map_err(|error| io_error(&entry.path(), error))?;
        if *expected != Some(&Sha256::of(&bytes).to_string()) {
            return Err(wrong(
                &name,
                "differs from the file whose digest is in the statement",
            ));
        }
        files.insert(name, bytes);
    }
    match named.keys().find(|name| !files.contains_key(**name)) {
        Some(missing) => Err(wrong(missing, "is missing")),
        None => Ok(files),
    }
}

fn wrong(file: &str, problem: &'static str) -> PackageError {
    PackageError::File {
        file: file.to_owned(),
        problem,
    }
}

fn io_error(path: &Path, error: io::Error) -> PackageError {
    PackageError::Io {
        path: path.to_owned(),
        error,
    }
}
