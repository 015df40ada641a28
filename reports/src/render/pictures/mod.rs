//! The pictures of a report as SVG files, light and dark in one: to put into a document, or to look
//! at without the page.

mod accuracy;
mod axis;
mod bars;
mod chart;
mod growth;
mod history;
mod latency;
mod support;
#[cfg(test)]
mod tests;
mod throughput;
mod tradeoff;

pub(super) use self::axis::{Axis, power};
pub(super) use self::bars::{Bar, bars};
pub(super) use self::chart::{Chart, Curve, Join, element, svg};
pub use self::growth::{ErrorGrowth, growth_svg};
pub use self::history::history_svg;

use super::RenderError;
use run_record::Report;

/// A picture of a report; none where the report has nothing that it shows.
pub type Picture = fn(&Report) -> Result<Option<String>, RenderError>;

/// The pictures of a report, by the names of their files.
pub const PICTURES: [(&str, Picture); 7] = [
    ("error-distribution.svg", |report| {
        accuracy::errors(report, &legend(report))
    }),
    ("error-bound.svg", |report| {
        accuracy::bounds(report, &legend(report))
    }),
    ("opset-support.svg", |report| {
        support::support(report, &legend(report))
    }),
    ("latency-distribution.svg", |report| {
        latency::distribution(report, &legend(report))
    }),
    ("latency-accuracy.svg", |report| {
        tradeoff::tradeoff(report, &legend(report))
    }),
    ("thread-scaling.svg", |report| {
        latency::scaling(report, &legend(report))
    }),
    ("throughput.svg", |report| {
        throughput::throughput(report, &legend(report))
    }),
];

/// The backends, in the order of the report.
fn legend(report: &Report) -> Vec<&str> {
    report
        .backends
        .iter()
        .map(|backend| backend.info.name.as_str())
        .collect()
}
