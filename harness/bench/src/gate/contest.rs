//! Measuring what a gate decides on.

use std::time::Instant;

use harness_worker::Cancel;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use reports::record::{LatencyGate, LatencyRecord, LatencyVerdict};

use super::{Decision, Design, decide};
use crate::RunOptions;
use crate::lane::Lane;
use crate::plan::Plan;
use crate::record::record;
use crate::series::Series;
use crate::subject::{Subject, ToMeasure};

/// What a lane is compared with.
#[derive(Clone, Copy)]
pub(crate) enum Opponent<'o> {
    /// An old backend at the same thread count.
    Lane(&'o Lane),
    /// A series that was saved, with the name of its run.
    Saved(&'o LatencyRecord, &'o str),
}

/// A new backend against an old one, on one model.
pub(crate) struct Contest<'c> {
    pub plan: &'c Plan,
    pub model: &'c ToMeasure,
    pub subject: &'c Subject,
    pub design: &'c Design,
    pub cancel: &'c Cancel,
}

impl Contest<'_> {
    /// Measures until it is decided. The records are those of the series that were measured.
    pub fn hold(&self, new: &Lane, old: Opponent, rng: &mut ChaCha8Rng) -> (Vec<LatencyRecord>, LatencyGate) {
        let began = Instant::now();
        let conduct = RunOptions {
            rounds: self.design.most(),
            ..self.plan.conduct
        };
        let mut round = 0;
        let mut next_round = || {
            let in_time = began.elapsed() < self.design.time && !self.cancel.is_cancelled();
            in_time.then(|| {
                round += 1;
                round - 1
            })
        };
        let turn = |series: &mut Series, round| series.turn(self.subject, conduct, round, self.cancel);
        let mut series = vec![Series::new(new)];
        let decided = match old {
            Opponent::Lane(old) => {
                series.push(Series::new(old));
                decide(self.design, None, || {
                    let round = next_round()?;
                    let (first, second) = series.split_at_mut(1);
                    let (new, old) = (first.first_mut()?, second.first_mut()?);
                    let (new_ns, old_ns) = match rng.random::<bool>() {
                        true => (turn(new, round), turn(old, round)),
                        false => {
                            let old_ns = turn(old, round);
                            (turn(new, round), old_ns)
                        }
                    };
                    Some(log(new_ns?) - log(old_ns?))
                })
            }
            Opponent::Saved(saved, _) => {
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

    fn gate(&self, new: &Lane, old: Opponent, decided: Decision, records: &[LatencyRecord]) -> LatencyGate {
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
                Opponent::Lane(lane) => lane.spec.name.clone(),
                Opponent::Saved(_, folder) => folder.to_owned(),
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
        let ended = match decided.pairs < u64::from(self.design.most()) {
            true => "the time was over",
            false => "no more are allowed",
        };
        let pairs = decided.pairs;
        let needed = decided
            .spread
            .and_then(|spread| self.design.pairs_needed(spread, self.design.margin));
        match needed.filter(|needed| *needed > pairs) {
            Some(needed) => format!("{pairs} pairs do not suffice, and {ended}; about {needed} are needed"),
            None => format!("{pairs} pairs do not suffice, and {ended}"),
        }
    }
}

/// The logarithm of a time of at least a nanosecond.
fn log(ns: u64) -> f64 {
    (ns.max(1) as f64).ln()
}
