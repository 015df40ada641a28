//! How many cases pass, by the opset that they need.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::chart::{Chart, Curve, Join, svg};
use crate::render::RenderError;
use crate::render::html::needed_opset;
use run_record::Report;
use run_record::VerdictKind;

/// The share of cases that pass, by opset and backend; cases that say nothing of the backend are left out.
pub(super) fn support(report: &Report, legend: &[&str]) -> Result<Option<String>, RenderError> {
    let curves: Vec<Curve> = legend
        .iter()
        .enumerate()
        .map(|(series, name)| curve(report, series, name))
        .collect();
    let opsets = || {
        curves
            .iter()
            .flat_map(|curve| curve.points.iter().map(|(opset, _)| *opset))
    };
    let (Some(first), Some(last)) = (opsets().reduce(f64::min), opsets().reduce(f64::max)) else {
        return Ok(None);
    };
    let step = if last - first > 16.0 { 2 } else { 1 };
    let (first, last) = (first as u32, (last as u32).max(first as u32 + 1));
    let last = first + (last - first).div_ceil(step) * step;
    let ticks = (first..=last).step_by(step as usize).map(f64::from);
    let chart = Chart {
        title: "Cases that pass, by the opset that their operators need".to_owned(),
        x: Axis::linear("opset of the newest operator in the case", ticks, |opset| {
            format!("{opset}")
        }),
        y: Axis::linear("share of the cases", [0.0, 25.0, 50.0, 75.0, 100.0], |part| {
            format!("{part} %")
        }),
        curves,
        guides: Vec::new(),
    };
    svg("Share of cases that pass by opset, by backend", legend, &[chart]).map(Some)
}

pub(super) fn curve(report: &Report, series: usize, backend: &str) -> Curve {
    let mut counts: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for record in report.cases_of(backend) {
        let kind = record.verdict.kind();
        if let (Some(opset), Some(_)) = (needed_opset(&record.operators), kind.severity()) {
            let (passed, all) = counts.entry(opset).or_default();
            *passed += u64::from(kind == VerdictKind::Pass);
            *all += 1;
        }
    }
    let part =
        |(opset, (passed, all)): (u32, (u64, u64))| (f64::from(opset), 100.0 * passed as f64 / all as f64);
    Curve {
        series,
        join: Join::Lines,
        points: counts.into_iter().map(part).collect(),
    }
}
