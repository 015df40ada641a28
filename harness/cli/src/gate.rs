//! `gate`: compares one backend with its baseline.

mod decision;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use harness_compare::policy::JUDGE;
use harness_conformance::gate::{
    Baseline, Finding, Given, Judged, Lapse, Terms, Transition, gate_report, judge, parse_date, portable,
    version,
};
use harness_conformance::run::Earlier;
use harness_console::{OutputError, info, note, outln};
use harness_corpus::pattern::CasePattern;
use harness_corpus::{CorpusError, Filter};
use harness_fetch::Lockfile;
use harness_worker::BackendArg;
use reports::render::{self, RenderError};
use reports::{View, write_all};
use run_record::shown::one_line;
use run_record::text::counted;
use run_record::{CaseRecord, GateReport, Report, Verdict, VerdictKind, WriteError};
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

use super::bench::{Deciding, LatencyGating};
use super::clock::now;
use super::generated::Generating;
use super::judging::Bounds;
use super::models::Models;
use super::outcome::data_exit;
use super::running::{RunExtent, run_cases};
use super::selection::Cases;
use super::workers::{Backends, Jobs, RunArgs, Workers};
use super::{CliError, Exit, outcome};
use decision::reasons;

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// Compare a backend with its baseline: fails on a regression, or if a case no longer exists.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask gate --backend tract\n  \
    cargo xtask gate --backend ort --run conformance-report\n  \
    cargo xtask gate --backend ort --out gate-report\n  \
    cargo xtask gate --backend ort --format github\n  \
    cargo xtask gate --backend ort --policy bound --baseline ort-bound.toml --accept '*'\n  \
    cargo xtask gate --backend tract --accept 'onnx-1.22.0/node/test_dft*'\n  \
    cargo xtask gate --backend ort --accept 'onnx-1.22.0/node/test_stft*' --owner ada --expires 2027-03-01 --for-version\n  \
    cargo xtask gate --backend ort --retries 3 --due 60\n  \
    cargo xtask gate --backend native --latency bench-report --margin 5\n  \
    cargo xtask gate --backend native --baseline native.toml --latency bench-report\n\n\
    A waiver that has expired, or that is limited to another version of the backend, has no effect. A case in `[quarantine]` of the \
    baseline closes no gate; such an entry needs an owner and a date. Where --accept creates a baseline, the cases run twice, and a case \
    that does not have the same verdict is written as flaky: it may pass or fail.\n\n\
    Exit codes: 0 as the baseline says; 1 regression, vanished case or (--no-fallback) another provider; 2 usage or invalid baseline; \
    3 slower (--latency); 4 no case; 5 the run is incomplete; 6 the backend is missing; 7 --latency cannot decide; \
    8 something passes unexpectedly (--strict); \
    9 the reference disagrees with stored outputs; \
    73 the baseline cannot be written.")]
pub struct Gate {
    /// The backend, as for `conformance`.
    #[arg(long, value_name = "BACKEND")]
    backend: BackendArg,
    /// Its baseline. Default: `onnx-tests/baselines/BACKEND.toml`, or, where there is no such file, the
    /// built-in baseline of reference, native, ort or tract.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Use the run in this folder, and run nothing.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Write every report to this folder; its JUnit, CTRF and page use the baseline: a known failure is
    /// skipped, with its reason.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Decide on latencies instead, or with --baseline on both: whether the backend is slower than in this
    /// folder, which `bench` wrote on this machine. Models, inputs and thread counts are those of that bench.
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["run", "format", "accept", "no_fallback", "strict"]
    )]
    latency: Option<PathBuf>,
    #[command(flatten)]
    deciding: Deciding,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the observed verdict to the baseline, for the case with this id or the cases that match
    /// this glob (`*` for all; repeatable). Cases that were not run or cannot be read are never written.
    #[arg(long = "accept", value_name = "PATTERN")]
    accept: Vec<String>,
    /// With --accept: the owner of the written lines.
    #[arg(long, value_name = "NAME", requires = "accept")]
    owner: Option<String>,
    /// With --accept: the last day on which the written lines are valid, as in 2027-03-01.
    #[arg(long, value_name = "DATE", requires = "accept", value_parser = parse_date)]
    expires: Option<Date>,
    /// With --accept: limit the written lines to this version of the backend.
    #[arg(long, requires = "accept")]
    for_version: bool,
    /// The day for which waivers are judged. Default: today.
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    today: Option<Date>,
    /// Report waivers that expire within this number of days.
    #[arg(long, value_name = "DAYS", default_value = "30")]
    due: u16,
    /// Repeat each failing case up to N times. A case with different verdicts is flaky, which is not a
    /// pass.
    #[arg(long, value_name = "N", default_value = "0")]
    retries: u32,
    /// Fail (exit 1) if a case passes, but not completely on the requested provider.
    #[arg(long = "no-fallback", alias = "no-fall-back")]
    pub(super) no_fallback: bool,
    /// Fail (exit 8) if a result is better than the baseline.
    #[arg(long)]
    pub(super) strict: bool,
    #[command(flatten)]
    cases: Cases,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    run_args: RunArgs,
    #[command(flatten)]
    bounds: Bounds,
}

