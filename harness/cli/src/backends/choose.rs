//! `backends choose`: ranks the available backends for a model.

use std::path::PathBuf;

use clap::Args;
use harness_bench::{Latency, latency};
use harness_console::{note, outln};
use harness_fetch::Lockfile;
use harness_investigate::truth::Truth;
use harness_worker::{BackendArg, Cancel};
use reports::render::RenderError;
use run_record::CaseRecord;
use run_record::Report;
use run_record::standing::{Standing, worst};
use run_record::text::nanoseconds;
use schemars::JsonSchema;
use serde::Serialize;

use super::present;
use crate::columns::columns;
use crate::compare::{Compare, Prepared, origin};
use crate::format::Format;
use crate::inputs::{Inputs, REFERENCE};
use crate::judging::Bounds;
use crate::models::Models;
use crate::selection::fetcher;
use crate::trust::Trust;
use crate::workers::{Backends, Jobs, RunArgs, Workers};
use crate::{CliError, Exit};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// Rank the backends for a model: those with right answers first, sorted by latency.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask backends choose model.onnx\n  \
    cargo xtask backends choose model.onnx --backend native --backend ort:threads=2 --format json\n\n\
    The reference decides what is right. A backend that is right only within the policy's tolerance is ranked after those that are right \
    within the model's own noise. Latencies are medians of a few runs; `bench` measures more precisely, by the same rule: a backend whose \
    outputs were not computed from the inputs of the timed runs has no latency, and is ranked after those that have one.\n\n\
    Exit codes: 0 some backend is right; 1 none is; 2 usage, a file that is not a model or does not fit; 4 no model, or the right \
    outputs are unknown; 5 interrupted; 6 a backend is missing.")]
pub(super) struct Choose {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// A backend to rank (repeatable). Default: all available backends.
    #[arg(long = "backend", value_name = "BACKEND")]
    pub backends: Vec<BackendArg>,
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    noise: Models,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    jobs: Jobs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A backend in the ranking. Fields are never removed; new ones may be added.
#[derive(Serialize, JsonSchema)]
struct Place {
    /// The rank, from 1; `None` for a backend without a right answer.
    rank: Option<usize>,
    backend: String,
    version: String,
    /// The quality of its answer.
    answer: &'static str,
    /// The number of digits that agree with the expected output, and the number of significant digits of
    /// the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    digits: Option<(f64, f64)>,
    /// The median latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    load_ns: Option<u64>,
    /// The reason for the rank.
    reason: String,
    /// Why there is no latency: the backend failed without its inputs at load, or did not compute its outputs
    /// in the timed runs. Empty if there is one, or if the answer is not right.
    #[serde(skip_serializing_if = "String::is_empty")]
    without_latency: String,
    #[serde(skip)]
    class: u8,
}

/// The document of `--format json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    version: u32,
    /// The name of the model.
    model: &'a str,
    /// The source of the expected outputs.
    truth: String,
    ranking: &'a [Place],
}

impl Choose {
    pub fn execute(self) -> Result<Exit, CliError> {
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let named = if self.backends.is_empty() {
            // It computes the expected outputs.
            present()?
                .into_iter()
                .filter(|backend| backend.name() != REFERENCE)
                .collect()
        } else {
            self.backends.clone()
        };
        let compare = Compare::of_model(
            self.model.clone(),
            self.inputs.clone(),
            Backends {
                backends: named.clone(),
                workers: self.workers.clone(),
                jobs: self.jobs,
                run: RunArgs::default(),
                bounds: Bounds::default(),
            },
            self.noise.clone(),
            self.trust.clone(),
        );
        let (report, prepared) = compare.only(&cancel)?;
        let ranking = rank(&self.workers, &named, &report, &prepared, &cancel)?;
        match self.format {
            Format::Json => json(&prepared, &ranking)?,
            Format::Text => text(&prepared, &ranking)?,
        }
        for (name, reason) in &report.missing {
            note(format_args!("error: {name}: {reason}"));
        }
        if cancel.is_cancelled() {
            note(format_args!("error: interrupted: the ranking is not complete"));
        }
        Ok(match ranking.iter().any(|place| place.rank.is_some()) {
            _ if cancel.is_cancelled() => Exit::Incomplete,
            _ if !self.backends.is_empty() && !report.missing.is_empty() => Exit::BackendMissing,
            true => Exit::Passed,
            false => Exit::Regression,
        })
    }
}

