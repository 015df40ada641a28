//! The parameters of a gate on latencies, and its result.

use std::time::Duration;

use clap::Args;
use harness_bench::Task;
use harness_bench::gate::Design;
use harness_console::note;
use run_record::Report;
use run_record::text::{counted, thousands};
use run_record::{LatencyGate, LatencyVerdict};

use crate::Exit;
use crate::workers::parse_seconds;

/// The default number of pairs of `--aa`.
const NOISE_PAIRS: u32 = 30;

/// The default maximum number of pairs of a gate.
const MAX_PAIRS: u32 = 200;

/// The parameters of a gate on latencies.
#[derive(Args, Clone, Debug)]
pub struct Deciding {
    /// The probability of a wrong `slower` over all models together.
    #[arg(long, value_name = "P", default_value = "0.01", value_parser = parse_alpha)]
    alpha: f64,
    /// The probability that a slowdown by --margin is not reported as `not slower`.
    #[arg(long, value_name = "P", default_value = "0.95", value_parser = parse_power)]
    power: f64,
    /// The slowdown that matters, in percent.
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = parse_margin)]
    margin: f64,
    /// How often each of the two backends is measured at most, in turn with the other. Default: 200, or 30
    /// with --aa.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(8..=Design::MOST_PAIRS.into()))]
    pairs: Option<u32>,
    /// The time in seconds for each model, after which no further measurement starts.
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = parse_seconds)]
    gate_time: Duration,
}

fn number(text: &str, range: std::ops::RangeInclusive<f64>, what: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("`{text}` is not {what}"))
}

fn parse_alpha(text: &str) -> Result<f64, String> {
    number(text, 1e-6..=0.2, "a probability from 0.000001 to 0.2")
}

fn parse_power(text: &str) -> Result<f64, String> {
    number(text, 0.5..=0.999, "a probability from 0.5 to 0.999")
}

fn parse_margin(text: &str) -> Result<f64, String> {
    number(text, 0.1..=1000.0, "a percentage from 0.1 to 1000").map(|percent| percent / 100.0)
}

impl Deciding {
    /// A gate that decides as early as possible.
    pub(super) fn design(&self) -> Design {
        let pairs = self.pairs.unwrap_or(MAX_PAIRS);
        Design::sequential(self.alpha, self.power, self.margin, pairs, self.gate_time)
    }

    /// A gate with a fixed number of pairs.
    pub(super) fn fixed(&self) -> Design {
        let pairs = self.pairs.unwrap_or(NOISE_PAIRS);
        Design::fixed(self.alpha, self.power, self.margin, pairs, self.gate_time)
    }
}

/// Reports on stderr why gates decided as they did. Returns the exit code; `None` without a gate.
pub(super) fn decide(report: &Report, task: &Task) -> Option<Exit> {
    let gates = &report.latency_gates;
    let is = |verdict: LatencyVerdict| gates.iter().any(|gate| gate.verdict == verdict);
    let any_invalid = report
        .latencies
        .iter()
        .any(|record| record.valid_median_ns().is_none());
    match task {
        Task::Measure => None,
        Task::Noise(_) => {
            for gate in gates.iter().filter(|gate| gate.verdict == LatencyVerdict::Slower) {
                note(format_args!(
                    "error: {}: two measurements of {} differ by more than chance explains",
                    gate.model, gate.backend
                ));
            }
            let bad = any_invalid || is(LatencyVerdict::Slower);
            Some(if bad { Exit::Inconclusive } else { Exit::Passed })
        }
        Task::Gate { .. } => {
            for gate in gates {
                say(gate);
            }
            let undecided = any_invalid || gates.is_empty() || is(LatencyVerdict::Inconclusive);
            Some(match (is(LatencyVerdict::Slower), undecided) {
                (true, _) => Exit::Slower,
                (false, true) => Exit::Inconclusive,
                (false, false) => Exit::Passed,
            })
        }
    }
}

fn say(gate: &LatencyGate) {
    let LatencyGate {
        model,
        backend,
        against,
        threads,
        verdict,
        reason,
        ..
    } = gate;
    let what = format!(
        "{model}, {backend} against {against}, {}",
        counted(*threads, "thread")
    );
    match verdict {
        LatencyVerdict::NotSlower => {}
        LatencyVerdict::Slower => note(format_args!("error: {what}: {verdict}")),
        LatencyVerdict::Inconclusive => note(format_args!("inconclusive: {what}: {reason}")),
    }
}

/// The result of `--aa`: how much two measurements differ, and how many a gate needs on this machine.
pub(super) fn noise(report: &Report, design: &Design) -> Vec<String> {
    let sequential = Design::sequential(design.alpha, design.power, design.margin, MAX_PAIRS, design.time);
    let line = |gate: &LatencyGate| {
        let LatencyGate {
            model,
            backend,
            threads,
            ..
        } = gate;
        let spread = gate.spread?;
        let most = u64::from(Design::MOST_PAIRS);
        let needed = |part: f64| {
            let pairs = sequential.pairs_needed(spread, part)?;
            let (slowdown, more) = (
                100.0 * part,
                if pairs > most {
                    ", more than --pairs allows,"
                } else {
                    ""
                },
            );
            Some(format!(
                "{}{more} for a slowdown of {slowdown} %",
                thousands(pairs)
            ))
        };
        let needed: Vec<String> = [0.02, 0.05, 0.1].into_iter().filter_map(needed).collect();
        Some(format!(
            "{model}, {backend}, {}: two measurements of the same backend differ by {:.1} % (standard deviation of {}); \
             a gate measures each backend about so many times (--pairs): {}",
            counted(*threads, "thread"),
            100.0 * spread.exp_m1(),
            gate.pairs,
            needed.join(", ")
        ))
    };
    report.latency_gates.iter().filter_map(line).collect()
}
