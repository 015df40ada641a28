//! `bisect`: finds the value of a backend's option at which its answer becomes wrong.

use std::path::PathBuf;

use clap::Args;
use harness_console::{note, outln};
use harness_fetch::{Fetcher, Lockfile};
use harness_investigate::bisect::{Bisection, Judge, bisect};
use harness_investigate::runner::{RunRequest, Runner};
use harness_worker::{BackendArg, Cancel};

use super::failing::failing_inputs;
use super::inputs::{Inputs, reference};
use super::locate::one;
use super::matrix::with_options;
use super::selection::fetcher;
use super::workers::{Workers, runner};
use super::{CliError, Exit};

/// Find the first of several values of a backend's option for which its answer to a model is wrong.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask bisect model.onnx --backend ort --over optimization=disable,basic,extended,layout,all\n  \
    cargo xtask bisect model.onnx --backend native --parts without=qdq+interleave\n  \
    cargo xtask bisect model.onnx --backend ort --parts without=ConstantFolding+MatMulAddFusion\n  \
    cargo xtask bisect model.onnx --backend ort --over version=1.26.0,1.28.0,1.31.1\n  \
    cargo xtask bisect onnx-1.23.2/node/test_gelu_default_1 --backend ort --over version=1.19.2,1.31.1\n\n\
    The values are bisected: the answer is assumed to be right at first, and wrong from some value on.\n\n\
    Exit codes: 0 the answer is right with the last value; 1 a value was found; 2 usage, a file that is not a model or does not fit; 4 no \
    model, or the reference does not answer; 5 interrupted; 6 a backend is missing.")]
pub struct Bisect {
    /// The model: a file, or the id of a test case (`onnx-1.23.2/node/test_abs`, `own/…`, `generated/…`).
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The backend.
    #[arg(long, value_name = "BACKEND")]
    backend: BackendArg,
    /// An option with its values, from those with a right answer to those with a wrong one.
    #[arg(
        long,
        value_name = "KEY=V1,V2,…",
        required_unless_present = "parts",
        conflicts_with = "parts"
    )]
    over: Option<String>,
    /// An option whose value is a list of parts: first all of them, then without the first, and so on;
    /// last without the option.
    #[arg(long, value_name = "KEY=A+B+…")]
    parts: Option<String>,
    /// Count an answer as wrong from this deviation on, relative to the largest element. Default: the verdict
    /// of `compare`.
    #[arg(long, value_name = "PART", value_parser = parse_part)]
    above: Option<f64>,
    #[command(flatten)]
    inputs: Inputs,
    /// The seed of generated inputs.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    #[command(flatten)]
    workers: Workers,
}

/// An option with its values in order; `None` means without the option.
struct Values {
    key: String,
    values: Vec<Option<String>>,
}

impl Bisect {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let Values { key, values } = self.values()?;
        let subject = one(&self.model)?;
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let mut reference = reference(&self.workers, false, &lock, &fetcher, &cancel)?;
        if let (Some(_), Some(all)) = (&self.parts, values.first()) {
            // The search begins without the option: what the backend says of its parts is known before.
            self.start(&key, all.clone(), &lock, &fetcher, &cancel)?;
        }
        let last = values.last().cloned().flatten();
        let mut backend = self.start(&key, last, &lock, &fetcher, &cancel)?;
        let request = RunRequest {
            inputs: failing_inputs(&subject, &self.inputs, self.seed, &mut reference, &mut backend)?,
            model: subject.bytes.clone(),
            external: subject.external.clone(),
        };
        let mut judge = Judge::new(&subject.model, request, self.above, &mut reference)?;
        let turn = bisect(values.len(), |at| -> Result<Option<String>, CliError> {
            let value = values.get(at).cloned().flatten();
            let mut backend = self.start(&key, value.clone(), &lock, &fetcher, &cancel)?;
            let found = judge.wrong(&mut backend, &mut reference)?;
            let said = found.as_deref().unwrap_or("right");
            note(format_args!("{}: {said}", shown(&key, value.as_deref())));
            Ok(found)
        })?;
        let value = |at: usize| shown(&key, values.get(at).and_then(Option::as_deref));
        match turn {
            None | Some(Bisection::Right) => {
                outln(format_args!(
                    "the answer is right with {}",
                    value(values.len().saturating_sub(1))
                ))?;
                Ok(Exit::Passed)
            }
            Some(Bisection::Wrong { first, reason }) => {
                match first.checked_sub(1) {
                    Some(before) => outln(format_args!(
                        "right with {}, wrong with {}",
                        value(before),
                        value(first)
                    ))?,
                    None => outln(format_args!("wrong with {} already", value(first)))?,
                }
                outln(format_args!("  {reason}"))?;
                // Each list of parts lacks the first part of the one before.
                let before = first
                    .checked_sub(1)
                    .and_then(|before| values.get(before)?.as_deref());
                let part = before.and_then(|list| list.split('+').next());
                if let Some(part) = part.filter(|_| self.parts.is_some()) {
                    outln(format_args!(
                        "  `{part}` is the part of the list that makes the difference"
                    ))?;
                }
                Ok(Exit::Regression)
            }
        }
    }

    fn values(&self) -> Result<Values, CliError> {
        let text = self
            .over
            .as_ref()
            .or(self.parts.as_ref())
            .map_or("", String::as_str);
        let pair = text
            .split_once('=')
            .filter(|(key, list)| !key.is_empty() && !list.is_empty());
        let (key, list) = pair.ok_or_else(|| {
            CliError::Usage(format!(
                "`{text}` is not of the form KEY=VALUES, as in threads=1,2"
            ))
        })?;
        let values = if self.parts.is_some() {
            let parts: Vec<&str> = list.split('+').collect();
            (0..=parts.len())
                .map(|from| {
                    parts
                        .get(from..)
                        .filter(|left| !left.is_empty())
                        .map(|left| left.join("+"))
                })
                .collect()
        } else {
            list.split(',').map(|value| Some(value.to_owned())).collect()
        };
        Ok(Values {
            key: key.to_owned(),
            values,
        })
    }

    fn start(
        &self,
        key: &str,
        value: Option<String>,
        lock: &Lockfile,
        fetcher: &Fetcher,
        cancel: &Cancel,
    ) -> Result<Runner, CliError> {
        let options: Vec<(String, String)> = value.map(|value| (key.to_owned(), value)).into_iter().collect();
        runner(
            &self.workers,
            &with_options(&self.backend, &options)?,
            lock,
            fetcher,
            cancel,
        )
    }
}

fn parse_part(text: &str) -> Result<f64, String> {
    let part = text
        .parse::<f64>()
        .ok()
        .filter(|part| *part >= 0.0 && part.is_finite());
    part.ok_or_else(|| format!("`{text}` is not a number of at least 0"))
}

fn shown(key: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("{key}={value}"),
        None => format!("no `{key}`"),
    }
}
