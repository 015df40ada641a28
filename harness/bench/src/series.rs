//! One backend at one thread count on one model: loaded, run once, then timed in turns.

use std::sync::Arc;
use std::time::Instant;

use backend_api::Named;
use backend_api::protocol::Load;
use harness_compare::compare;
use harness_worker::{Cancel, Worker};

use super::RunOptions;
use super::lane::Lane;
use super::subject::Subject;

/// A series while it is measured. The worker lives as long as it.
pub(super) struct Series<'l> {
    pub lane: &'l Lane,
    /// Nanoseconds of each timed run, in order.
    pub samples: Vec<u64>,
    /// Turns that were had.
    pub rounds: u32,
    /// 0 as long as it is not loaded, as for the next.
    pub load_ns: u64,
    pub first_ns: u64,
    /// The most memory that the worker had, as of its last turn.
    pub peak_bytes: Option<u64>,
    /// The first thing that went wrong; the series does not count then.
    pub fault: Option<String>,
    /// The worker with its session; none after it failed.
    running: Option<(Worker, u64)>,
}

impl<'l> Series<'l> {
    fn new(lane: &'l Lane) -> Series<'l> {
        Series {
            lane,
            samples: Vec::new(),
            rounds: 0,
            load_ns: 0,
            first_ns: 0,
            peak_bytes: None,
            fault: None,
            running: None,
        }
    }

    /// A series that cannot be measured.
    pub fn failed(lane: &'l Lane, reason: &str) -> Series<'l> {
        let mut series = Series::new(lane);
        series.blame(reason);
        series
    }

    /// Starts a worker, loads the model, and runs it for the first time.
    pub fn begin(lane: &'l Lane, subject: &Subject, conduct: RunOptions, cancel: &Cancel) -> Series<'l> {
        let mut series = Series::new(lane);
        if let Err(reason) = series.load(subject, conduct, cancel) {
            series.fail(reason);
        }
        series
    }

    fn load(&mut self, subject: &Subject, conduct: RunOptions, cancel: &Cancel) -> Result<(), String> {
        let started = Worker::start(Arc::clone(&self.lane.spec), cancel.clone());
        let mut worker = started.map_err(|error| error.to_string())?;
        let wanted = worker.description().wants_inputs_at_load;
        let load = Load {
            model: subject.model.clone(),
            folder: None,
            files: subject.files.clone(),
            inputs: if wanted { subject.fixed.clone() } else { Vec::new() },
        };
        let loaded = worker.load(load, Instant::now() + conduct.timeout);
        let loaded = loaded
            .map_err(|exit| exit.to_string())?
            .map_err(|declined| declined.to_string())?;
        self.load_ns = loaded.nanoseconds;
        let first = subject.inputs.first().cloned().unwrap_or_default();
        let ran = worker.run(loaded.session, first, Instant::now() + conduct.timeout);
        let ran = ran
            .map_err(|exit| exit.to_string())?
            .map_err(|declined| declined.to_string())?;
        self.first_ns = ran.nanoseconds;
        self.check(subject, 0, &ran.outputs, "the first run");
        self.running = Some((worker, loaded.session));
        Ok(())
    }

    /// Warm-up and timed runs, of which the first and the last are checked. Each turn begins with the next input.
    pub fn turn(&mut self, subject: &Subject, conduct: RunOptions, round: u32) {
        let Some((worker, session)) = &mut self.running else {
            return;
        };
        let mut sets = subject.inputs.clone();
        let begin = (round as usize) % sets.len().max(1);
        sets.rotate_left(begin);
        let end = (begin + conduct.samples.saturating_sub(1) as usize) % sets.len().max(1);
        let deadline = Instant::now() + conduct.timeout;
        let benched = match worker.bench(*session, conduct.warmup, conduct.samples, sets, deadline) {
            Ok(Ok(benched)) => benched,
            Ok(Err(declined)) => return self.fail(declined),
            Err(exit) => return self.fail(exit),
        };
        if benched.nanoseconds.len() != conduct.samples as usize {
            let (found, wanted) = (benched.nanoseconds.len(), conduct.samples);
            return self.fail(format!("the worker timed {found} runs and not {wanted}"));
        }
        self.peak_bytes = worker.peak_memory();
        self.rounds += 1;
        self.samples.extend(benched.nanoseconds);
        self.check(
            subject,
            begin,
            &benched.first,
            &format!("round {}, first run", round + 1),
        );
        self.check(
            subject,
            end,
            &benched.last,
            &format!("round {}, last run", round + 1),
        );
    }

    fn check(&mut self, subject: &Subject, input: usize, outputs: &[Named], when: &str) {
        let Some((expected, tolerance)) = subject.expected.get(input) else {
            return;
        };
        if let Some(mismatch) = compare(expected, outputs, *tolerance).mismatch {
            self.blame(format!("{when}, input {input}: {}", mismatch.reason));
        }
    }

    /// Something that ends the series.
    fn fail(&mut self, reason: impl ToString) {
        self.running = None;
        self.blame(reason);
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
