//! Reports the progress of a bench and its intermediate results on stderr.

use std::fmt::Write;
use std::time::Duration;

use harness_console::Progress;
use harness_console::note;
use indicatif::{ProgressBar, ProgressStyle};
use reports::record::{LatencyGate, LatencyRecord};

/// The progress of a bench, in series.
pub(super) struct Meter {
    bar: ProgressBar,
    plain: bool,
}

impl Meter {
    pub fn new(progress: Progress, series: usize) -> Meter {
        let bar = match progress {
            Progress::Bar => ProgressBar::new(series as u64),
            Progress::Plain | Progress::Silent => ProgressBar::hidden(),
        };
        let style = ProgressStyle::with_template("{bar:32} {pos}/{len} {msg} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Meter {
            bar,
            plain: progress == Progress::Plain,
        }
    }

    pub fn preparing(&self, model: &str) {
        self.bar.set_message(model.to_owned());
    }

    /// Reports that one model at one thread count is done on all backends: a line, on a terminal above
    /// the bar.
    pub fn measured(&self, model: &str, records: &[LatencyRecord], gates: &[LatencyGate]) {
        self.bar.inc(records.len() as u64);
        let Some(first) = records.first() else { return };
        let mut line = format!(
            "{model}, {} thread{}:",
            first.threads,
            if first.threads == 1 { "" } else { "s" }
        );
        for record in records {
            let figure = match record.valid_median_ns() {
                Some(ns) => format!("{:.2?}", Duration::from_nanos(ns)),
                None => format!("no valid latency ({})", fault(record)),
            };
            let _ = write!(line, " {} {figure};", record.backend);
        }
        for gate in gates {
            let _ = write!(line, " {}: {};", gate.backend, gate.verdict);
        }
        let line = line.trim_end_matches(';');
        match self.plain {
            true => note(format_args!("{line}")),
            false => self.bar.println(line),
        }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Why a latency is not valid.
fn fault(record: &LatencyRecord) -> &str {
    match record.reason.is_empty() {
        true => &record.caching,
        false => &record.reason,
    }
}
