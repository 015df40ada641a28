//! `populations`: tests the sums of backends by the bias and the spread of their errors.

use clap::{Args, ValueEnum};
use harness_console::{note, outln};
use harness_corpus::Lockfile;
use harness_populations::population::{BIAS, SQUARE};
use harness_populations::{
    Accumulator, Kind, Measured, Population, Subject, Verdict, accumulators, adders, populations, subjects,
};
use harness_worker::{Cancel, Completion, Pool, WorkerSpec};
use onnx_tensor::DType;
use reports::render::RenderError;
use serde::Serialize;

use super::selection::fetcher;
use super::workers::Backends;
use super::{CliError, Exit};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// Test the sums of backends as populations: the bias and the spread of the errors of a thousand
/// sums for each operator, element type, kind of terms and length, and what each backend adds with.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask populations\n  \
    cargo xtask populations --backend native --operator Conv --operator MatMul\n  \
    cargo xtask populations --backend 'cmd:./my-worker' --format json > populations.json\n\n\
    A fault that stays within the bound of each element still shows in the mean of a thousand: truncated sums, small terms that are lost,\n\
    an accumulator of float16. `explained`: the errors are those of sums in single precision (double for double), rounded to nearest, in\n\
    any order. `biased`: they have a direction. `too wide`: they are larger than that, as with a narrower accumulator, narrower factors,\n\
    or Winograd convolution.\n\n\
    Exit codes: 0 every population is explained; 1 one is not; 2 usage; 4 no backend answers; 5 interrupted; 6 a backend is missing.")]
pub struct Populations {
    #[command(flatten)]
    backends: Backends,
    /// Only this operator (repeatable).
    #[arg(long = "operator", value_name = "NAME")]
    operators: Vec<String>,
    /// The seed of the terms.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// The accumulators, the counts, and a line for each population that is not explained.
    Text,
    /// One object, with a version and every population.
    Json,
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

impl Populations {
    /// The backends as given on the command line.
    pub(super) fn backend_texts(&self) -> &[String] {
        &self.backends.backends
    }

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
            Format::Json => json(&all, self.seed)?,
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
        let pool = Pool::start(spec, workers.count(), cancel.clone())?;
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

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    seed: u64,
    limit_of_mean_square: f64,
    limit_of_bias: f64,
    backends: Vec<BackendRows<'a>>,
}

#[derive(Serialize)]
struct BackendRows<'a> {
    backend: &'a str,
    accumulators: Vec<AccumulatorRow>,
    populations: Vec<PopulationRow>,
}

#[derive(Serialize)]
struct AccumulatorRow {
    operator: &'static str,
    element_type: &'static str,
    accumulator: Option<String>,
    bits: Option<u32>,
    reason: Option<String>,
}

#[derive(Serialize)]
struct PopulationRow {
    operator: &'static str,
    element_type: &'static str,
    terms: String,
    length: usize,
    sums: Option<usize>,
    mean_square: Option<f64>,
    bias: Option<f64>,
    verdict: Option<&'static str>,
    reason: Option<String>,
}

fn json(all: &[Results], seed: u64) -> Result<(), CliError> {
    let document = Document {
        version: FORMAT,
        seed,
        limit_of_mean_square: SQUARE,
        limit_of_bias: BIAS,
        backends: all.iter().map(rows).collect(),
    };
    let text = serde_json::to_string_pretty(&document).map_err(RenderError::from)?;
    Ok(outln(format_args!("{text}"))?)
}

fn rows(results: &Results) -> BackendRows<'_> {
    let accumulator = |((kind, dtype), found): &((Kind, DType), Option<Measured<Accumulator>>)| {
        let told = found.as_ref().and_then(|found| found.as_ref().ok());
        AccumulatorRow {
            operator: kind.operator(),
            element_type: dtype.onnx_name(),
            accumulator: told.map(Accumulator::to_string),
            bits: told.and_then(|told| told.bits),
            reason: found.as_ref().and_then(|found| found.as_ref().err().cloned()),
        }
    };
    let population = |(subject, found): &(Subject, Option<Measured<Population>>)| {
        let measured = found.as_ref().and_then(|found| found.as_ref().ok());
        PopulationRow {
            operator: subject.kind.operator(),
            element_type: subject.dtype.onnx_name(),
            terms: subject.terms.to_string(),
            length: measured.map_or(subject.length, |found| found.length),
            sums: measured.map(|found| found.sums),
            mean_square: measured.map(|found| found.square),
            bias: measured.map(|found| found.bias),
            verdict: measured.map(|found| found.verdict().label()),
            reason: found.as_ref().and_then(|found| found.as_ref().err().cloned()),
        }
    };
    BackendRows {
        backend: &results.backend,
        accumulators: results.accumulators.iter().map(accumulator).collect(),
        populations: results.populations.iter().map(population).collect(),
    }
}
