//! The result of each case for a provider.

use std::collections::{BTreeMap, BTreeSet};

use run_record::Report;
use run_record::{BackendInfo, CaseId, CaseRecord, ErrorStage, Exercise, Outcome, Verdict, VerdictKind};
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

use super::ProviderProfile;

/// The version of the document. Fields are added without a new version.
const FORMAT: u32 = 1;

/// The result of one case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProviderResult {
    /// The provider ran every node, and every output is right.
    Pass,
    /// The provider does not take the case, and its profile does not claim it.
    Unsupported,
    /// An output is wrong, the worker ended or hung, a claimed case is rejected, or another provider ran a
    /// node.
    Fail,
    /// An exclusion of the profile holds for the case, or the test itself is faulty.
    Excluded,
    /// The case was not run, or nothing says whether the answer is right.
    NotRun,
}

impl ProviderResult {
    /// All results, in the order of documents.
    pub const ALL: [ProviderResult; 5] = [
        ProviderResult::Pass,
        ProviderResult::Unsupported,
        ProviderResult::Fail,
        ProviderResult::Excluded,
        ProviderResult::NotRun,
    ];

    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            ProviderResult::Pass => "PASS",
            ProviderResult::Unsupported => "UNSUPPORTED",
            ProviderResult::Fail => "FAIL",
            ProviderResult::Excluded => "EXCLUDED",
            ProviderResult::NotRun => "NOT_RUN",
        }
    }
}

/// The number of cases with each result.
type Counts = BTreeMap<ProviderResult, u64>;

/// The results of a provider, as a document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProviderResults {
    /// The version of the format. Fields are added without a new version.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    /// The start of the run, in the format of RFC 3339.
    started: String,
    suite: Suite,
    profile: Used,
    backend: Ran,
    /// The number of cases with each result; every result is there.
    counts: Counts,
    /// The counts by operator with since-version, for cases that test one.
    operators: BTreeMap<String, Counts>,
    /// The counts by element type of the first output, for cases with an answer.
    types: BTreeMap<String, Counts>,
    cases: Vec<Case>,
}

/// The program that ran the cases, and the releases of the cases.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Suite {
    program: String,
    corpora: Vec<String>,
    /// The policy; with `+profile` if the profile has tolerances.
    policy: String,
}

/// The profile of the provider.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Used {
    name: String,
    provider: String,
    /// The digest of the profile's file.
    sha256: String,
    /// Exclusions that do not hold any more, with their last day.
    expired: Vec<String>,
}

/// The backend.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Ran {
    name: String,
    /// The version of the runtime.
    version: String,
    /// How the runtime was built, and its device.
    build: String,
    options: BTreeMap<String, String>,
}

/// The result of one case.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Case {
    case: String,
    result: ProviderResult,
    /// Whether the profile claims every operator of the case.
    claimed: bool,
    /// The verdict of this program, as in `results.csv`.
    verdict: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    /// The number of nodes on each provider; empty if the backend does not report it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    nodes: BTreeMap<String, u64>,
    /// The time of the run in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_ns: Option<u64>,
}

impl ProviderResults {
    /// The results of `backend` in a report, on this day.
    pub fn of(
        report: &Report,
        backend: &BackendInfo,
        profile: &ProviderProfile,
        today: Date,
    ) -> ProviderResults {
        let exercises: BTreeMap<&str, &[Exercise]> = report
            .exercises
            .iter()
            .map(|of| (of.case.as_str(), of.exercises.as_slice()))
            .collect();
        let mut results = ProviderResults::empty(report, backend, profile, today);
        for record in report.cases_of(&backend.name) {
            let uses = exercises.get(record.case.as_str()).copied().unwrap_or_default();
            results.add(record, uses, profile, today);
        }
        results
    }

