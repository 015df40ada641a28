//! A series as a sparkline: a line over the runs, a mark at each change point, and a tick where the
//! version changes.

use super::direction;
use run_record::text::counted;
use run_record::trends::{Series, Trend};

/// The picture's size, in its own units.
pub(super) const WIDTH: f64 = 320.0;
pub(super) const HEIGHT: f64 = 40.0;

/// The line keeps this distance from the borders.
const MARGIN: f64 = 5.0;

/// Where the ticks of versions begin; they end at the lower border.
const TICKS: f64 = HEIGHT - 3.0;

/// What the template draws.
pub(super) struct Spark {
    /// What the picture shows, for those who do not see it.
    pub words: String,
    /// The path of the line.
    pub line: String,
    /// The path of the ticks.
    pub ticks: String,
    /// The newest figure.
    pub end: Option<(String, String)>,
    pub marks: Vec<Mark>,
}

/// A change point.
pub(super) struct Mark {
    pub direction: &'static str,
    /// The path of a triangle that points upwards where the figure rises.
    pub path: String,
    /// The line at the place of the change.
    pub x: String,
    pub words: String,
}

pub(super) fn spark(trend: &Trend, series: &Series) -> Spark {
    let known = || series.values.iter().flatten().copied();
    let low = known().fold(f64::INFINITY, f64::min);
    let high = known().fold(f64::NEG_INFINITY, f64::max);
    let last = series.values.len().saturating_sub(1).max(1) as f64;
    let x = |at: usize| MARGIN + (WIDTH - 2.0 * MARGIN) * at as f64 / last;
    let y = |value: f64| {
        if high > low {
            MARGIN + (TICKS - 2.0 * MARGIN) * (high - value) / (high - low)
        } else {
            TICKS / 2.0
        }
    };
    let newest = series
        .values
        .iter()
        .enumerate()
        .filter_map(|(at, value)| Some((at, (*value)?)))
        .next_back();
    Spark {
        words: words(series, low, high),
        line: line(series, x, y),
        ticks: ticks(trend, x),
        end: newest.map(|(at, value)| (number(x(at)), number(y(value)))),
        marks: marks(trend, series, x),
    }
}

/// `pass over 500 runs: 1,700 to 1,726, 2 changes`.
fn words(series: &Series, low: f64, high: f64) -> String {
    let count = series.values.iter().flatten().count();
    let range = if high >= low {
        format!(
            ": {} to {}",
            series.measure.figure(low),
            series.measure.figure(high)
        )
    } else {
        String::new()
    };
    let changes = match series.changes.len() {
        0 => String::new(),
        count => format!(", {}", counted(count, "change")),
    };
    format!(
        "{} over {}{range}{changes}",
        series.title(),
        counted(count, "run")
    )
}

/// A line through the figures, with a gap where a run has none. A figure between two gaps is a dot.
fn line(series: &Series, x: impl Fn(usize) -> f64, y: impl Fn(f64) -> f64) -> String {
    let mut path = String::new();
    let mut drawing = false;
    for (at, value) in series.values.iter().enumerate() {
        let Some(value) = value else {
            drawing = false;
            continue;
        };
        let (x, y) = (number(x(at)), number(y(*value)));
        if drawing {
            path.push_str(&format!("L{x} {y}"))
        } else {
            path.push_str(&format!("M{x} {y}h0"))
        }
        drawing = true;
    }
    path
}

fn ticks(trend: &Trend, x: impl Fn(usize) -> f64) -> String {
    let changed = trend.runs.windows(2).enumerate().filter(|(_, runs)| match runs {
        [before, after] => before.version != after.version,
        _ => false,
    });
    changed
        .map(|(at, _)| format!("M{} {TICKS}V{HEIGHT}", number(x(at + 1))))
        .collect()
}

fn marks(trend: &Trend, series: &Series, x: impl Fn(usize) -> f64) -> Vec<Mark> {
    let mark = |change: &run_record::trends::SeriesChange| {
        let run = trend.runs.get(change.run)?;
        let at = x(change.run);
        let rises = change.after > change.before;
        let (top, bottom) = if rises { (0.0, 5.0) } else { (5.0, 0.0) };
        let version = run.version.as_str();
        Some(Mark {
            direction: direction(series.measure.is_better(change.before, change.after)).0,
            path: format!(
                "M{} {bottom}H{}L{} {top}Z",
                number(at - 4.0),
                number(at + 4.0),
                number(at)
            ),
            x: number(at),
            words: format!(
                "{} → {} since {}, version {version}",
                series.measure.figure(change.before),
                series.measure.figure(change.after),
                run.started
            ),
        })
    };
    series.changes.iter().filter_map(mark).collect()
}

/// A coordinate, to a tenth.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use run_record::trends::{Measure, SeriesChange, TrendRun};

    fn trend(versions: &[&str], values: &[Option<f64>], changes: Vec<SeriesChange>) -> Spark {
        let run = |version: &&str| TrendRun {
            started: "2026-11-22T10:00:00Z".to_owned(),
            version: (*version).to_owned(),
            ..TrendRun::default()
        };
        let trend = Trend {
            runs: versions.iter().map(run).collect(),
            ..Trend::default()
        };
        let series = Series {
            measure: Measure::Pass,
            subject: String::new(),
            values: values.to_vec(),
            changes,
        };
        spark(&trend, &series)
    }

    /// Eleven runs are 31 units apart (310 / 10), from 5 to 315; figures lie between 5 (the
    /// highest) and 32 (the lowest).
    #[test]
    fn lines_have_gaps_ticks_and_marks() {
        let mut values = vec![Some(10.0); 11];
        values[4] = None;
        values[10] = Some(20.0);
        let mut versions = ["1"; 11];
        versions[10] = "2";
        let change = SeriesChange {
            run: 10,
            before: 10.0,
            after: 20.0,
            p: 0.0,
            broke: None,
            fixed: None,
        };
        let spark = trend(&versions, &values, vec![change]);
        assert_eq!(
            spark.line,
            "M5 32h0L36 32L67 32L98 32M160 32h0L191 32L222 32L253 32L284 32L315 5"
        );
        assert_eq!(spark.ticks, "M315 37V40");
        assert_eq!(spark.end, Some(("315".to_owned(), "5".to_owned())));
        assert_eq!(spark.marks[0].path, "M311 5H319L315 0Z");
        assert_eq!(spark.marks[0].direction, "better");
        assert_eq!(spark.words, "pass over 10 runs: 10 to 20, 1 change");
    }

    #[test]
    fn a_series_without_figures_or_without_changes_can_be_drawn() {
        let spark = trend(&["1"], &[None], Vec::new());
        assert_eq!((spark.line.as_str(), spark.end.is_none()), ("", true));
        assert_eq!(spark.words, "pass over 0 runs");
        let spark = trend(&["1"], &[Some(7.0)], Vec::new());
        assert_eq!(spark.line, "M5 18.5h0");
        let spark = trend(&[], &[], Vec::new());
        assert_eq!(spark.line, "");
    }
}
