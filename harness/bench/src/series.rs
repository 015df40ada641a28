//! A series: one backend at one thread count on one model, timed in turns. Each turn is a process of its
//! own.

use backend_api::Named;
use harness_worker::Cancel;

use super::RunOptions;
use super::caching::{PAIRS, Pair};
use super::lane::Lane;
use super::ring::RING;
use super::session::{Session, SessionError};
use super::statistics::median;
use super::subject::{Expected, Rule, Subject};

/// A series that is being measured.
pub(super) struct Series<'l> {
    pub lane: &'l Lane,
    /// Nanoseconds of each timed run, in order.
    pub samples: Vec<u64>,
    /// The median of each turn.
    pub round_ns: Vec<u64>,
    /// Times of the loads, one for each turn.
    pub load_ns: Vec<u64>,
    /// Times of the first run after each load.
    pub first_ns: Vec<u64>,
    /// The peak memory of its processes, in bytes.
    pub peak_bytes: Option<u64>,
    /// The first fault; a series with a fault is not valid.
    pub fault: Option<String>,
    /// Times that show whether outputs come from a cache.
    pub pairs: Vec<Pair>,
    /// Outputs of the first run on each entry of the ring that has no known expected outputs.
    seen: Vec<Option<Expected>>,
    /// The number of runs for each time of a pair: one if a run takes longer than [`SLOW_NS`] and the series
    /// is [brief](Series::brief).
    probes: usize,
    is_brief: bool,
    /// Whether no more turns are possible.
    ended: bool,
}

/// The time of a run from which on a brief series measures pairs of single runs.
const SLOW_NS: u64 = 20_000_000;

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
            probes: RING,
            is_brief: false,
            ended: false,
        }
    }

    /// A series for a ranking, which takes less time where runs are long.
    pub fn brief(lane: &'l Lane) -> Series<'l> {
        Series {
            is_brief: true,
            ..Series::new(lane)
        }
    }

    /// A series that cannot be measured.
    pub fn failed(lane: &'l Lane, reason: &str) -> Series<'l> {
        let mut series = Series::new(lane);
        series.record_fault(reason);
        series.ended = true;
        series
    }

    /// Runs a turn in a fresh process: load, first run, warm-up, timed runs. The outputs of the first
    /// and the last timed run are checked. Each turn starts with the next input. Returns the median of
    /// the timed runs; `None` if something failed.
    pub fn turn(
        &mut self,
        subject: &Subject,
        options: RunOptions,
        round: u32,
        cancel: &Cancel,
    ) -> Option<u64> {
        if self.ended {
            return None;
        }
        match self.try_turn(subject, options, round, cancel) {
            Ok(median) => Some(median),
            Err(error) => {
                self.record_fault(error);
                self.ended = true;
                None
            }
        }
    }

    fn try_turn(
        &mut self,
        subject: &Subject,
        options: RunOptions,
        round: u32,
        cancel: &Cancel,
    ) -> Result<u64, SessionError> {
        let sets = subject.ring.sets.len().max(1);
        let begin = round as usize % sets;
        let mut session = Session::begin(self.lane, subject, options, cancel)?;
        self.load_ns.push(session.load_ns);
        let first = session.run(begin)?;
        self.first_ns.push(first.nanoseconds);
        let turn = format!("round {}", round + 1);
        self.check(
            subject,
            begin,
            &first.outputs,
            &format!("{turn}, run after the load"),
        );
        if self.is_brief && first.nanoseconds > SLOW_NS {
            self.probes = 1;
        }
        session.warm_up(first.nanoseconds)?;
        let benched = session.timed(options.warmup, options.samples, begin)?;
        let end = begin + options.samples.saturating_sub(1) as usize;
        self.check(subject, begin, &benched.first, &format!("{turn}, first run"));
        self.check(subject, end % sets, &benched.last, &format!("{turn}, last run"));
        let median = median(&benched.nanoseconds);
        self.probe(&mut session, subject, options, median)?;
        self.peak_bytes = self.peak_bytes.max(session.peak_memory());
        self.samples.extend(benched.nanoseconds);
        self.round_ns.push(median);
        Ok(median)
    }

    /// Measures a repeated input and fresh inputs beside the varied ones, in as many turns as the
    /// judgement needs.
    fn probe(
        &mut self,
        session: &mut Session,
        subject: &Subject,
        options: RunOptions,
        varied_ns: u64,
    ) -> Result<(), SessionError> {
        if !subject.ring.varies() {
            return Ok(());
        }
        let mut varied_ns = Some(varied_ns);
        for _ in 0..PAIRS.div_ceil(options.rounds.max(1)) {
            let number = self.pairs.len();
            if number >= PAIRS as usize {
                break;
            }
            let varied_ns = match varied_ns.take() {
                Some(ns) => ns,
                None => median(&session.timed(0, self.probes as u32, number)?.nanoseconds),
            };
            let entry = number % RING;
            let repeated = session.repeated(entry, self.probes)?;
            self.check(subject, entry, &repeated.last, "a run on a repeated input");
            self.pairs.push(Pair {
                varied_ns,
                repeated_ns: median(&repeated.nanoseconds),
                fresh_ns: session.fresh(2 * number as u64, self.probes)?,
            });
        }
        Ok(())
    }

    /// Compares outputs with the expected ones, or with those of the first run on the same input.
    fn check(&mut self, subject: &Subject, entry: usize, outputs: &[Named], when: &str) {
        if let Some(Some(expected)) = subject.expected.get(entry) {
            if let Some(fault) = expected.fault(outputs) {
                self.record_fault(format!("{when}, input {entry}: {fault}"));
            }
            return;
        }
        if self.seen.len() <= entry {
            self.seen.resize_with(entry + 1, || None);
        }
        match self.seen.get_mut(entry) {
            Some(Some(seen)) => {
                if let Some(fault) = seen.fault(outputs) {
                    self.record_fault(format!(
                        "{when}, input {entry}: differs from the first run: {fault}"
                    ));
                }
            }
            Some(place) => {
                *place = Some(Expected {
                    outputs: outputs.to_vec(),
                    rule: Rule::Agreement(subject.gross),
                });
            }
            None => {}
        }
    }

    fn record_fault(&mut self, reason: impl ToString) {
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