    fn empty(
        report: &Report,
        backend: &BackendInfo,
        profile: &ProviderProfile,
        today: Date,
    ) -> ProviderResults {
        let expired = profile
            .expired(today)
            .map(|exclusion| format!("{} until {}", exclusion.cases.text(), exclusion.expires));
        let corpora: BTreeSet<&str> = report
            .cases_of(&backend.name)
            .map(|record| CaseId::parse(&record.case).corpus)
            .collect();
        ProviderResults {
            version: FORMAT,
            started: report.started.started.clone(),
            suite: Suite {
                program: concat!("onnx-conformance ", env!("CARGO_PKG_VERSION")).to_owned(),
                corpora: corpora.into_iter().map(str::to_owned).collect(),
                policy: report.started.policy.name.clone(),
            },
            profile: Used {
                name: profile.name.clone(),
                provider: profile.provider.clone(),
                sha256: profile.sha256.to_string(),
                expired: expired.collect(),
            },
            backend: Ran {
                name: backend.name.clone(),
                version: backend.version.clone(),
                build: backend.build.clone(),
                options: backend.options.clone(),
            },
            counts: ProviderResult::ALL.map(|result| (result, 0)).into(),
            operators: BTreeMap::new(),
            types: BTreeMap::new(),
            cases: Vec::new(),
        }
    }

    fn add(&mut self, record: &CaseRecord, uses: &[Exercise], profile: &ProviderProfile, today: Date) {
        let claimed = profile.claims(uses);
        let (result, reason) = match profile.exclusion(&record.case, today) {
            Some(exclusion) => (
                ProviderResult::Excluded,
                format!("{} ({}; {})", exclusion.reason, exclusion.owner, exclusion.link),
            ),
            None => judge(record, claimed, &profile.provider),
        };
        *self.counts.entry(result).or_default() += 1;
        if let Some(operator) = record.accountable_operator() {
            let counts = self.operators.entry(operator.to_owned()).or_default();
            *counts.entry(result).or_default() += 1;
        }
        if let Some(output) = record.outputs.first() {
            let counts = self.types.entry(output.dtype.clone()).or_default();
            *counts.entry(result).or_default() += 1;
        }
        let nodes = record.place.as_ref().map(|place| place.nodes.clone());
        self.cases.push(Case {
            case: record.case.clone(),
            result,
            claimed,
            verdict: record.verdict.key(),
            reason,
            nodes: nodes.unwrap_or_default(),
            run_ns: record.run_ns,
        });
    }

    /// The number of cases with a result.
    pub fn count(&self, result: ProviderResult) -> u64 {
        self.counts.get(&result).copied().unwrap_or_default()
    }

    /// The counts in one line: `688 PASS, 928 UNSUPPORTED, …`.
    pub fn words(&self) -> String {
        let words = ProviderResult::ALL.map(|result| format!("{} {}", self.count(result), result.name()));
        words.join(", ")
    }

    /// The exclusions that do not hold any more.
    pub fn expired(&self) -> &[String] {
        &self.profile.expired
    }
}

/// The result of a record, and its reason.
fn judge(record: &CaseRecord, claimed: bool, provider: &str) -> (ProviderResult, String) {
    let reason = || record.reason.clone();
    let kind = record.verdict.kind();
    match (kind.outcome(), record.verdict) {
        (Outcome::Passed, _) => match elsewhere(record, provider) {
            None => (ProviderResult::Pass, String::new()),
            Some(nodes) => (ProviderResult::Fail, nodes),
        },
        (_, Verdict::Disputed(_)) => (ProviderResult::Excluded, reason()),
        (_, Verdict::Unsupported | Verdict::NotTaken | Verdict::Error(ErrorStage::Load)) => {
            if claimed {
                (
                    ProviderResult::Fail,
                    format!("the profile claims it, but: {}", record.reason),
                )
            } else {
                (ProviderResult::Unsupported, reason())
            }
        }
        (Outcome::Wrong | Outcome::Broken, _) => (ProviderResult::Fail, reason()),
        (Outcome::NotJudged, _) => (
            ProviderResult::NotRun,
            format!("{}{}", prefix(kind), record.reason),
        ),
    }
}

/// What keeps a right answer from being the provider's: a node elsewhere, or no proof for any node.
fn elsewhere(record: &CaseRecord, provider: &str) -> Option<String> {
    let nodes = record.place.as_ref().map(|place| &place.nodes);
    let others = |name: &&String| *name != provider;
    match nodes {
        Some(nodes) if !nodes.is_empty() => nodes
            .keys()
            .find(others)
            .map(|other| format!("the answer is right, but nodes ran on {other}")),
        _ => Some(format!(
            "the answer is right, but the backend does not report that {provider} ran a node"
        )),
    }
}

fn prefix(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Undecided => "undecided: ",
        VerdictKind::Skipped => "skipped: ",
        _ => "",
    }
}
