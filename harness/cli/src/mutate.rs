//! `mutate`: tests the comparison by planted faults.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use harness_compare::policy::Policy;
use harness_conformance::run::RunError;
use harness_console::{OutputError, outln};
use harness_fetch::Lockfile;
use harness_lab::mutate::{CORPUS, Count, FAULTS, KillTable, MutatePlan, Mutated, Survivor, run};
use harness_worker::{BackendArg, Cancel, Completion};
use reports::render::RenderError;
use schemars::JsonSchema;
use serde::Serialize;

use super::format::Format;
use super::inputs::REFERENCE;
use super::judging::Judging;
use super::limits::Memory;
use super::selection::{Cases, Selected, fetcher};
use super::unreadable::Unreadable;
use super::workers::{Jobs, parse_seconds};
use super::{CliError, Exit};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// The policy under which no fault may pass.
const STRICT_ENOUGH: &str = "bound";

/// The maximum number of survivors in the text output; JSON lists all.
const NAMED: usize = 20;

/// Plant faults into right outputs, of the corpus and of real backends, and report which fraction of
/// them each policy detects.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask mutate\n  \
    cargo xtask mutate --filter softmax --backend ort\n  \
    cargo xtask mutate --format json > kills.json\n\n\
    A fault counts only if it makes outputs wrong: beyond the reference's bound, in structure, or in NaN and infinities.\n\n\
    Exit codes: 0 policy `bound` detects every fault; 1 it does not; 2 usage; 4 no case, a case that cannot be read, or no outputs to mutate; \
    5 interrupted; 6 a backend is missing.")]
pub struct Mutate {
    #[command(flatten)]
    cases: Cases,
    /// A backend whose own outputs are also mutated, as for `conformance` (repeatable).
    #[arg(long = "backend", value_name = "BACKEND", default_values = ["ort", "tract"])]
    backends: Vec<BackendArg>,
    /// The file of policies. Default: the built-in one.
    #[arg(long, value_name = "FILE")]
    tolerances: Option<PathBuf>,
    /// The seed of the positions of faults.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    #[command(flatten)]
    jobs: Jobs,
    /// The time limit of one case in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    timeout: Duration,
    #[command(flatten)]
    memory: Memory,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Mutate {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let Selected { selection, .. } = self.cases.select(&lock, &fetcher)?;
        let judging = Judging {
            policy: None,
            tolerances: self.tolerances.clone(),
            ..Judging::default()
        };
        // A policy that asks the reference's own runs is measured by `power`.
        let policies = judging.policies()?;
        let policies = policies.iter().filter(|policy| !policy.judge).cloned().collect();
        let spec = |backend: &BackendArg| {
            let mut spec = backend.spec(&lock, &fetcher)?;
            spec.limits.memory = self.memory.limit();
            Ok::<_, CliError>(spec)
        };
        let plan = MutatePlan {
            cases: selection.cases.clone(),
            reference: spec(&BackendArg::installed(REFERENCE))?,
            backends: self.backends.iter().map(spec).collect::<Result<_, _>>()?,
            workers: self.jobs.count(),
            timeout: self.timeout,
            policies,
            seed: self.seed,
        };
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let Mutated {
            kills,
            completion,
            unreadable,
        } = run(&plan, &cancel).map_err(RunError::Backend)?;
        let unreadable = Unreadable::of(&selection, unreadable)?;
        let mut sources = vec![CORPUS];
        sources.extend(self.backends.iter().map(BackendArg::name));
        match self.format {
            Format::Text => text(&kills, &plan.policies, &sources)?,
            Format::Json => json(&kills, &plan.policies, &sources, self.seed)?,
        }
        let decided = kills.count(STRICT_ENOUGH, None, None);
        Ok(match completion {
            Completion::Cancelled | Completion::GaveUp => Exit::Incomplete,
            Completion::Complete if decided.planted == 0 => Exit::NoCases,
            Completion::Complete if decided.is_complete() => unreadable.exit(),
            Completion::Complete => Exit::Regression,
        })
    }
}

/// `98.7 % of 1234`, rounded down, so that only all of them are 100 %; a dash if nothing was planted.
fn rate(count: Count) -> String {
    match count {
        Count { planted: 0, .. } => "–".to_owned(),
        count if count.is_complete() => format!("100 % of {}", count.planted),
        Count { planted, killed } => {
            let tenths = killed.saturating_mul(1000) / planted;
            format!("{}.{} % of {planted}", tenths / 10, tenths % 10)
        }
    }
}

fn text(kills: &KillTable, policies: &[Arc<Policy>], sources: &[&str]) -> Result<(), OutputError> {
    let row = |name: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>18}")).collect();
        outln(format_args!("{name:<20}{cells}"))
    };
    for source in sources {
        row(
            &format!("in outputs of {source}"),
            policies.iter().map(|policy| policy.used.name.clone()).collect(),
        )?;
        let line = |fault: Option<&'static str>| {
            let count = |policy: &Arc<Policy>| rate(kills.count(&policy.used.name, Some(source), fault));
            policies.iter().map(count).collect::<Vec<_>>()
        };
        for fault in &FAULTS {
            row(fault.name, line(Some(fault.name)))?;
        }
        row("all", line(None))?;
        outln(format_args!(""))?;
    }
    let alive = kills
        .survivors()
        .iter()
        .filter(|survivor| survivor.policy == STRICT_ENOUGH);
    for survivor in alive.take(NAMED) {
        outln(format_args!(
            "not detected with `{}`: {} in outputs of {}, {}",
            survivor.policy, survivor.fault, survivor.source, survivor.case
        ))?;
    }
    Ok(())
}

/// The document of `--format json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    /// The seed by which faults are planted.
    seed: u64,
    /// What each fault does, by its name.
    faults: BTreeMap<&'static str, &'static str>,
    policies: Vec<PolicyKills<'a>>,
    /// The faults that were not detected.
    survivors: &'a [Survivor],
}

#[derive(Serialize, JsonSchema)]
struct PolicyKills<'a> {
    policy: &'a str,
    policy_version: u32,
    #[serde(flatten)]
    total: Count,
    by_fault: BTreeMap<&'static str, Count>,
    by_source: BTreeMap<&'a str, SourceKills>,
}

#[derive(Serialize, JsonSchema)]
struct SourceKills {
    #[serde(flatten)]
    total: Count,
    by_fault: BTreeMap<&'static str, Count>,
}

fn json(kills: &KillTable, policies: &[Arc<Policy>], sources: &[&str], seed: u64) -> Result<(), CliError> {
    let by_fault = |policy: &str, source: Option<&str>| {
        let count = |name: &'static str| (name, kills.count(policy, source, Some(name)));
        FAULTS.iter().map(|fault| count(fault.name)).collect()
    };
    let policies = policies.iter().map(|policy| {
        let name = policy.used.name.as_str();
        let of_source = |source: &&'_ str| SourceKills {
            total: kills.count(name, Some(source), None),
            by_fault: by_fault(name, Some(source)),
        };
        PolicyKills {
            policy: name,
            policy_version: policy.used.version,
            total: kills.count(name, None, None),
            by_fault: by_fault(name, None),
            by_source: sources
                .iter()
                .map(|source| (*source, of_source(source)))
                .collect(),
        }
    });
    let document = Document {
        version: FORMAT,
        seed,
        faults: FAULTS.iter().map(|fault| (fault.name, fault.what)).collect(),
        policies: policies.collect(),
        survivors: kills.survivors(),
    };
    let text = run_record::shown::to_json(&document).map_err(RenderError::from)?;
    Ok(outln(format_args!("{text}"))?)
}