/// An output format.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// For people.
    Text,
    /// For programs: one object, versioned.
    Json,
    /// Annotations of GitHub, at the file and line of the baseline.
    Github,
}

/// The document of `--format json`. Fields are never removed; new ones may be added.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    /// The exit code.
    exit: u8,
    #[serde(flatten)]
    gate: &'a GateReport,
}

impl Gate {
    /// The name of the backend in reports and baselines.
    pub(super) fn name(&self) -> &str {
        self.backend.name()
    }

    pub(super) fn execute(self) -> Result<Exit, CliError> {
        match &self.latency {
            None => self.verdicts(),
            Some(saved) if self.baseline.is_none() => self.latency(saved),
            Some(saved) => {
                let (verdicts, latency) = (self.verdicts()?, self.latency(saved)?);
                Ok(verdicts.unless_passed(|| latency))
            }
        }
    }

    /// The baseline, and whether --accept creates it: a mistyped path must not open the gate.
    fn baseline(&self, path: &Path) -> Result<(Baseline, bool), CliError> {
        if path.exists() {
            return Ok((Baseline::read(path, self.name())?, false));
        }
        let built_in = match self.baseline {
            Some(_) => None,
            None => Baseline::embedded(self.name())?,
        };
        match (self.accept.is_empty(), built_in) {
            (true, Some(built_in)) => Ok((built_in, false)),
            (true, None) => Err(CliError::Usage(format!(
                "there is no baseline `{}`: name a file by --baseline, or create it from this run by --accept '*'",
                path.display()
            ))),
            (false, _) if self.baseline.is_none() && !path.parent().is_some_and(Path::is_dir) => {
                Err(CliError::Usage(format!(
                    "there is no folder for `{}`: name the file to write by --baseline",
                    path.display()
                )))
            }
            (false, _) => Ok((Baseline::empty(path, self.name()), true)),
        }
    }

    /// Decides on verdicts.
    fn verdicts(&self) -> Result<Exit, CliError> {
        let path = self.baseline.clone().unwrap_or_else(|| default_path(self.name()));
        let accepted = self.accepted()?;
        let filter = Filter::new(&self.cases.filters).map_err(CorpusError::from)?;
        let (mut baseline, is_new) = self.baseline(&path)?;
        let policy = self.policy(&baseline, is_new);
        let mut report = self.report(&policy, self.out.as_deref())?;
        self.check_policy(&baseline, &report, &path)?;
        if report.backend(self.name()).is_none() {
            return Err(CliError::Usage(format!(
                "the run has no results of backend `{}`",
                self.name()
            )));
        }
        if is_new && self.run.is_none() {
            let flips = mark_flaky(&mut report, &self.report(&policy, None)?);
            note(format_args!(
                "the cases ran twice for a new baseline: {flips} with another verdict in the second run"
            ));
        }
        let judged = Judged {
            today: match self.today {
                Some(today) => today,
                None => now()?.date(),
            },
            due: self.due,
            strict: self.strict,
        };
        let mut findings = judge(&baseline, &report, self.name(), judged.today, &filter);
        decision::forget_unselected(self, &mut findings, &report);
        if !accepted.is_empty() {
            let given = self.given(version(&report, self.name()), judged.today)?;
            findings = accept(&mut baseline, findings, &accepted, &given)?;
            baseline.judge_by(&report.started.policy);
            baseline.write()?;
            info(format_args!("wrote {}", path.display()));
        }
        let exit = self.decide(&report, &findings);
        let reasons = reasons(self, &report, &findings);
        let decision = gate_report(&baseline, &report, self.name(), &findings, judged, reasons);
        let report = View {
            gates: vec![decision],
            ..View::from(report)
        };
        self.print(&report, &findings, exit)?;
        if let Some(folder) = &self.out {
            for file in write_all(&report, folder)? {
                info(format_args!("wrote {}", file.display()));
            }
        }
        Ok(exit)
    }

