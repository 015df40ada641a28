//! One backend at one thread count on one model, timed in turns. Each turn is a process of its own.

use backend_api::Named;
use harness_worker::Cancel;

use super::RunOptions;
use super::caching::{PAIRS, Pair};
use super::lane::Lane;
use super::ring::RING;
use super::statistics::median;
use super::subject::{Expected, Rule, Subject};
use super::visit::{Visit, VisitError};

/// A series while it is measured.
pub(super) struct Series<'l> {
    pub lane: &'l Lane,
    /// Nanoseconds of each timed run, in order.
    pub samples: Vec<u64>,
    /// The median of each turn.
    pub round_ns: Vec<u64>,
    /// Times of the loads, one for each turn.
    pub load_ns: Vec<u64>,
    /// Times of the first runs after them.
    pub first_ns: Vec<u64>,
    /// The most memory that a process of it had.
    pub peak_bytes: Option<u64>,
    /// The first thing that went wrong; the series does not count then.
    pub fault: Option<String>,
    /// Times that show whether outputs come from a cache.
    pub pairs: Vec<Pair>,
    /// Outputs of the first run on each entry of the ring for which no expected outputs are known.
    seen: Vec<Option<Expected>>,
    /// Whether it has no more turns.
    ended: bool,
}

impl<'l> Series<'l> {
    /// A series before its first turn.
    pub fn new(lane: &'l Lane) -> Series<'l> {
        Series {
            lane,
            samples: Vec::new(),
            round_ns: Vec::new(),
            load_ns: Vec::new(),
            first_ns: Vec::new(),
            peak_bytes: None,
            fault: None,
            pairs: Vec::new(),
            seen: Vec::new(),
            ended: false,
        }
    }

    /// A series that cannot be measured.
    pub fn failed(lane: &'l Lane, reason: &str) -> Series<'l> {
        let mut series = Series::new(lane);
        series.blame(reason);
        series.ended = true;
        series
    }

    /// A turn in a fresh process: load, first run, warm-up, timed runs, of which the first and the last are checked. Each turn
    /// begins with the next input. Gives the median of the timed runs; none where something failed.
    pub fn turn(
        &mut self,
        subject: &Subject,
        conduct: RunOptions,
        round: u32,
        cancel: &Cancel,
    ) -> Option<u64> {
        if self.ended {
            return None;
        }
        match self.try_turn(subject, conduct, round, cancel) {
            Ok(median) => Some(median),
            Err(error) => {
                self.blame(error);
                self.ended = true;
                None
            }
        }
    }

    fn try_turn(
        &mut self,
        subject: &Subject,
        conduct: RunOptions,
        round: u32,
        cancel: &Cancel,
    ) -> Result<u64, VisitError> {
        let sets = subject.ring.sets.len().max(1);
        let begin = round as usize % sets;
        let mut visit = Visit::begin(self.lane, subject, conduct, cancel)?;
        self.load_ns.push(visit.load_ns);
        let first = visit.run(begin)?;
        self.first_ns.push(first.nanoseconds);
        let turn = format!("round {}", round + 1);
        self.check(
            subject,
            begin,
            &first.outputs,
            &format!("{turn}, run after the load"),
        );
        visit.warm_up(first.nanoseconds)?;
        let benched = visit.timed(conduct.warmup, conduct.samples, begin)?;
        let end = begin + conduct.samples.saturating_sub(1) as usize;
        self.check(subject, begin, &benched.first, &format!("{turn}, first run"));
        self.check(subject, end % sets, &benched.last, &format!("{turn}, last run"));
        let median = median(&benched.nanoseconds);
        self.probe(&mut visit, subject, conduct, median)?;
        self.peak_bytes = self.peak_bytes.max(visit.peak_memory());
        self.samples.extend(benched.nanoseconds);
        self.round_ns.push(median);
        Ok(median)
    }

    /// Measures beside the varied inputs a repeated one and fresh ones, in as many turns as are needed to judge.
    fn probe(
        &mut self,
        visit: &mut Visit,
        subject: &Subject,
        conduct: RunOptions,
        varied_ns: u64,
    ) -> Result<(), VisitError> {
        if !subject.ring.varies() {
            return Ok(());
        }
        let mut varied_ns = Some(varied_ns);
        for _ in 0..PAIRS.div_ceil(conduct.rounds.max(1)) {
            let number = self.pairs.len();
            if number >= PAIRS as usize {
                break;
            }
            let varied_ns = match varied_ns.take() {
                Some(ns) => ns,
                None => median(&visit.timed(0, RING as u32, number)?.nanoseconds),
            };
            let entry = number % RING;
            let repeated = visit.repeated(entry)?;
            self.check(subject, entry, &repeated.last, "a run on a repeated input");
            self.pairs.push(Pair {
                varied_ns,
                repeated_ns: median(&repeated.nanoseconds),
                fresh_ns: visit.fresh(2 * number as u64)?,
            });
        }
        Ok(())
    }

    /// Compares outputs with the expected ones, or with those of the first run on the same input.
    fn check(&mut self, subject: &Subject, entry: usize, outputs: &[Named], when: &str) {
        if let Some(Some(expected)) = subject.expected.get(entry) {
            if let Some(fault) = expected.fault(outputs) {
                self.blame(format!("{when}, input {entry}: {fault}"));
            }
            return;
        }
        if self.seen.len() <= entry {
            self.seen.resize_with(entry + 1, || None);
        }
        match self.seen.get_mut(entry) {
            Some(Some(seen)) => {
                if let Some(fault) = seen.fault(outputs) {
                    self.blame(format!("{when}, input {entry}: not as in the first run: {fault}"));
                }
            }
            Some(place) => {
                *place = Some(Expected {
                    outputs: outputs.to_vec(),
                    rule: Rule::Grossly,
                });
            }
            None => {}
        }
    }

    fn blame(&mut self, reason: impl ToString) {
        let line = || {
            reason
                .to_string()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        self.fault.get_or_insert_with(line);
    }
}
