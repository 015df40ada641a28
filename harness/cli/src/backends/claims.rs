//! `backends claims`: compares what backends declare with their results in a run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use backend_api::Capabilities;
use clap::Args;
use harness_conformance::claims::{Claim, Finding, Results, claims};
use harness_console::{note, outln};
use harness_fetch::Lockfile;
use harness_worker::{BackendArg, Cancel};
use run_record::{BackendInfo, Event, LOG, RunLog};
use run_record::{Report, replace};

use super::ask;
use crate::columns::columns;
use crate::config;
use crate::selection::fetcher;
use crate::{CliError, Exit};

/// Compare the operator versions that backends declare with their results in a run.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask backends claims conformance-report\n  \
    cargo xtask backends claims conformance-report --csv claims.csv\n  \
    cargo xtask backends claims report --backend new=ort:version=1.31.1\n\n\
    An over-claim is an operator version with types that the backend declares, but for which no case passes and some case with \
    only that operator is refused or fails. An under-claim is one that it does not declare, but for which some case passes.\n\n\
    Exit codes: 0 done; 2 usage, no run in the folder, or a backend that is not in the run; 6 a backend is missing; 73 the table cannot be written.")]
pub(super) struct Claims {
    /// The folder of a run of `conformance`.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// A backend of the run, as given for the run (repeatable); needed for backends with an alias.
    #[arg(long = "backend", value_name = "BACKEND")]
    pub backends: Vec<BackendArg>,
    /// Write a table of every operator version with its types to this file.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

impl Claims {
    pub fn execute(self) -> Result<Exit, CliError> {
        let events = RunLog::read(&self.run.join(LOG))?.events;
        let exercises: BTreeMap<String, _> = events
            .iter()
            .filter_map(|event| match event {
                Event::CaseExercises(of) => Some((of.case.clone(), of.exercises.clone())),
                _ => None,
            })
            .collect();
        let report = Report::fold(events);
        self.check_backends(&report)?;
        let configured = config::started_backends(&|name| report.backend(name).is_some())?;
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let mut all = Vec::new();
        for info in report.backends.iter().map(|backend| &backend.info) {
            let spec = self.backend(&info.name, &configured)?.spec(&lock, &fetcher)?;
            let (description, capabilities) = ask(spec, &cancel)?;
            if description.version != info.version {
                note(format_args!(
                    "{}: the run is of version {}, the declaration is of version {}",
                    info.name, info.version, description.version
                ));
            }
            let records = report.cases.iter().filter(|record| record.backend == info.name);
            let found = claims(records, &exercises, &capabilities);
            tell(info, &found, &capabilities)?;
            all.push((info.name.clone(), found));
        }
        if let Some(file) = &self.csv {
            replace(file, csv(&all).as_bytes())?;
            note(format_args!("wrote {}", file.display()));
        }
        Ok(Exit::Passed)
    }

    /// A backend that is given but not in the run is an error: its claims cannot be compared.
    fn check_backends(&self, report: &Report) -> Result<(), CliError> {
        let given = self.backends.iter().map(BackendArg::name);
        let mut unknown = given.filter(|name| report.backend(name).is_none());
        match unknown.next() {
            None => Ok(()),
            Some(name) => {
                let names = report.backends.iter().map(|backend| backend.info.name.as_str());
                Err(CliError::Usage(format!(
                    "backend `{name}` is not in the run `{}`, which has {}",
                    self.run.display(),
                    names.collect::<Vec<_>>().join(", ")
                )))
            }
        }
    }

    /// A backend of the run: as given, or that of the configuration.
    fn backend(&self, name: &str, configured: &BTreeMap<String, BackendArg>) -> Result<BackendArg, CliError> {
        let typed = self.backends.iter().find(|backend| backend.name() == name);
        match typed.or_else(|| configured.get(name)) {
            Some(backend) => Ok(backend.clone()),
            // The name in a report is the text for `--backend`, if no alias was given.
            None => Ok(name.parse()?),
        }
    }
}

fn tell(info: &BackendInfo, claims: &[Claim], capabilities: &Capabilities) -> Result<(), CliError> {
    let versions = |finding: Finding| -> BTreeSet<&str> {
        let of_kind = claims.iter().filter(|claim| claim.finding() == Some(finding));
        of_kind.map(|claim| claim.operator.as_str()).collect()
    };
    let by = match (capabilities.operators.is_empty(), capabilities.opsets.is_empty()) {
        (false, _) => "declared by its operators",
        (true, false) => "declared only by its opset",
        (true, true) => "for which it declares nothing",
    };
    outln(format_args!(
        "{} {}: {} operator versions in the run, {by}: {} over-claimed for some types, {} under-claimed",
        info.name,
        info.version,
        claims
            .iter()
            .map(|claim| &claim.operator)
            .collect::<BTreeSet<_>>()
            .len(),
        versions(Finding::OverClaim).len(),
        versions(Finding::UnderClaim).len()
    ))?;
    let mut rows = vec![
        ["", "operator", "types", "pass", "wrong", "unsupported", "failed"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let found = claims.iter().filter_map(|claim| Some((claim.finding()?, claim)));
    rows.extend(found.map(|(finding, claim)| {
        let Results {
            pass,
            wrong,
            unsupported,
            failed,
        } = claim.results;
        let counts = [pass, wrong, unsupported, failed].map(|count| count.to_string());
        [
            finding.name().to_owned(),
            claim.operator.clone(),
            claim.types.clone(),
        ]
        .into_iter()
        .chain(counts)
        .collect()
    }));
    if rows.len() > 1 {
        for line in columns("  ", &rows) {
            outln(format_args!("{line}"))?;
        }
    }
    Ok(())
}

fn csv(all: &[(String, Vec<Claim>)]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = [
        "backend",
        "operator",
        "types",
        "declared",
        "pass",
        "wrong",
        "unsupported",
        "failed",
        "finding",
    ];
    // Writing to memory does not fail.
    let _ = writer.write_record(header);
    for (backend, claims) in all {
        for claim in claims {
            let results = claim.results;
            let counts = [results.pass, results.wrong, results.unsupported, results.failed]
                .map(|count| count.to_string());
            let declared = match claim.declared {
                Some(true) => "yes",
                Some(false) => "no",
                None => "",
            };
            let texts = [
                backend.as_str(),
                claim.operator.as_str(),
                claim.types.as_str(),
                declared,
            ];
            let finding = claim.finding().map_or("", Finding::name);
            let row = texts
                .into_iter()
                .chain(counts.iter().map(String::as_str))
                .chain([finding]);
            let _ = writer.write_record(row);
        }
    }
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}
