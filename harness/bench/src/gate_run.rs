//! Measures the pairs on which a gate decides.

use std::time::Instant;

use harness_worker::Cancel;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use run_record::text::{counted, thousands};
use run_record::{LatencyGate, LatencyRecord, LatencyVerdict};

use super::RunOptions;
use super::gate::{Decision, Design, decide};
use super::lane::Lane;
use super::plan::Plan;
use super::record::record;
use super::series::Series;
use super::subject::{Subject, ToMeasure};

/// The baseline of a lane.
#[derive(Clone, Copy)]
pub(super) enum Against<'o> {
    /// The old backend at the same thread count.
    Lane(&'o Lane),
    /// A saved series, with the name of its run.
    Saved(&'o LatencyRecord, &'o str),
}

/// A comparison of a new backend with an old one, on one model.
pub(super) struct GateRun<'c> {
    pub plan: &'c Plan,
    pub model: &'c ToMeasure,
    pub subject: &'c Subject,
    pub design: &'c Design,
    pub cancel: &'c Cancel,
}

impl GateRun<'_> {
    /// Measures until the gate decides. The records are those of the measured series.
    pub fn run(&self, new: &Lane, old: Against, rng: &mut ChaCha8Rng) -> (Vec<LatencyRecord>, LatencyGate) {
        let began = Instant::now();
        let options = RunOptions {
            rounds: self.design.max_pairs(),
            ..self.plan.options
        };
        let mut round = 0;
        let mut next_round = || {
            let in_time = began.elapsed() < self.design.time && !self.cancel.is_cancelled();
            in_time.then(|| {
                round += 1;
                round - 1
            })
        };
        let turn = |series: &mut Series, round| series.turn(self.subject, options, round, self.cancel);
        let mut series = vec![Series::new(new)];
        let decided = match old {
            Against::Lane(old) => {
                series.push(Series::new(old));
                decide(self.design, None, || {
                    let round = next_round()?;
                    let (first, second) = series.split_at_mut(1);
                    let (new, old) = (first.first_mut()?, second.first_mut()?);
                    let (new_ns, old_ns) = if rng.random::<bool>() {
                        (turn(new, round), turn(old, round))
                    } else {
                        let old_ns = turn(old, round);
                        (turn(new, round), old_ns)
                    };
                    Some(log(new_ns?) - log(old_ns?))
                })
            }
            Against::Saved(saved, _) => {
                let old: Vec<f64> = saved.round_ns.iter().map(|&ns| log(ns)).collect();
                decide(self.design, Some(&old), || {
                    let round = next_round()?;
                    Some(log(turn(series.first_mut()?, round)?))
                })
            }
        };
        let records: Vec<LatencyRecord> = series
            .iter()
            .map(|series| record(self.plan, self.model, Some(self.subject), series))
            .collect();
        let gate = self.gate(new, old, decided, &records);
        (records, gate)
    }

    fn gate(&self, new: &Lane, old: Against, decided: Decision, records: &[LatencyRecord]) -> LatencyGate {
        let fault = records.iter().find(|record| record.valid_median_ns().is_none());
        let fault = fault.map(|record| {
            let reasons = [record.reason.as_str(), &record.caching];
            let said: Vec<&str> = reasons.into_iter().filter(|reason| !reason.is_empty()).collect();
            format!("{} has no valid latency: {}", record.backend, said.join("; "))
        });
        let verdict = match &fault {
            Some(_) => LatencyVerdict::Inconclusive,
            None => decided.verdict,
        };
        let too_few = (verdict == LatencyVerdict::Inconclusive).then(|| self.too_few(&decided));
        LatencyGate {
            model: self.model.name().to_owned(),
            backend: new.spec.name.clone(),
            against: match old {
                Against::Lane(lane) => lane.spec.name.clone(),
                Against::Saved(_, folder) => folder.to_owned(),
            },
            threads: new.threads,
            verdict,
            ratio: decided.ratio,
            spread: decided.spread,
            pairs: decided.pairs,
            alpha: self.design.alpha,
            power: self.design.power,
            margin: self.design.margin,
            reason: fault.or(too_few).unwrap_or_default(),
        }
    }

    fn too_few(&self, decided: &Decision) -> String {
        let in_time = decided.pairs >= u64::from(self.design.max_pairs());
        let ended = if in_time {
            "no more are allowed"
        } else {
            "the time limit is reached"
        };
        let measured = counted(decided.pairs, "measurement");
        let undecided = format!("{measured} of each backend, in turn, do not decide, and {ended}");
        let (Some(needed), Some(spread)) = (decided.needed, decided.spread) else {
            return undecided;
        };
        let most = Design::MOST_PAIRS;
        let help = match (needed <= most.into(), in_time) {
            (true, true) => format!("give --pairs {needed}"),
            (true, false) => "give a longer --gate-time".to_owned(),
            (false, _) => {
                format!("--pairs allows {most}: measure on a quieter machine, or give a larger --margin")
            }
        };
        format!(
            "{undecided}: the ratio of two of them varies by {:.1} % (standard deviation), so that about {} are needed; {help}",
            100.0 * spread.exp_m1(),
            thousands(needed)
        )
    }
}

/// The logarithm of a time of at least one nanosecond.
fn log(ns: u64) -> f64 {
    (ns.max(1) as f64).ln()
}
