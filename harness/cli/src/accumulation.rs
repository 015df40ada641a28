//! `accumulation`: tests the sums of backends by the bias and the spread of their errors.

use std::path::{Path, PathBuf};

use clap::Args;
use harness_console::{info, note, outln};
use harness_fetch::Lockfile;
use harness_lab::accumulation::population::{BIAS, SQUARE};
use harness_lab::accumulation::{
    Accumulator, Kind, Measured, Population, Subject, accumulators, adders, populations, subjects,
};
use harness_worker::{Cancel, Completion, Pool, WorkerSpec};
use onnx_tensor::DType;
use reports::render::{populations_csv, populations_json};
use run_record::replace_in;
use run_record::sums::{AccumulatorFound, BackendSums, FORMAT, PopulationFound, Sums, Verdict};

use super::format::Format;
use super::selection::fetcher;
use super::workers::Named;
use super::{CliError, Exit};

/// Test the sums of backends as populations: the bias and the spread of the errors of a thousand
/// sums for each operator, element type, kind of terms and length, and what each backend adds with.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask accumulation\n  \
    cargo xtask accumulation --backend native --operator Conv --operator MatMul\n  \
    cargo xtask accumulation --backend 'cmd:./my-worker' --format json\n  \
    cargo xtask accumulation --backend ort --out sums; cargo xtask conformance --backend ort --accumulation sums/populations.json\n\n\
    A fault that stays within the bound of each element still shows in the mean of a thousand: truncated sums, small terms that are lost, \
    an accumulator of float16. `explained`: the errors are those of sums in single precision (double for double), rounded to nearest, in \
    any order. `biased`: they have a direction. `too wide`: they are larger than that, as with a narrower accumulator, narrower factors, \
    or Winograd convolution.\n\n\
    Exit codes: 0 every population is explained; 1 one is not; 2 usage; 4 no backend answers; 5 interrupted; 6 a backend is missing.")]
pub struct Accumulation {
    #[command(flatten)]
    backends: Named,
    /// Only this operator (repeatable).
    #[arg(long = "operator", value_name = "NAME")]
    operators: Vec<String>,
    /// The seed of the terms.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// The folder for populations.json and populations.csv. `conformance --accumulation` takes the first
    /// into its report.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A result for each item; `None` where the run was interrupted.
type Of<I, T> = Vec<(I, Option<Measured<T>>)>;

/// The results of one backend.
struct Results {
    backend: String,
    completion: Completion,
    accumulators: Of<(Kind, DType), Accumulator>,
    populations: Of<Subject, Population>,
}

impl Accumulation {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let subjects = subjects(&self.operators);
        if subjects.is_empty() {
            let names = Kind::ALL.map(Kind::operator).join(", ");
            return Err(CliError::Usage(format!(
                "no sums are tested for {}; give one of {names}",
                self.operators.join(" or ")
            )));
        }
        let (specs, missing) = self.backends.specs(&lock, &fetcher)?;
        for missing in &missing {
            note(format_args!("error: {}", missing.reason));
        }
        let mut all = Vec::new();
        for spec in specs {
            all.push(self.measure(spec, &subjects, &cancel)?);
        }
        match self.format {
            Format::Text => all.iter().try_for_each(text)?,
            Format::Json => outln(format_args!("{}", populations_json(&sums(&all, self.seed))?))?,
        }
        if let Some(folder) = &self.out {
            write(&sums(&all, self.seed), folder)?;
        }
        Ok(if missing.is_empty() {
            exit(&all)
        } else {
            Exit::BackendMissing
        })
    }

    fn measure(&self, spec: WorkerSpec, subjects: &[Subject], cancel: &Cancel) -> Result<Results, CliError> {
        let name = spec.name.clone();
        let workers = &self.backends.workers;
        let pool = Pool::start(spec, self.backends.jobs.count(), cancel.clone())?;
        let adders = adders(&self.operators);
        let (first, told) = accumulators(&pool, &adders, workers.timeout);
        let (second, measured) = populations(&pool, subjects, self.seed, workers.timeout);
        let completion = if first == Completion::Complete {
            second
        } else {
            first
        };
        Ok(Results {
            backend: format!("{name} {}", pool.description().version),
            completion,
            accumulators: adders.into_iter().zip(told).collect(),
            populations: subjects.iter().copied().zip(measured).collect(),
        })
    }
}

