//! The rules of a verifier: the files by which a package is judged, which are never those of the package.

use std::collections::BTreeMap;

use harness_corpus::errata::Errata;
use run_record::Report;
use run_record::{PolicyUsed, VerdictKind};

use crate::files::{PROFILES, PackageError, WAIVERS};
use crate::profile::Profiles;
use crate::result::{Judged, Waivers, is_disputed, judge};

/// The file with the policies.
pub const TOLERANCES: &str = "tolerances.toml";

/// The built-in files on which every run depends, by their names in a package.
const BUILT_IN: [(&str, &str); 5] = [
    ("corpora.lock", include_str!("../../../onnx-tests/corpora.lock")),
    ("errata.toml", include_str!("../../../onnx-tests/errata.toml")),
    ("readings.toml", include_str!("../../../onnx-tests/readings.toml")),
    (TOLERANCES, include_str!("../../../onnx-tests/tolerances.toml")),
    (PROFILES, crate::profile::EMBEDDED),
];

/// The rules of a verifier.
#[derive(Debug)]
pub struct Rules {
    /// The files that a package must have with these bytes.
    files: BTreeMap<String, Vec<u8>>,
    policy: PolicyUsed,
    profiles: Profiles,
    waivers: Waivers,
    errata: Errata,
}

/// A difference between a package and the rules of its verifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// A file has other bytes.
    #[error(
        "{0} of the package differs from that of this program: the package was made by another version, or with other rules"
    )]
    File(String),
    /// A file is not in the package.
    #[error("the package has no {0}")]
    Missing(String),
    /// The run has another policy.
    #[error("the run was judged by the policy {run}; expected {expected} (--policy, --tolerances)")]
    Policy {
        /// The policy of the run.
        run: String,
        /// The policy of the verifier.
        expected: String,
    },
    /// A waiver of the package is not one of the verifier.
    #[error("the package waives `{0}`, which is not in your waivers (--waivers): it counts as failed")]
    Waiver(String),
    /// A case counts as disputed in the log, but not by the errata.
    #[error("`{0}` is disputed in the log, but not by the errata: it counts as failed")]
    Disputed(String),
    /// The lists of the statement are other ones.
    #[error(
        "the lists of the statement do not follow from its log by your rules; the first difference is `{0}`"
    )]
    Lists(String),
}

impl Rules {
    /// The built-in rules with a policy, which is one of the file `tolerances`, and waivers.
    ///
    /// # Errors
    /// None of the built-in files is invalid as long as the tests pass.
    pub fn new(
        policy: PolicyUsed,
        tolerances: Option<Vec<u8>>,
        waivers: Waivers,
    ) -> Result<Rules, PackageError> {
        let mut files = built_in();
        if let Some(bytes) = tolerances {
            files.insert(TOLERANCES.to_owned(), bytes);
        }
        Ok(Rules {
            files,
            policy,
            profiles: Profiles::embedded()?,
            waivers,
            errata: Errata::embedded()?,
        })
    }

    pub fn profiles(&self) -> &Profiles {
        &self.profiles
    }

    /// The differences of a package's files, policy, waivers and disputed cases.
    pub(crate) fn compare(
        &self,
        files: &BTreeMap<String, Vec<u8>>,
        report: &Report,
        backend: &str,
    ) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (name, bytes) in &self.files {
            match files.get(name) {
                None => findings.push(Finding::Missing(name.clone())),
                Some(found) if found != bytes => findings.push(Finding::File(name.clone())),
                Some(_) => {}
            }
        }
        let run = &report.started.policy;
        if *run != self.policy {
            let shown = |policy: &PolicyUsed| format!("`{}` version {}", policy.name, policy.version);
            findings.push(Finding::Policy {
                run: shown(run),
                expected: shown(&self.policy),
            });
        }
        if let Some(bytes) = files.get(WAIVERS) {
            // A list that cannot be read waives nothing; what it was meant for counts as failed.
            let brought = Waivers::parse(&String::from_utf8_lossy(bytes)).unwrap_or_default();
            let unknown = brought.cases().filter(|case| !self.waivers.has(case));
            findings.extend(unknown.map(|case| Finding::Waiver(case.to_owned())));
        }
        let disputed = report.cases_of(backend).filter(|record| {
            record.verdict.kind() == VerdictKind::Disputed && !is_disputed(&self.errata, record)
        });
        findings.extend(disputed.map(|record| Finding::Disputed(record.case.clone())));
        findings
    }

    /// The lists of a report on a backend.
    ///
    /// # Errors
    /// There is no profile of this name, or a waiver excuses nothing.
    pub(crate) fn judge(
        &self,
        report: &Report,
        backend: &str,
        profile: &str,
    ) -> Result<Judged, PackageError> {
        let profile = self.profiles.find(profile)?;
        Ok(judge(report, backend, profile, &self.waivers, &self.errata)?)
    }
}

/// The built-in files on which every run depends.
pub fn built_in() -> BTreeMap<String, Vec<u8>> {
    BUILT_IN
        .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
        .into()
}
