//! The roofline: how many operations a step makes in a second, over its operations for each byte.

use crate::render::RenderError;
use crate::render::pictures::{Axis, Chart, Curve, Join, element, power, svg};
use run_record::profile::{Peak, Profile};

/// A mark for each step with a cost, a series for each backend; dashed are the peaks of arithmetic
/// and of the largest and the smallest memory. `None` without a measured peak or a step with a
/// cost.
pub fn roofline_svg(profile: &Profile) -> Result<Option<String>, RenderError> {
    let about = "Roofline: operations in a second over operations for each byte";
    let chart = panel(profile);
    chart
        .map(|chart| svg(about, &legend(profile), &[chart]))
        .transpose()
}

/// The same as an SVG element for a page.
pub(super) fn inline(profile: &Profile) -> Result<Option<String>, RenderError> {
    let chart = panel(profile);
    chart.map(|chart| element(&legend(profile), &[chart])).transpose()
}

fn legend(profile: &Profile) -> Vec<&str> {
    let names = profile.backends.iter().map(|backend| backend.name.as_str());
    names.collect()
}

fn panel(profile: &Profile) -> Option<Chart> {
    let peak = profile.peak.as_ref()?;
    let curves: Vec<Curve> = profile
        .backends
        .iter()
        .enumerate()
        .map(|(series, backend)| Curve {
            series,
            join: Join::Not,
            points: backend
                .steps
                .iter()
                .filter_map(|step| {
                    let cost = step.cost?;
                    let known = cost.operations > 0.0 && cost.bytes > 0.0 && step.own_ns > 0.0;
                    known.then(|| (cost.operations / cost.bytes, cost.operations / step.own_ns))
                })
                .collect(),
        })
        .collect();
    let any = curves.iter().any(|curve| !curve.points.is_empty());
    any.then(|| chart(&profile.model, peak, curves))
}

fn chart(model: &str, peak: &Peak, curves: Vec<Curve>) -> Chart {
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let top = peak.operations / 1e9;
    let x = Axis::decades(
        "operations for each byte (FLOP/B)",
        points().map(|(intensity, _)| intensity).chain([0.1, 100.0]),
        power,
    );
    let y = Axis::decades("GFLOP/s", points().map(|(_, rate)| rate).chain([top]), power);
    let slope = |rate: f64| {
        let rate = rate / 1e9;
        let corner = (top / rate).clamp(x.low, x.high);
        [(x.low, x.low * rate), (corner, corner * rate)]
    };
    let ends = [peak.bytes.first(), peak.bytes.last()];
    let mut guides = vec![[(x.low, top), (x.high, top)]];
    guides.extend(ends.into_iter().flatten().map(|(_, rate)| slope(*rate)));
    Chart {
        title: format!("{model}: how far each step is from the peak"),
        x,
        y,
        curves,
        guides,
    }
}
