//! The folder of a statement: writes and verifies it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use harness_corpus::Sha256;
use reports::record::{LOG, LogError};
use reports::{Report, replace};

use crate::envelope::{EnvelopeError, open, seal};
use crate::key::{SigningKey, VerifyingKey};
use crate::predicate::{PREDICATE_TYPE, Resource, STATEMENT_TYPE, Statement, Subject, TestResult};
use crate::profile::{ALL, ProfileError, Profiles};
use crate::result::{Judged, WaiverError, Waivers, judge};

/// The envelope.
pub const ENVELOPE: &str = "statement.json";

/// The profiles used.
pub const PROFILES: &str = "profiles.toml";

/// The waivers, if there are any.
pub const WAIVERS: &str = "waivers.toml";

/// The name of the statement's claim.
const CLAIM: &str = "claim";

/// The contents of a statement.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The backend, by its name in the log.
    pub backend: String,
    /// The name of the profile.
    pub profile: String,
    /// The files of the backend.
    pub subject: Vec<Subject>,
    /// The files of the package by name; [`LOG`] and [`PROFILES`] are among them.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Why a package cannot be made or is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file of the package cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The envelope is not accepted.
    #[error("{ENVELOPE}: {0}")]
    Envelope(#[from] EnvelopeError),
    /// The envelope has no such statement.
    #[error("{ENVELOPE} has no statement of test results: {0}")]
    Statement(String),
    /// A file differs from that of the statement, is missing, or is not in the statement.
    #[error("{file} {problem}")]
    File {
        /// The file.
        file: String,
        /// The difference.
        problem: &'static str,
    },
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The profiles cannot be read, or have no such profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The waivers cannot be read, or have no effect.
    #[error(transparent)]
    Waivers(#[from] WaiverError),
    /// The run is incomplete.
    #[error("the run is incomplete; resume it by --resume")]
    Incomplete,
    /// The run has no such backend.
    #[error("the run has no backend `{name}`; it has {known}")]
    Backend {
        /// The name.
        name: String,
        /// The backends of the run.
        known: String,
    },
    /// The lists of the statement do not follow from its files.
    #[error("the results in {ENVELOPE} do not follow from {LOG}")]
    Results,
}

/// An accepted package.
#[derive(Debug, Clone)]
pub struct Verified {
    /// Its statement.
    pub statement: Statement,
    /// The backend, by its name in the log.
    pub backend: String,
    /// The name of the profile.
    pub profile: String,
    /// Its log.
    pub report: Report,
}

/// Writes a package, and signs it if a key is given. An earlier package in the folder is replaced.
///
/// # Errors
/// The run is incomplete or does not have the backend, a profile or waiver does not fit, or a file
/// cannot be written.
pub fn write(
    folder: &Path,
    evidence: &Evidence,
    key: Option<&SigningKey>,
) -> Result<Statement, PackageError> {
    fs::create_dir_all(folder).map_err(|error| io_error(folder, error))?;
    for (name, bytes) in &evidence.files {
        let path = folder.join(name);
        replace(&path, bytes).map_err(|error| io_error(&path, io::Error::other(error)))?;
    }
    let (report, judged) = results(folder, &evidence.backend, &evidence.profile)?;
    let statement = statement(evidence, &report, judged);
    let payload =
        serde_json::to_vec(&statement).map_err(|error| PackageError::Statement(error.to_string()))?;
    let path = folder.join(ENVELOPE);
    replace(&path, seal(&payload, key).as_bytes())
        .map_err(|error| io_error(&path, io::Error::other(error)))?;
    Ok(statement)
}

/// Verifies a package: the signature, if a key is given; the digest of each file; and that the results
/// follow from the files.
///
/// # Errors
/// The first fault of the package.
pub fn verify(folder: &Path, key: Option<&VerifyingKey>) -> Result<Verified, PackageError> {
    let path = folder.join(ENVELOPE);
    let file = fs::read_to_string(&path).map_err(|error| io_error(&path, error))?;
    let payload = open(&file, key)?;
    let no_statement = |problem: String| PackageError::Statement(problem);
    let statement: Statement =
        serde_json::from_slice(&payload).map_err(|error| no_statement(error.to_string()))?;
    let types = (
        statement.statement_type.as_str(),
        statement.predicate_type.as_str(),
    );
    if types != (STATEMENT_TYPE, PREDICATE_TYPE) {
        return Err(no_statement(format!("its types are {} and {}", types.0, types.1)));
    }
    check_files(folder, &statement)?;
    let configuration = &statement.predicate.configuration;
    let claim = configuration.iter().find(|resource| resource.name == CLAIM);
    let fact = |name: &str| claim.and_then(|claim| claim.annotations.get(name)).cloned();
    let (Some(backend), Some(profile)) = (fact("backend"), fact("profile")) else {
        return Err(no_statement("it names no backend or no profile".to_owned()));
    };
    let (report, judged) = results(folder, &backend, &profile)?;
    let said = &statement.predicate;
    let lists = (&said.passed_tests, &said.warned_tests, &said.failed_tests);
    if said.result != judged.outcome() || lists != (&judged.passed, &judged.warned, &judged.failed) {
        return Err(PackageError::Results);
    }
    Ok(Verified {
        statement,
        backend,
        profile,
        report,
    })
}

/// The log of a package, judged by its profile and waivers.
fn results(folder: &Path, backend: &str, profile: &str) -> Result<(Report, Judged), PackageError> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|error| io_error(&path, error))
    };
    let report = Report::read(folder)?;
    if !report.complete {
        return Err(PackageError::Incomplete);
    }
    if report.backend(backend).is_none() {
        let known = report.backends.iter().map(|backend| backend.info.name.as_str());
        return Err(PackageError::Backend {
            name: backend.to_owned(),
            known: known.collect::<Vec<_>>().join(", "),
        });
    }
    let profiles = Profiles::parse(&read(PROFILES)?)?;
    let waivers = match folder.join(WAIVERS).exists() {
        true => Waivers::parse(&read(WAIVERS)?)?,
        false => Waivers::default(),
    };
    let judged = judge(&report, backend, profiles.find(profile)?, &waivers)?;
    Ok((report, judged))
}

