//! `keep`: stores a reduced model as a regression case.

use std::path::{Path, PathBuf};

use clap::Args;
use harness_compare::policy::Policies;
use harness_conformance::gate::{Baseline, Finding, Given, Lapse, Moment, Terms, transition};
use harness_console::{info, note, outln};
use harness_corpus::LOCAL;
use harness_fetch::Lockfile;
use harness_investigate::InvestigateError;
use harness_investigate::keep::{Kept, Provenance, REDUCTION, ToKeep};
use harness_worker::{BackendArg, Cancel, discover};
use run_record::VerdictKind;

use super::clock::now;
use super::inputs::reference;
use super::selection::fetcher;
use super::trust::Trust;
use super::workers::{Workers, runner};
use super::{CliError, Exit};

/// The policy by which `reduce` judges.
const POLICY: &str = "bound";

/// Store a reduced model as a regression case, with a report of the fault in Markdown.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask keep reduced --to regressions\n  \
    cargo xtask keep reduced --on 'cmd:./my-worker' --to regressions\n  \
    cargo xtask conformance --cases regressions/cases --policy bound --backend tract\n  \
    cargo xtask keep reduced --to regressions --baseline tract.toml\n  \
    cargo xtask gate --cases regressions/cases --policy bound --backend tract --baseline tract.toml\n\n\
    Expected values are those of the reference, and the files state this. The case is first run on the backend: the report is written \
    only if it fails as `reduce` said. A command that stands in the folder is not started: name the backend by --on.\n\n\
    Exit codes: 0 written; 4 the backend does not fail as `reduce` said, or there are no expected outputs; 6 the backend is missing; 2 a folder that `reduce` did not write, an invalid baseline, or one in which the waiver of the case has expired; 73 a file cannot be written.")]
pub struct Keep {
    /// The folder that `reduce` wrote.
    #[arg(value_name = "DIR")]
    reduced: PathBuf,
    /// The folder for all regression cases.
    #[arg(long, value_name = "DIR", default_value = "regressions")]
    to: PathBuf,
    /// The backend on which the case is run, as it was given to `reduce`. Default: that of `reduce`, if it is
    /// an installed backend without options. Without a run neither the report nor the text of an own case
    /// is written.
    #[arg(long, value_name = "BACKEND")]
    on: Option<BackendArg>,
    /// Write the failure into this baseline as an expected one, with its reason; the rest of the file stays
    /// as it is. The file is created if it does not exist.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// With --baseline: the name of the backend there. Default: as it was given to `reduce`.
    #[arg(long, value_name = "NAME", requires = "baseline")]
    backend: Option<String>,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    workers: Workers,
}

impl Keep {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let case = ToKeep::read(&self.reduced)?;
        let provenance = &case.provenance;
        let observed = observed(provenance, &self.reduced)?;
        let name = self.backend.as_deref().unwrap_or(&provenance.backend);
        let baseline = self.baseline.as_deref();
        let baseline = baseline.map(|path| known(path, name, observed)).transpose()?;
        if let Some(baseline) = &baseline {
            refuse_expired(baseline, &case.id(), provenance)?;
        }
        let is_checked = match self.on(provenance) {
            Some(backend) => {
                self.check(&case, &backend)?;
                true
            }
            None if baseline.is_some() => {
                return Err(CliError::Usage(format!(
                    "the case must be run before its failure is expected: give --on BACKEND (`reduce` had {:?})",
                    provenance.backend
                )));
            }
            None => false,
        };
        let kept = case.write(&self.to, is_checked)?;
        outln(format_args!("{}", kept.id))?;
        for file in &kept.files {
            info(format_args!("wrote {}", file.display()));
        }
        if !is_checked {
            note(format_args!(
                "the report is not written: give --on BACKEND (`reduce` had {:?}), which runs the case",
                provenance.backend
            ));
        }
        note(format_args!(
            "it runs with all other cases of the folder: conformance --cases {} --policy bound",
            kept.cases.display()
        ));
        if let Some(mut baseline) = baseline {
            expect(&mut baseline, &kept, provenance, observed)?;
            note(format_args!(
                "wrote {}: gate --cases {} --policy {POLICY} --backend {name} --baseline {} expects the failure",
                baseline.path().display(),
                kept.cases.display(),
                baseline.path().display()
            ));
            return Ok(Exit::Passed);
        }
        note(format_args!(
            "a gate knows the failure after: gate --cases {} --policy bound --backend BACKEND --baseline FILE --accept '{}'",
            kept.cases.display(),
            kept.id
        ));
        Ok(Exit::Passed)
    }

    /// The backend that runs the case. Text of the folder may be a command of somebody else: only the name of
    /// an installed backend is used.
    fn on(&self, provenance: &Provenance) -> Option<BackendArg> {
        let installed = || {
            discover::installed()
                .into_keys()
                .find(|name| *name == provenance.backend)
                .map(|name| BackendArg::installed(&name))
        };
        self.on.clone().or_else(installed)
    }

    /// Runs the case on the backend.
    fn check(&self, case: &ToKeep, on: &BackendArg) -> Result<(), CliError> {
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let mut reference = match (
            &case.provenance.trusted,
            self.trust.start(&self.workers, &lock, &fetcher, &cancel)?,
        ) {
            (None, _) => reference(&self.workers, false, &lock, &fetcher, &cancel)?,
            (Some(_), Some(trusted)) if !self.trust.is(on) => trusted,
            (Some(name), _) => {
                return Err(CliError::Usage(format!(
                    "the expected outputs are those of `{name}`, which was trusted in place of the reference: give --trust BACKEND, another than --on"
                )));
            }
        };
        let mut backend = runner(&self.workers, on, &lock, &fetcher, &cancel)?;
        Ok(case.check(&mut reference, &mut backend)?)
    }
}