    /// Decides on latencies.
    fn latency(&self, saved: &Path) -> Result<Exit, CliError> {
        let scratch = tempfile::tempdir().map_err(|source| WriteError {
            path: std::env::temp_dir(),
            source,
        })?;
        let gating = LatencyGating {
            backend: &self.backend,
            saved,
            deciding: &self.deciding,
            memory: self.workers.memory,
            out: self.out.as_deref().unwrap_or(scratch.path()),
        };
        gating.execute()
    }

    fn print(&self, report: &View, findings: &[Finding], exit: Exit) -> Result<(), CliError> {
        let Some(gate) = report.gates.first() else {
            return Ok(());
        };
        match self.format {
            Format::Text => print(report, gate, findings)?,
            Format::Github => {
                for line in render::annotations(report)?.lines() {
                    outln(format_args!("{line}"))?;
                }
            }
            Format::Json => {
                let document = Document {
                    version: FORMAT,
                    exit: exit as u8,
                    gate,
                };
                let text = run_record::shown::to_json(&document).map_err(RenderError::from)?;
                outln(format_args!("{text}"))?;
            }
        }
        Ok(())
    }

    /// The terms for accepted lines.
    fn given<'v>(&self, version: &'v str, today: Date) -> Result<Given<'v>, CliError> {
        if self.expires.is_some_and(|last| last < today) {
            return Err(CliError::Usage("--expires is a day in the past".to_owned()));
        }
        Ok(Given {
            terms: Terms {
                owner: self.owner.clone(),
                expires: self.expires,
                version: self.for_version.then(|| version.to_owned()),
            },
            version,
        })
    }

    fn accepted(&self) -> Result<Vec<CasePattern>, CliError> {
        let patterns = self.accept.iter().map(|text| CasePattern::new(text));
        Ok(patterns.collect::<Result<_, _>>().map_err(CorpusError::from)?)
    }

    /// Lines that were observed with another policy do not apply to this run, unless all are accepted
    /// again.
    fn check_policy(&self, baseline: &Baseline, report: &Report, path: &Path) -> Result<(), CliError> {
        let (known, used) = (baseline.policy(), &report.started.policy);
        if known.name != used.name && self.accept.is_empty() {
            return Err(CliError::Usage(format!(
                "{} was accepted with policy `{}`, but the run is judged by `{}`: run with `--policy {}`, or accept the \
                 results of the run by `--accept '*'`",
                path.display(),
                known.name,
                used.name,
                known.name
            )));
        }
        if known.name == used.name && known.version != 0 && known.version != used.version {
            note(format_args!(
                "note: {} was accepted with version {} of the tolerances; the current version is {}",
                path.display(),
                known.version,
                used.version
            ));
        }
        Ok(())
    }

    /// The policy of a run without one: that of the baseline or, for a new one, that of `conformance`.
    fn policy(&self, baseline: &Baseline, is_new: bool) -> String {
        if is_new && Models::DEFAULT.decide(&self.cases, &Generating::none()) {
            JUDGE.to_owned()
        } else {
            baseline.policy().name.clone()
        }
    }

    /// The run, in a folder that is kept or in a temporary one.
    fn report(&self, policy: &str, kept: Option<&Path>) -> Result<Report, CliError> {
        if let Some(folder) = &self.run {
            return Ok(Report::read(folder)?);
        }
        let mut run = self.run_args.clone();
        run.judging.policy.get_or_insert_with(|| policy.to_owned());
        let backends = Backends {
            backends: vec![self.backend.clone()],
            workers: self.workers.clone(),
            jobs: self.jobs,
            run,
            bounds: self.bounds,
        };
        if let Some(folder) = kept {
            return self.run_in(folder, &backends);
        }
        let scratch = tempfile::tempdir().map_err(|source| WriteError {
            path: std::env::temp_dir(),
            source,
        })?;
        self.run_in(scratch.path(), &backends)
    }

    fn run_in(&self, folder: &Path, backends: &Backends) -> Result<Report, CliError> {
        run_cases(
            &self.cases,
            &Generating::none(),
            backends,
            Models::of_gate(backends.run.judging.policy.as_deref()),
            (folder, Earlier::REPLACED),
            RunExtent {
                retries: self.retries,
                ..RunExtent::default()
            },
        )
    }

    fn decide(&self, report: &Report, findings: &[Finding]) -> Exit {
        let on_fall_back = decision::on_fall_back(self, report);
        if on_fall_back > 0 {
            let cases = counted(on_fall_back, "case");
            note(format_args!(
                "error: {cases} passed on a fall-back; results.csv states each provider"
            ));
            Exit::Regression
        } else if findings.iter().any(Finding::is_regression) {
            Exit::Regression
        } else if let Some(exit) = outcome::unfinished(report) {
            exit
        } else if self.strict && !findings.is_empty() {
            Exit::StaleBaseline
        } else {
            data_exit(report)
        }
    }
}

