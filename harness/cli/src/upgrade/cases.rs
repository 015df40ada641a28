//! Converts test cases: how many can be converted, and how many have the same outputs.

use backend_api::protocol::External;
use std::collections::BTreeSet;
use std::path::Path;

use harness_conformance::case::Case;
use harness_console::note;
use harness_corpus::CaseFiles;
use harness_fetch::Lockfile;
use harness_investigate::Package;
use harness_investigate::runner::{RunRequest, Runner};
use harness_investigate::upgrade::{Known, Original, UpgradeResult, is_random, known};
use harness_worker::Cancel;
use onnx_checker::usage;
use onnx_model::{Bytes, Model};
use onnx_upgrade::{Targets, UpgradeError, upgrade};
use run_record::replace;

use super::tally::{Conversion, Outcome, Tally};
use super::{PACKAGE, Upgrade};
use crate::inputs::reference;
use crate::selection::fetcher;
use crate::workers::runner;
use crate::{CliError, Exit};

/// The name of the own adapters in tables.
const OWN: &str = "adapters";

/// The converters, and the backends that run converted models.
struct Bench<'c> {
    command: &'c Upgrade,
    targets: &'c Targets,
    reference: Runner,
    backends: Vec<Runner>,
    package: Option<Package>,
    tally: Tally,
}

/// Converts every selected case that is older than the targets.
pub(super) fn run(command: &Upgrade, targets: &Targets) -> Result<Exit, CliError> {
    if targets.is_empty() {
        return Err(CliError::Usage("--suite needs --to OPSET".to_owned()));
    }
    let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
    let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
    let selected = command.cases.select(&lock, &fetcher)?;
    let package = match command.with.as_deref() {
        None => None,
        Some(PACKAGE) => Some(Package::start(command.workers.timeout).map_err(CliError::Usage)?),
        Some(file) => {
            return Err(CliError::Usage(format!(
                "--with `{file}`: cases are converted by `onnx` only"
            )));
        }
    };
    let backends = command.backends.iter();
    let backends: Vec<Runner> = backends
        .map(|text| runner(&command.workers, text, &lock, &fetcher, &cancel))
        .collect::<Result<_, _>>()?;
    let mut bench = Bench {
        command,
        targets,
        reference: reference(&command.workers, false, &lock, &fetcher, &cancel)?,
        tally: Tally::new(backends.iter().map(|backend| backend.name().to_owned()).collect()),
        backends,
        package,
    };
    for files in &selected.selection.cases {
        bench.case(files)?;
    }
    bench.tally.tell()?;
    if let Some(file) = &command.csv {
        write(file, &bench.tally)?;
    }
    Ok(if bench.tally.is_sound(OWN) {
        Exit::Passed
    } else {
        Exit::Regression
    })
}

fn write(file: &Path, tally: &Tally) -> Result<(), CliError> {
    replace(file, tally.csv().as_bytes())?;
    note(format_args!("wrote {}", file.display()));
    Ok(())
}

impl Bench<'_> {
    /// Converts a case to each target, with its first data set.
    fn case(&mut self, files: &CaseFiles) -> Result<(), CliError> {
        let (case, model) = match Case::decode_plain(files) {
            Ok(decoded) => decoded,
            Err(error) => {
                self.tally.unreadable.push(format!("{}: {error}", files.id));
                return Ok(());
            }
        };
        let wanted = self.wanted(&model);
        let Some(set) = case.data_sets.first().filter(|_| !wanted.is_empty()) else {
            self.tally.newer += 1;
            return Ok(());
        };
        let request = RunRequest {
            model: case.model.clone(),
            external: case.external.clone(),
            inputs: set.inputs.clone(),
        };
        if is_random(&model, &request.inputs) {
            self.tally.random += 1;
            return Ok(());
        }
        let mut original = match known(&model, request, &mut self.reference)? {
            Known::Outputs(original) => original,
            Known::Nothing(judgement) => {
                self.tally
                    .unanswered
                    .push(format!("{}: {}", files.id, judgement.reason));
                return Ok(());
            }
        };
        self.tally.cases += 1;
        let backends = self.backends.iter_mut();
        let before = backends.map(|backend| original.before(Some(backend), &mut self.reference));
        let before: Vec<UpgradeResult> = before.collect::<Result<_, _>>()?;
        for targets in wanted {
            let id = files.id.to_string();
            self.convert(&id, &model, &mut original, &before, &targets)?;
        }
        Ok(())
    }

    /// The targets that are newer than the imported opset: the last one, or with --each every opset at
    /// which one of its operators has a new version.
    fn wanted(&self, model: &Model) -> Vec<Targets> {
        let newer = |(domain, to): (&String, &u32)| {
            let from = model.opset_imports.get(domain)?;
            (*from < i64::from(*to)).then(|| (domain.clone(), *to))
        };
        let last: Targets = self.targets.iter().filter_map(newer).collect();
        if !self.command.each {
            return if last.is_empty() { Vec::new() } else { vec![last] };
        }
        let mut wanted = BTreeSet::new();
        for (domain, to) in last {
            let from = model.opset_imports.get(&domain).copied().unwrap_or_default();
            let of_domain = usage(model).into_iter().filter(|node| node.domain == domain);
            let versions = of_domain.flat_map(|node| onnx_schema::versions(&domain, &node.operator));
            let since = versions.map(|schema| schema.since);
            let between = since
                .filter(|since| i64::from(*since) > from && *since <= to)
                .chain([to]);
            wanted.extend(between.map(|to| (domain.clone(), to)));
        }
        wanted.into_iter().map(|target| Targets::from([target])).collect()
    }

    /// Converts with each converter, and judges the result.
    fn convert(
        &mut self,
        id: &str,
        model: &Model,
        original: &mut Original,
        before: &[UpgradeResult],
        targets: &Targets,
    ) -> Result<(), CliError> {
        let own = upgrade(model, targets).map(|upgraded| Bytes::from(upgraded.model.encode()));
        let own = own.map_err(|error| match error {
            UpgradeError::NoAdapter(refusals) => {
                let first = refusals.first();
                first.map_or_else(String::new, |first| {
                    format!("{} to {}: {}", first.operator, first.to, first.reason)
                })
            }
            error => error.to_string(),
        });
        let mut converted = vec![(OWN.to_owned(), own)];
        if let (Some(package), Some(to)) = (&mut self.package, targets.get("")) {
            let other = package.convert(&model.encode(), *to).map(Bytes::from);
            converted.push((format!("onnx {}", package.version()), other));
        }
        for (converter, bytes) in converted {
            let external = External::of(model);
            let (outcome, after) = match bytes {
                Err(reason) => (Outcome::Refused(reason), Vec::new()),
                Ok(bytes) => {
                    let (backends, reference) = (self.backends.iter_mut(), &mut self.reference);
                    let held = original.after(None, reference, &bytes, &external)?;
                    let after =
                        backends.map(|backend| original.after(Some(backend), reference, &bytes, &external));
                    (
                        Outcome::of(&held),
                        after.collect::<Result<Vec<UpgradeResult>, _>>()?,
                    )
                }
            };
            self.tally.add(Conversion {
                case: id.to_owned(),
                targets: targets.clone(),
                converter,
                outcome,
                before: before.to_vec(),
                after,
            });
        }
        Ok(())
    }
}
