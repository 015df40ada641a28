//! How many cases pass over the runs of a history.

use super::axis::Axis;
use super::chart::{Chart, Curve, Join, svg};
use crate::render::RenderError;
use run_record::text::ulp;
use run_record::trends::{Measure, Trend, Trends};

/// With more panels a picture is too small to read.
const PANELS: usize = 12;

/// The counts of passed cases over runs, a panel for each trend; a dashed line is at each
/// change. Empty without a count.
pub fn history_svg(history: &Trends) -> Result<String, RenderError> {
    let charts: Vec<Chart> = history.trends.iter().filter_map(panel).take(PANELS).collect();
    svg(
        "Cases that pass over the runs of a history, by backend",
        &[],
        &charts,
    )
}

fn panel(trend: &Trend) -> Option<Chart> {
    let series = trend
        .series
        .iter()
        .find(|series| series.measure == Measure::Pass)?;
    let points: Vec<(f64, f64)> = series
        .values
        .iter()
        .enumerate()
        .filter_map(|(run, value)| Some((run as f64, (*value)?)))
        .collect();
    let y = Axis::round("cases that pass", points.iter().map(|(_, count)| *count), ulp);
    let last = trend.runs.len().saturating_sub(1);
    let day = |run: f64| {
        let run = trend.runs.get(run as usize);
        run.map(|run| run.started.chars().take(10).collect())
            .unwrap_or_default()
    };
    let mut ticks: Vec<f64> = [0, last / 2, last].map(|run| run as f64).into();
    ticks.dedup();
    Some(Chart {
        title: format!("{}, {}", trend.backend, trend.about),
        x: Axis::linear("first day of a run", ticks, day),
        guides: series
            .changes
            .iter()
            .map(|change| [(change.run as f64, y.low), (change.run as f64, y.high)])
            .collect(),
        y,
        curves: vec![Curve {
            series: 0,
            join: Join::Steps,
            points,
        }],
    })
}