/// Marks the cases that have another verdict in a second run; returns their number.
fn mark_flaky(report: &mut Report, second: &Report) -> usize {
    let key = |record: &CaseRecord| (record.case.clone(), record.backend.clone());
    let again: BTreeMap<(String, String), &CaseRecord> =
        second.cases.iter().map(|record| (key(record), record)).collect();
    let mut flips = 0;
    for record in &mut report.cases {
        let Some(other) = again.get(&key(record)) else {
            continue;
        };
        let (first, second) = (record.verdict.kind(), other.verdict.kind());
        if first == second {
            continue;
        }
        flips += 1;
        let (failed, why) = match first {
            VerdictKind::Pass => (second, other.reason.clone()),
            _ => (first, record.reason.clone()),
        };
        record.verdict = Verdict::Flaky(failed);
        record.reason = format!("{} and {} in two runs: {why}", first.label(), second.label());
    }
    flips
}

/// Writes the findings that match some pattern to `baseline`, and returns the others.
fn accept(
    baseline: &mut Baseline,
    findings: Vec<Finding>,
    patterns: &[CasePattern],
    given: &Given<'_>,
) -> Result<Vec<Finding>, CliError> {
    let names = |pattern: &CasePattern, finding: &Finding| finding.ids().any(|id| pattern.matches(&id));
    for pattern in patterns {
        if !findings.iter().any(|finding| names(pattern, finding)) {
            note(format_args!(
                "note: --accept {} matches no case that differs from the baseline",
                pattern.text()
            ));
        }
    }
    let is_accepted =
        |finding: &Finding| finding.is_acceptable() && patterns.iter().any(|pattern| names(pattern, finding));
    let (accepted, others): (Vec<Finding>, Vec<Finding>) = findings.into_iter().partition(is_accepted);
    let expired = |finding: &&Finding| matches!(finding.lapse, Some(Lapse::Expired(_)));
    if let Some(finding) = accepted
        .iter()
        .find(expired)
        .filter(|_| given.terms.expires.is_none())
    {
        return Err(CliError::Usage(format!(
            "the waiver of {} has expired: give its new last day by --expires",
            finding.case
        )));
    }
    baseline.accept(&accepted, given, &Lockfile::embedded()?.releases());
    Ok(others)
}

/// The default baseline of a backend. The name may include options.
pub(crate) fn default_path(backend: &str) -> PathBuf {
    let name: String = portable(backend)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    Path::new("onnx-tests/baselines").join(format!("{name}.toml"))
}

fn print(report: &View, gate: &GateReport, findings: &[Finding]) -> Result<(), OutputError> {
    use Transition::{Improvement, Regression, UnexpectedPass, Vanished};
    outln(format_args!("{}", render::news_text(report, true)))?;
    for case in &gate.quarantined {
        let (observed, why) = (case.observed.label(), &case.why);
        let terms = format!("owner {}, until {}", case.owner, case.expires);
        let line = format!("in quarantine: {} is {observed} ({terms}): {why}", case.case);
        outln(format_args!("{}", one_line(&line)))?;
    }
    for waiver in &gate.waivers {
        outln(format_args!("{}", one_line(&waiver.words())))?;
    }
    let count = |kind, one: &str, several: &str| {
        let count = findings
            .iter()
            .filter(|finding| finding.transition == kind)
            .count();
        format!("{count} {}", if count == 1 { one } else { several })
    };
    outln(format_args!(
        "{}: {}, {}, {}, {}",
        gate.backend,
        count(Regression, "regression", "regressions"),
        count(Vanished, "vanished case", "vanished cases"),
        count(UnexpectedPass, "unexpected pass", "unexpected passes"),
        count(Improvement, "improvement", "improvements")
    ))
}
