//! `power`: measures the judge of `compare` on honest and on faulty answers.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use harness_console::{note, outln, progress};
use harness_fetch::Lockfile;
use harness_investigate::inputs::fitting;
use harness_investigate::power::{Answer, BINS, FAULTS, Judges, Network, Tally, measure};
use harness_investigate::runner::{RunRequest, Runner};
use harness_investigate::subject;
use harness_worker::{BackendArg, Cancel};
use onnx_model::Model;
use reports::render::RenderError;
use schemars::JsonSchema;
use serde::Serialize;

use super::columns::columns;
use super::format::Format;
use super::inputs::{Inputs, reference};
use super::limits::Memory;
use super::selection::fetcher;
use super::workers::{Workers, parse_seconds, runner};
use super::{CliError, Exit};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// The largest share of honest answers that may be called wrong.
const FALSE_ALARMS: f64 = 1e-3;

/// The least share of clear faults that must be found.
const FOUND: f64 = 0.98;

/// The maximum number of listed answers of one kind in the text output; JSON lists all.
const NAMED: usize = 20;

/// Measure the judge of `compare`: how often it calls an honest answer wrong, and how many planted faults it
/// finds, by their effect on the outputs.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask power --generated 300\n  \
    cargo xtask power models/ --backend native --backend ort --faults 10\n  \
    cargo xtask power --generated 1000 --format json > power.json\n\n\
    A faulty answer is that of a backend to the model with a fault in one node. The effect of a fault is the root mean \
    square of the change of the outputs in multiples of the model's own rounding noise.\n\n\
    Exit codes: 0 at most 1 of 1,000 honest answers is called wrong, and 98 % of the faults with an effect of 4 or more are \
    found; 1 not so; 2 usage; 4 no model with an answer of the reference; 5 interrupted; 6 a backend is missing.")]
pub struct Power {
    /// Models: files, or folders that hold some.
    #[arg(value_name = "PATH", required_unless_present = "generated")]
    paths: Vec<PathBuf>,
    /// Also measure this many generated graphs.
    #[arg(long, value_name = "N")]
    generated: Option<usize>,
    /// A backend whose answers are judged (repeatable).
    #[arg(long = "backend", value_name = "BACKEND", default_values = ["native"])]
    backends: Vec<BackendArg>,
    /// The maximum number of faults in each model.
    #[arg(long, value_name = "N", default_value = "6")]
    faults: usize,
    /// The seed of inputs, of generated graphs and of the sites of faults.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// The time limit of one run in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    timeout: Duration,
    #[command(flatten)]
    memory: Memory,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Power {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let workers = self.workers();
        let mut reference = reference(&workers, false, &lock, &fetcher, &cancel)?;
        let backends = self.backends.iter();
        let mut backends: Vec<Runner> = backends
            .map(|text| runner(&workers, text, &lock, &fetcher, &cancel))
            .collect::<Result<_, _>>()?;
        let mut tally = Tally::default();
        let networks = self.networks(&mut reference)?;
        let meter = progress().meter("power", networks.len(), "measured");
        for (number, network) in networks.into_iter().enumerate() {
            let mut judges = Judges {
                reference: &mut reference,
                backends: &mut backends,
            };
            let seed = self.seed.wrapping_add(number as u64);
            measure(&network, (self.faults, seed), &mut judges, &mut tally)?;
            meter.step(true);
        }
        match self.format {
            Format::Text => lines(&tally)
                .iter()
                .try_for_each(|line| outln(format_args!("{line}")))?,
            Format::Json => outln(format_args!("{}", json(&tally)?))?,
        }
        Ok(exit(&tally))
    }

    /// The limits of the workers.
    fn workers(&self) -> Workers {
        Workers {
            timeout: self.timeout,
            memory: self.memory,
            locale: false,
        }
    }

    /// The models with drawn inputs. One whose inputs cannot be drawn is left out with a note.
    fn networks(&self, reference: &mut Runner) -> Result<Vec<Network>, CliError> {
        let mut found = Vec::new();
        for path in &self.paths {
            for subject in subject::open(path)? {
                let subject = subject?;
                let drawn = fitting(&subject, &Inputs::none().request(self.seed), reference);
                match drawn {
                    Ok((drawn, _)) => found.push(Network {
                        request: RunRequest {
                            model: subject.bytes.clone(),
                            external: subject.external.clone(),
                            inputs: drawn.values,
                        },
                        name: subject.name,
                        model: subject.model,
                    }),
                    Err(error) => note(format_args!("{}: left out: {error}", subject.name)),
                }
            }
        }
        let most = self.generated.unwrap_or(0);
        found.extend(onnx_generator::graphs::graphs(self.seed, most).map(|case| {
            let model: Model = case.model;
            Network {
                request: RunRequest::of(&model, case.inputs),
                name: format!("{}/{}", case.suite, case.name),
                model,
            }
        }));
        Ok(found)
    }
}

