//! How far answers are off: in units in the last place, and beside the error that rounding can explain.

use super::axis::{Axis, power};
use super::chart::{Chart, Curve, Join, svg};
use crate::render::RenderError;
use run_record::Report;
use run_record::shown::one_line;
use run_record::text::{clip, percent};
use run_record::{OutputStats, ulp_bin_top};

/// The share of elements that are off by more than so many ULP, by backend.
pub(super) fn errors(report: &Report, legend: &[&str]) -> Result<Option<String>, RenderError> {
    let curves: Vec<Curve> = legend
        .iter()
        .enumerate()
        .map(|(series, name)| error_curve(report, series, name))
        .collect();
    if curves.iter().all(|curve| curve.points.is_empty()) {
        return Ok(None);
    }
    let shares = || {
        curves
            .iter()
            .flat_map(|curve| curve.points.iter().map(|(_, share)| *share))
    };
    let figures = || {
        curves
            .iter()
            .flat_map(|curve| curve.points.iter().map(|(ulp, _)| *ulp))
    };
    let chart = Chart {
        title: "Elements that are off by more than so many units in the last place".to_owned(),
        x: Axis::decades(
            "units in the last place; 0.5 stands for every element that is not exact",
            figures(),
            power,
        ),
        y: Axis::decades("share of the elements", shares(), share),
        curves,
        guides: Vec::new(),
    };
    svg(
        "Distribution of errors in units in the last place, by backend",
        legend,
        &[chart],
    )
    .map(Some)
}

/// Half a unit stands for zero, which a logarithmic axis does not have.
const ZERO: f64 = 0.5;

pub(super) fn error_curve(report: &Report, series: usize, backend: &str) -> Curve {
    let (mut bins, mut wild): (Vec<u64>, u64) = (Vec::new(), 0);
    for output in outputs(report, backend) {
        bins.resize(bins.len().max(output.ulps.len()), 0);
        bins.iter_mut()
            .zip(&output.ulps)
            .for_each(|(sum, count)| *sum += count);
        wild += output.special.nan + output.special.infinity;
    }
    let total = bins.iter().sum::<u64>() + wild;
    let mut beyond = total;
    let mut points = Vec::new();
    for (bin, count) in bins.iter().enumerate() {
        beyond -= count;
        if beyond > 0 {
            points.push((ulp_bin_top(bin).max(ZERO), beyond as f64 / total as f64));
        }
    }
    Curve {
        series,
        join: Join::Steps,
        points,
    }
}

/// The largest error of each output beside the largest that rounding can explain, a panel for each backend.
pub(super) fn bounds(report: &Report, legend: &[&str]) -> Result<Option<String>, RenderError> {
    let curves: Vec<Curve> = legend
        .iter()
        .enumerate()
        .map(|(series, name)| bound_curve(report, series, name))
        .filter(|curve| !curve.points.is_empty())
        .collect();
    if curves.is_empty() {
        return Ok(None);
    }
    let all = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    // All panels have the same axes, so that backends can be compared.
    let x = Axis::decades(
        "largest error that rounding explains",
        all().map(|(bound, _)| bound),
        power,
    );
    let y = Axis::decades(
        "largest error of the output",
        all().map(|(_, error)| error),
        power,
    );
    let (low, high) = (x.low.max(y.low), x.high.min(y.high));
    let panel = |curve: &Curve| Chart {
        title: format!(
            "{}: errors of outputs; rounding explains those below the line",
            clip(
                &one_line(legend.get(curve.series).copied().unwrap_or_default()),
                40
            )
        ),
        x: x.clone(),
        y: y.clone(),
        curves: vec![curve.clone()],
        guides: (low < high)
            .then_some([(low, low), (high, high)])
            .into_iter()
            .collect(),
    };
    let charts: Vec<Chart> = curves.iter().map(panel).collect();
    svg(
        "The largest error of each output beside its bound, by backend",
        &[],
        &charts,
    )
    .map(Some)
}

pub(super) fn bound_curve(report: &Report, series: usize, backend: &str) -> Curve {
    let point = |output: &OutputStats| {
        let known = |value: f64| (value.is_finite() && value > 0.0).then_some(value);
        let (error, part) = (known(output.max_abs)?, known(output.of_bound)?);
        // Of two elements one may have the largest error, the other the largest part of its bound:
        // the bound is then that of an element with the largest error at the largest part.
        Some((known(error / part)?, error))
    };
    Curve {
        series,
        join: Join::Not,
        points: outputs(report, backend).filter_map(point).collect(),
    }
}

fn outputs<'a>(report: &'a Report, backend: &'a str) -> impl Iterator<Item = &'a OutputStats> {
    report.cases_of(backend).flat_map(|record| &record.outputs)
}

/// `1 %`, `0.01 %`, `1e-8`.
fn share(part: f64) -> String {
    match part {
        part if part >= 0.999 => percent(1, 1),
        part if part >= 0.999e-4 => format!("{} %", (part * 1e6).round() / 1e4),
        part => format!("{part:.0e}"),
    }
}
