//! Reports the progress of a bench and its intermediate results on stderr.

use std::fmt::Write;
use std::time::Duration;

use harness_console::Progress;
use harness_console::note;
use indicatif::{ProgressBar, ProgressStyle};
use run_record::text::counted;
use run_record::{LatencyGate, LatencyRecord};

use super::series::Series;

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
        let mut line = format!("{model}, {}:", counted(first.threads, "thread"));
        for record in records {
            let figure = match record.valid_median_ns() {
                Some(ns) => shown(ns),
                None => format!("no valid latency ({})", fault(record)),
            };
            let _ = write!(line, " {} {figure};", record.backend);
        }
        for gate in gates {
            let _ = write!(line, " {}: {};", gate.backend, gate.verdict);
        }
        self.say(line.trim_end_matches(';'));
    }

    /// Reports the medians of the first of several rounds, which take long. They are not a result: no
    /// caching was looked for yet.
    pub fn provisional(&self, model: &str, series: &[Series], rounds: u32) {
        self.say(&provisional(model, series, rounds));
    }

    fn say(&self, line: &str) {
        if self.plain {
            note(format_args!("{line}"))
        } else {
            self.bar.println(line)
        }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// `net, 1 thread, provisional (round 1 of 8): native 5.00ms; ort 6.00ms`.
fn provisional(model: &str, series: &[Series], rounds: u32) -> String {
    let figures = series.iter().map(|series| {
        let figure = match (&series.fault, series.round_ns.first()) {
            (Some(fault), _) => format!("no valid latency ({fault})"),
            (None, Some(&ns)) => shown(ns),
            (None, None) => "not measured".to_owned(),
        };
        format!("{} {figure}", series.lane.spec.name)
    });
    let count = series.first().map_or(0, |series| series.lane.threads);
    let figures = figures.collect::<Vec<_>>().join("; ");
    format!(
        "{model}, {}, provisional (round 1 of {rounds}): {figures}",
        counted(count, "thread")
    )
}

fn shown(ns: u64) -> String {
    format!("{:.2?}", Duration::from_nanos(ns))
}

/// Why a latency is not valid.
fn fault(record: &LatencyRecord) -> &str {
    if record.reason.is_empty() {
        &record.caching
    } else {
        &record.reason
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use harness_worker::WorkerSpec;

    use super::*;
    use crate::lane::Lane;

    #[test]
    fn a_provisional_line_has_the_first_round_of_each_backend() {
        let lane = |name: &str| Lane {
            spec: Arc::new(WorkerSpec::new(name, "worker")),
            threads: 2,
            version: String::new(),
        };
        let lanes = ["a", "b", "c"].map(lane);
        let mut series: Vec<Series> = lanes.iter().map(Series::new).collect();
        series[0].round_ns = vec![5_000_000, 9_000_000];
        series[2] = Series::failed(&lanes[2], "the worker ended");
        assert_eq!(
            provisional("net", &series, 8),
            "net, 2 threads, provisional (round 1 of 8): a 5.00ms; b not measured; c no valid latency (the worker ended)"
        );
    }
}
