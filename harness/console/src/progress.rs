//! Progress of a run on stderr: a bar on a terminal, otherwise periodic lines.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use run_record::shown::one_line;
use run_record::{CaseRecord, VerdictKind};

use crate::{Verbosity, note, verbosity};

/// The interval of progress lines.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// A bar that is redrawn.
    Bar,
    /// Lines.
    Plain,
    /// Not at all.
    Silent,
}

impl Progress {
    /// A meter for `cases` steps; `what` names the steps that are counted separately.
    pub fn meter(self, name: &str, cases: usize, what: &'static str) -> Meter {
        let bar = (self == Progress::Bar).then(|| {
            let bar = ProgressBar::new(cases as u64);
            let style = ProgressStyle::with_template("{prefix:>12} {bar:32} {pos}/{len} {msg} {eta}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(name.to_owned());
            bar
        });
        Meter {
            name: name.to_owned(),
            what,
            cases,
            bar,
            plain: self == Progress::Plain,
            done: Cell::new(0),
            passed: Cell::new(0),
            last_line: Cell::new(Instant::now()),
        }
    }
}

/// The progress of one backend.
pub struct Meter {
    name: String,
    what: &'static str,
    cases: usize,
    bar: Option<ProgressBar>,
    plain: bool,
    done: Cell<usize>,
    passed: Cell<usize>,
    last_line: Cell<Instant>,
}

/// Says what a meter waits for, from another thread.
pub struct Teller {
    name: String,
    bar: Option<ProgressBar>,
    plain: bool,
}

impl Teller {
    /// Shows a text until the next step.
    pub fn say(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        } else if self.plain {
            note(format_args!("{}: {text}", self.name));
        }
    }
}

impl Meter {
    /// Says what the meter waits for.
    pub fn teller(&self) -> Teller {
        Teller {
            name: self.name.clone(),
            bar: self.bar.clone(),
            plain: self.plain,
        }
    }

    /// Records the verdict of one more case.
    pub fn case(&self, record: &CaseRecord) {
        if verbosity() == Verbosity::Verbose && record.verdict.kind() != VerdictKind::Pass {
            let (verdict, reason) = (record.verdict.kind().label(), one_line(&record.reason));
            let line = format!("{}: {verdict}: {}: {reason}", record.backend, record.case);
            match &self.bar {
                Some(bar) => bar.suspend(|| note(format_args!("{line}"))),
                None => note(format_args!("{line}")),
            }
        }
        self.step(record.verdict.kind() == VerdictKind::Pass);
    }

    /// Records one more step; `counted` steps are counted separately.
    pub fn step(&self, counted: bool) {
        self.done.set(self.done.get() + 1);
        if counted {
            self.passed.set(self.passed.get() + 1);
        }
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{} {}", self.passed.get(), self.what));
            bar.inc(1);
        } else if self.plain && self.last_line.get().elapsed() >= PLAIN_EVERY {
            self.last_line.set(Instant::now());
            note(format_args!(
                "{}: {} of {} cases, {} {}",
                self.name,
                self.done.get(),
                self.cases,
                self.passed.get(),
                self.what
            ));
        }
    }

    /// Records the end, after `wall_s` seconds.
    pub fn finish(&self, wall_s: f64) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.bar.is_some() || self.plain {
            let (name, done, passed) = (&self.name, self.done.get(), self.passed.get());
            note(format_args!(
                "{name}: {done} of {} cases, {passed} {}, {wall_s:.1} s",
                self.cases, self.what
            ));
        }
    }
}