/// The ranked backends with the reasons; `named` are the backends as given.
fn rank(
    workers: &Workers,
    named: &[BackendArg],
    report: &Report,
    prepared: &Prepared,
    cancel: &Cancel,
) -> Result<Vec<Place>, CliError> {
    let inputs = prepared
        .sets
        .first()
        .map(|(inputs, _)| inputs.clone())
        .unwrap_or_default();
    let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
    let mut places = Vec::new();
    for info in report.backends.iter().map(|backend| &backend.info) {
        let name = &info.name;
        let Some(record) = report.cases.iter().find(|record| record.backend == *name) else {
            continue;
        };
        let mut place = Place::new(record, &info.version);
        let backend = named.iter().find(|backend| backend.name() == name);
        if let (true, Some(backend)) = (place.class <= Place::LAST_RIGHT, backend) {
            let spec = workers.spec(backend, &lock, &fetcher)?;
            match latency(&prepared.subject, inputs.clone(), &spec, workers.timeout, cancel) {
                Latency::Median(ns) => place.run_ns = Some(ns),
                Latency::Nothing { reason } => place.without_latency = reason,
            }
        }
        places.push(place);
    }
    places.sort_by_key(|place| {
        (
            place.class,
            place.run_ns.unwrap_or(u64::MAX),
            place.backend.clone(),
        )
    });
    explain(&mut places, &prepared.truth);
    if let Truth::Trusted { backend, .. } = &prepared.truth {
        places.push(Place::trusted(backend));
    }
    Ok(places)
}

impl Place {
    /// The last class of right answers.
    const LAST_RIGHT: u8 = 1;

    /// The backend whose answers are the expected ones.
    fn trusted(backend: &str) -> Place {
        Place {
            rank: None,
            backend: backend.to_owned(),
            version: String::new(),
            answer: "trusted, not judged",
            digits: None,
            run_ns: None,
            load_ns: None,
            reason: "its answers are the expected ones".to_owned(),
            without_latency: String::new(),
            class: u8::MAX,
        }
    }

    fn new(record: &CaseRecord, version: &str) -> Place {
        let standing = Standing::of(record);
        let fell_back = record.place.as_ref().is_some_and(run_record::Place::fell_back);
        let class = match standing {
            Standing::Exact | Standing::WithinNoise => 0,
            standing if standing.is_wrong() => 2,
            Standing::LessAccurate(_) | Standing::Tolerated => Place::LAST_RIGHT,
            Standing::CannotJudge | Standing::Wrong => 2,
            Standing::Unsupported => 3,
            Standing::Failed => 4,
            Standing::NotRun => 5,
        };
        let mut reason = record.reason.clone();
        if fell_back {
            reason = format!(
                "it ran on a fall-back{}{reason}",
                if reason.is_empty() { "" } else { "; " }
            );
        }
        Place {
            rank: None,
            backend: record.backend.clone(),
            version: version.to_owned(),
            answer: standing.words(),
            digits: worst(&record.outputs).map(|(_, noise)| (noise.deviation.digits, noise.floor.digits)),
            // That of the comparison is the first run.
            run_ns: None,
            load_ns: record.load_ns,
            reason,
            without_latency: String::new(),
            class,
        }
    }
}

/// Assigns ranks to the backends with right answers, and states how much slower each is than the first.
fn explain(places: &mut [Place], truth: &Truth) {
    let right = match truth {
        Truth::Reference | Truth::Agreement { .. } => "right".to_owned(),
        Truth::Trusted { backend, .. } => format!("right if `{backend}` is"),
    };
    let first = places.first().map(|place| (place.class, place.run_ns));
    for (index, place) in places.iter_mut().enumerate() {
        if place.class > Place::LAST_RIGHT {
            continue;
        }
        place.rank = Some(index + 1);
        let ratio = match (first, place.run_ns) {
            (Some((_, Some(best))), Some(own)) if best > 0 => Some(own as f64 / best as f64),
            _ => None,
        };
        let why = match (index, first, ratio) {
            (_, _, None) if place.run_ns.is_none() => {
                format!("{right}, without a latency: {}", place.without_latency)
            }
            (0, ..) => format!("{right}, and the fastest of the right ones"),
            (_, Some((class, _)), _) if class < place.class => {
                "less exact than those ranked before".to_owned()
            }
            (_, _, Some(ratio)) => format!("{right}, {ratio:.1} times the time of the first"),
            (_, _, None) => right.clone(),
        };
        place.reason = match place.reason.as_str() {
            "" => why,
            reason => format!("{why}; {reason}"),
        };
    }
}

fn json(prepared: &Prepared, ranking: &[Place]) -> Result<(), CliError> {
    let document = Document {
        version: FORMAT,
        model: &prepared.subject.name,
        truth: origin(&prepared.truth),
        ranking,
    };
    let text = run_record::shown::to_json(&document).map_err(RenderError::from)?;
    Ok(outln(format_args!("{text}"))?)
}

fn text(prepared: &Prepared, ranking: &[Place]) -> Result<(), CliError> {
    outln(format_args!(
        "{}: {}",
        prepared.subject.name,
        origin(&prepared.truth)
    ))?;
    let header = ["", "backend", "answer", "digits", "run", "load", "why"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let time = |ns: Option<u64>| ns.map_or("–".to_owned(), nanoseconds);
    rows.extend(ranking.iter().map(|place| {
        vec![
            place.rank.map_or("–".to_owned(), |rank| rank.to_string()),
            format!("{} {}", place.backend, place.version),
            place.answer.to_owned(),
            place
                .digits
                .map_or("–".to_owned(), |(own, of)| format!("{own:.1} of {of:.1}")),
            time(place.run_ns),
            time(place.load_ns),
            place.reason.clone(),
        ]
    }));
    for line in columns("  ", &rows) {
        outln(format_args!("{line}"))?;
    }
    Ok(())
}