fn exit(tally: &Tally) -> Exit {
    let (honest, alarms) = (tally.honest.len(), tally.false_alarms().count());
    let (clear, missed) = (tally.clear().count(), tally.missed().count());
    if honest == 0 {
        Exit::NoCases
    } else if alarms as f64 > FALSE_ALARMS * honest as f64 || missed as f64 > (1.0 - FOUND) * clear as f64 {
        Exit::Regression
    } else {
        Exit::Passed
    }
}

fn lines(tally: &Tally) -> Vec<String> {
    let mut lines = vec![format!(
        "{} networks, {} honest answers, {} planted faults of {} kinds",
        tally.networks,
        tally.honest.len(),
        tally.faulty.len(),
        FAULTS.len()
    )];
    for (backend, counts) in tally.by_backend() {
        let counts = counts.iter().map(|(words, count)| format!("{count} {words}"));
        lines.push(format!("  {backend}: {}", counts.collect::<Vec<_>>().join(", ")));
    }
    let mut rows = vec![["effect", "found", "of"].map(str::to_owned).to_vec()];
    for (low, (found, all)) in BINS.iter().zip(tally.power()) {
        rows.push(vec![format!("from {low}"), found.to_string(), all.to_string()]);
    }
    lines.extend(columns("  ", &rows));
    let named = |title: &str, answers: Vec<&Answer>| {
        let all = answers.len();
        let line = |answer: &&Answer| {
            let of = format!("{} on {}", answer.network, answer.backend);
            if answer.fault.is_empty() {
                format!("  {of}: {}", answer.reason)
            } else {
                format!(
                    "  {of}: {} (effect {:.1}): {}",
                    answer.fault,
                    answer.effect,
                    answer.standing.words()
                )
            }
        };
        let listed: Vec<String> = answers.iter().take(NAMED).map(line).collect();
        let more = all.checked_sub(NAMED).filter(|more| *more > 0);
        let more = more.map(|more| format!("  and {more} more (--format json lists them)"));
        [format!("{title}: {all}")]
            .into_iter()
            .chain(listed)
            .chain(more)
            .collect::<Vec<_>>()
    };
    lines.extend(named(
        "honest answers called wrong",
        tally.false_alarms().collect(),
    ));
    lines.extend(named(
        "faults with an effect of 4 or more that are not found",
        tally.missed().collect(),
    ));
    if !tally.unanswered.is_empty() {
        lines.push(format!(
            "networks without an answer of the reference: {}",
            tally.unanswered.len()
        ));
        lines.extend(
            tally
                .unanswered
                .iter()
                .take(NAMED)
                .map(|(name, reason)| format!("  {name}: {reason}")),
        );
    }
    lines
}

/// The document of `--format json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'t> {
    /// The version of the format.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// The number of networks.
    networks: usize,
    /// The networks without an answer, with the reason.
    unanswered: &'t [(String, String)],
    /// The answers of honest arithmetic.
    honest: Vec<JsonAnswer<'t>>,
    /// The answers with a planted fault.
    faulty: Vec<JsonAnswer<'t>>,
}

#[derive(Serialize, JsonSchema)]
struct JsonAnswer<'t> {
    network: &'t str,
    backend: &'t str,
    #[serde(skip_serializing_if = "str::is_empty")]
    fault: &'t str,
    /// The effect of the fault on the output; `null` if it is infinite.
    #[schemars(with = "Option<f64>")]
    effect: f64,
    verdict: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'t str,
}

impl<'t> From<&'t Answer> for JsonAnswer<'t> {
    fn from(answer: &'t Answer) -> JsonAnswer<'t> {
        JsonAnswer {
            network: &answer.network,
            backend: &answer.backend,
            fault: &answer.fault,
            effect: answer.effect,
            verdict: answer.standing.words(),
            reason: &answer.reason,
        }
    }
}

fn json(tally: &Tally) -> Result<String, CliError> {
    let json = Json {
        format: FORMAT,
        networks: tally.networks,
        unanswered: &tally.unanswered,
        honest: tally.honest.iter().map(JsonAnswer::from).collect(),
        faulty: tally.faulty.iter().map(JsonAnswer::from).collect(),
    };
    Ok(run_record::shown::to_json(&json).map_err(RenderError::from)?)
}