fn exit(all: &[Results]) -> Exit {
    let measured = || all.iter().flat_map(|results| &results.populations);
    let verdicts = measured().filter_map(|(_, found)| Some(found.as_ref()?.as_ref().ok()?.verdict()));
    let verdicts: Vec<Verdict> = verdicts.collect();
    if all
        .iter()
        .any(|results| results.completion != Completion::Complete)
    {
        Exit::Incomplete
    } else if verdicts.is_empty() {
        Exit::NoCases
    } else if verdicts.iter().all(|verdict| *verdict == Verdict::Explained) {
        Exit::Passed
    } else {
        Exit::Regression
    }
}

fn text(results: &Results) -> Result<(), CliError> {
    outln(format_args!("{}: what it adds with", results.backend))?;
    for ((kind, dtype), found) in &results.accumulators {
        if let Some(Ok(accumulator)) = found {
            outln(format_args!(
                "  {:<20}{:<10}{accumulator}",
                kind.operator(),
                dtype.onnx_name()
            ))?;
        }
    }
    let (mut declined, mut counts) = (0, [0_usize; 4]);
    for (subject, found) in &results.populations {
        let population = match found {
            Some(Ok(population)) => population,
            Some(Err(_)) => {
                declined += 1;
                continue;
            }
            None => continue,
        };
        let verdict = population.verdict();
        counts[verdict as usize] += 1;
        if verdict != Verdict::Explained {
            outln(format_args!(
                "  {subject}: {}, mean square {:.3} of {SQUARE}, bias {:+.1} of ±{BIAS}",
                verdict.label(),
                population.square,
                population.bias
            ))?;
        }
    }
    let [explained, biased, wide, not_finite] = counts;
    outln(format_args!(
        "{}: {explained} populations explained, {biased} biased, {wide} too wide, {not_finite} not finite, {declined} not answered",
        results.backend
    ))?;
    Ok(())
}

/// The results as the file has them.
fn sums(all: &[Results], seed: u64) -> Sums {
    Sums {
        version: FORMAT,
        seed,
        limit_of_mean_square: SQUARE,
        limit_of_bias: BIAS,
        backends: all.iter().map(of_backend).collect(),
    }
}

fn of_backend(results: &Results) -> BackendSums {
    let accumulator = |((kind, dtype), found): &((Kind, DType), Option<Measured<Accumulator>>)| {
        let told = found.as_ref().and_then(|found| found.as_ref().ok());
        AccumulatorFound {
            operator: kind.operator().to_owned(),
            element_type: dtype.onnx_name().to_owned(),
            accumulator: told.map(Accumulator::to_string),
            bits: told.and_then(|told| told.bits),
            reason: found.as_ref().and_then(|found| found.as_ref().err().cloned()),
        }
    };
    let population = |(subject, found): &(Subject, Option<Measured<Population>>)| {
        let measured = found.as_ref().and_then(|found| found.as_ref().ok());
        PopulationFound {
            operator: subject.kind.operator().to_owned(),
            element_type: subject.dtype.onnx_name().to_owned(),
            terms: subject.terms.to_string(),
            length: measured.map_or(subject.length, |found| found.length),
            sums: measured.map(|found| found.sums),
            mean_square: measured.map(|found| found.square),
            bias: measured.map(|found| found.bias),
            verdict: measured.map(Population::verdict),
            reason: found.as_ref().and_then(|found| found.as_ref().err().cloned()),
        }
    };
    BackendSums {
        backend: results.backend.clone(),
        accumulators: results.accumulators.iter().map(accumulator).collect(),
        populations: results.populations.iter().map(population).collect(),
    }
}

/// Writes the files of the results to `folder`.
fn write(sums: &Sums, folder: &Path) -> Result<(), CliError> {
    for (name, text) in [
        ("populations.json", populations_json(sums)?),
        ("populations.csv", populations_csv(sums)?),
    ] {
        let path = replace_in(folder, name, text.as_bytes())?;
        info(format_args!("wrote {}", path.display()));
    }
    Ok(())
}
