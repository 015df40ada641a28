//! Latency against accuracy: how long a backend takes for a model, and how many digits of its
//! answer are right.

use super::axis::Axis;
use super::chart::{Chart, Curve, Join, svg};
use crate::render::RenderError;
use run_record::CaseRecord;
use run_record::Report;
use run_record::text::nanoseconds;

/// With more panels a picture is too small to read.
const PANELS: usize = 12;

/// A mark for each backend, a panel for each model whose outputs were compared with the model's
/// noise. The dashed line is the number of digits that rounding leaves.
pub(super) fn tradeoff(report: &Report, legend: &[&str]) -> Result<Option<String>, RenderError> {
    let mut models: Vec<&str> = report
        .cases
        .iter()
        .filter(|record| point(record).is_some())
        .map(|record| record.case.as_str())
        .collect();
    models.dedup();
    let charts: Vec<Chart> = models
        .into_iter()
        .take(PANELS)
        .map(|model| panel(report, legend, model))
        .collect();
    if charts.is_empty() {
        Ok(None)
    } else {
        svg("Latency against accuracy, by model and backend", legend, &charts).map(Some)
    }
}

/// The time of the run, and the digits of the least accurate output.
pub(super) fn point(record: &CaseRecord) -> Option<(f64, f64)> {
    let noises = record.outputs.iter().filter_map(|output| output.noise.as_ref());
    let digits = noises.map(|noise| noise.deviation.digits).reduce(f64::min)?;
    let time = record.run_ns.filter(|time| *time > 0)?;
    digits.is_finite().then_some((time as f64, digits.max(0.0)))
}

fn panel(report: &Report, legend: &[&str], model: &str) -> Chart {
    let records: Vec<&CaseRecord> = report
        .cases
        .iter()
        .filter(|record| record.case == model)
        .collect();
    let curve = |(series, name): (usize, &&str)| Curve {
        series,
        join: Join::Apart,
        points: records
            .iter()
            .filter(|record| record.backend == *name)
            .filter_map(|record| point(record))
            .collect(),
    };
    let curves: Vec<Curve> = legend.iter().enumerate().map(curve).collect();
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let outputs = records.iter().flat_map(|record| &record.outputs);
    let floors = outputs.filter_map(|output| Some(output.noise.as_ref()?.floor.digits));
    let floor = floors.filter(|digits| digits.is_finite()).reduce(f64::min);
    let x = Axis::decades("time of a run", points().map(|(time, _)| time), |ns| {
        nanoseconds(ns.round() as u64)
    });
    let y = Axis::round(
        "right decimal digits of the least accurate output; the dashed line is the model's own noise",
        points().map(|(_, digits)| digits).chain(floor).chain([0.0]),
        |digits| format!("{digits}"),
    );
    Chart {
        title: model.to_owned(),
        guides: floor
            .map(|digits| [(x.low, digits), (x.high, digits)])
            .into_iter()
            .collect(),
        x,
        y,
        curves,
    }
}
