//! Writes the folder of a statement.

use std::collections::BTreeMap;
use std::path::Path;

use harness_corpus::Sha256;
use run_record::{LOG, RunLog};
use run_record::{Report, replace_in};

use crate::envelope::seal;
use crate::files::{ENVELOPE, PackageError};
use crate::key::SigningKey;
use crate::predicate::{PREDICATE_TYPE, Resource, STATEMENT_TYPE, Statement, Subject, TestResult};
use crate::profile::ALL;
use crate::result::Judged;
use crate::rules::Rules;

/// The name of the statement's claim.
pub(crate) const CLAIM: &str = "claim";

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

/// Writes a package, and signs it if a key is given. An earlier package in the folder is replaced.
///
/// # Errors
/// The run is incomplete or does not have the backend, a profile or waiver does not fit, or a file
/// cannot be written.
pub fn write(
    folder: &Path,
    evidence: &Evidence,
    rules: &Rules,
    key: Option<&SigningKey>,
) -> Result<Statement, PackageError> {
    let log = evidence.files.get(LOG).map_or(&[][..], Vec::as_slice);
    let report = report(folder, log, &evidence.backend)?;
    let judged = rules.judge(&report, &evidence.backend, &evidence.profile)?;
    let statement = statement(evidence, &report, rules, judged);
    let payload =
        serde_json::to_vec(&statement).map_err(|error| PackageError::Statement(error.to_string()))?;
    for (name, bytes) in &evidence.files {
        replace_in(folder, name, bytes)?;
    }
    replace_in(folder, ENVELOPE, seal(&payload, key).as_bytes())?;
    Ok(statement)
}

/// The report of a log in `folder` that is complete and has the backend.
pub(crate) fn report(folder: &Path, log: &[u8], backend: &str) -> Result<Report, PackageError> {
    let report = Report::fold(RunLog::parse(&folder.join(LOG), log)?.events);
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
    Ok(report)
}

fn statement(evidence: &Evidence, report: &Report, rules: &Rules, judged: Judged) -> Statement {
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
    let title = rules
        .profiles()
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