/// The verdict on the reduced model.
fn observed(provenance: &Provenance, folder: &Path) -> Result<VerdictKind, InvestigateError> {
    let mut failures = VerdictKind::ALL
        .into_iter()
        .filter(|kind| *kind != VerdictKind::Pass);
    failures
        .find(|kind| kind.key() == provenance.verdict)
        .ok_or_else(|| InvestigateError::NotReduced {
            path: folder.to_owned(),
            reason: format!(
                "{REDUCTION}: `{}` is not the verdict of a failure",
                provenance.verdict
            ),
        })
}

/// The baseline of a backend, empty if there is no such file. The lines of another policy do not apply to a
/// mismatch that `reduce` found.
fn known(path: &Path, backend: &str, observed: VerdictKind) -> Result<Baseline, CliError> {
    if !path.exists() {
        let mut baseline = Baseline::empty(path, backend);
        baseline.judge_by(&Policies::embedded()?.get(POLICY)?.used);
        return Ok(baseline);
    }
    let baseline = Baseline::read(path, backend)?;
    let policy = &baseline.policy().name;
    if policy != POLICY && observed == VerdictKind::Mismatch {
        return Err(CliError::Usage(format!(
            "{} was accepted with policy `{policy}`, but `reduce` judges by `{POLICY}`: name another file by --baseline",
            path.display()
        )));
    }
    Ok(baseline)
}

/// Refuses a baseline in which the waiver of the case has expired: the line would keep its last day, so
/// that it would excuse nothing.
fn refuse_expired(baseline: &Baseline, id: &str, provenance: &Provenance) -> Result<(), CliError> {
    let moment = Moment {
        today: now()?.date(),
        version: version(provenance),
    };
    let Some((key, expected)) = baseline.line(id, std::iter::once(LOCAL)) else {
        return Ok(());
    };
    match expected.terms.lapse(moment) {
        Some(Lapse::Expired(last)) => Err(CliError::Usage(format!(
            "{}: the waiver of {key} expired after {last}: renew it by `gate --accept '{id}' --expires DATE`, or remove its line",
            baseline.path().display()
        ))),
        Some(Lapse::OtherVersion(_)) | None => Ok(()),
    }
}

/// The version that the backend reported.
fn version(provenance: &Provenance) -> &str {
    provenance
        .version
        .split_once(' ')
        .map_or("", |(_, version)| version)
}

/// Writes the failure of the kept case as an expected one.
fn expect(
    baseline: &mut Baseline,
    kept: &Kept,
    provenance: &Provenance,
    observed: VerdictKind,
) -> Result<(), CliError> {
    let Some(change) = transition(VerdictKind::Pass, observed) else {
        return Ok(());
    };
    let finding = Finding {
        case: kept.id.clone(),
        also_in: Vec::new(),
        transition: change,
        expected: VerdictKind::Pass,
        observed: Some(observed),
        reason: provenance.reason.clone(),
        lapse: None,
        operators: provenance.operators.clone(),
    };
    let given = Given {
        terms: Terms::default(),
        version: version(provenance),
    };
    baseline.accept([&finding], &given, &Lockfile::embedded()?.releases());
    Ok(baseline.write()?)
}