fn statement(evidence: &Evidence, report: &Report, judged: Judged) -> Statement {
    let facts = |name: &str, annotations: BTreeMap<String, String>| Resource {
        name: name.to_owned(),
        annotations,
        ..Resource::default()
    };
    let mut claim: BTreeMap<String, String> = [
        ("backend".to_owned(), evidence.backend.clone()),
        ("profile".to_owned(), evidence.profile.clone()),
        ("policy".to_owned(), report.started.policy.name.clone()),
        ("started".to_owned(), report.started.started.clone()),
        ("release".to_owned(), report.started.release.clone()),
    ]
    .into();
    let profiles = evidence
        .files
        .get(PROFILES)
        .and_then(|bytes| std::str::from_utf8(bytes).ok());
    let profiles = profiles
        .and_then(|text| Profiles::parse(text).ok())
        .unwrap_or_default();
    let title = profiles
        .find(&evidence.profile)
        .ok()
        .flatten()
        .map(|profile| profile.title.clone());
    claim.insert(
        "title".to_owned(),
        title.unwrap_or_else(|| format!("{ALL} cases of the run")),
    );
    let mut backend = BTreeMap::new();
    if let Some(found) = report.backend(&evidence.backend) {
        let info = &found.info;
        for (name, value) in [
            ("kind", &info.kind),
            ("version", &info.version),
            ("build", &info.build),
        ] {
            backend.insert(name.to_owned(), value.clone());
        }
        backend.insert("providers".to_owned(), info.providers.join(", "));
        let options = info
            .options
            .iter()
            .map(|(key, value)| (format!("option {key}"), value.clone()));
        backend.extend(options);
    }
    let environment = &report.started.environment;
    let machine = [
        ("os", environment.os.clone()),
        ("kernel", environment.kernel.clone()),
        ("cpu", environment.cpu.clone()),
        ("cores", environment.cores.to_string()),
        ("harness", environment.harness.clone()),
    ];
    let machine = machine.map(|(name, value)| (name.to_owned(), value)).into();
    let file = |(name, bytes): (&String, &Vec<u8>)| Resource {
        name: name.clone(),
        digest: [("sha256".to_owned(), Sha256::of(bytes).to_string())].into(),
        annotations: BTreeMap::new(),
    };
    let mut configuration = vec![
        facts(CLAIM, claim),
        facts("backend", backend),
        facts("machine", machine),
    ];
    configuration.extend(evidence.files.iter().map(file));
    Statement {
        statement_type: STATEMENT_TYPE.to_owned(),
        subject: evidence.subject.clone(),
        predicate_type: PREDICATE_TYPE.to_owned(),
        predicate: TestResult {
            result: judged.outcome(),
            configuration,
            passed_tests: judged.passed,
            warned_tests: judged.warned,
            failed_tests: judged.failed,
        },
    }
}

/// Checks that the files of the folder are exactly those of the statement, with the same digests.
fn check_files(folder: &Path, statement: &Statement) -> Result<(), PackageError> {
    let named: BTreeMap<&str, Option<&String>> = statement
        .predicate
        .configuration
        .iter()
        .filter(|resource| !resource.digest.is_empty())
        .map(|resource| (resource.name.as_str(), resource.digest.get("sha256")))
        .collect();
    let wrong = |file: &str, problem| PackageError::File {
        file: file.to_owned(),
        problem,
    };
    let mut present = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(|error| io_error(folder, error))? {
        let entry = entry.map_err(|error| io_error(folder, error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == ENVELOPE {
            continue;
        }
        let expected = named
            .get(name.as_str())
            .ok_or_else(|| wrong(&name, "is not named in the statement"))?;
        let bytes = fs::read(entry.path()).map_err(|error| io_error(&entry.path(), error))?;
        if *expected != Some(&Sha256::of(&bytes).to_string()) {
            return Err(wrong(
                &name,
                "differs from the file whose digest is in the statement",
            ));
        }
        present.insert(name);
    }
    match named.keys().find(|name| !present.contains(**name)) {
        Some(missing) => Err(wrong(missing, "is missing")),
        None => Ok(()),
    }
}

fn io_error(path: &Path, error: io::Error) -> PackageError {
    PackageError::Io {
        path: path.to_owned(),
        error,
    }
}

/// The built-in files on which every run depends.
pub fn embedded() -> BTreeMap<String, Vec<u8>> {
    [
        ("corpora.lock", include_str!("../../../onnx-tests/corpora.lock")),
        ("errata.toml", include_str!("../../../onnx-tests/errata.toml")),
        ("readings.toml", include_str!("../../../onnx-tests/readings.toml")),
        (
            "tolerances.toml",
            include_str!("../../../onnx-tests/tolerances.toml"),
        ),
        (PROFILES, crate::profile::EMBEDDED),
    ]
    .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
    .into()
}
