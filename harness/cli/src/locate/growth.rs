//! The growth of the propagated error as a table with bars, a chart and a CSV file.

use std::path::{Path, PathBuf};

use harness_investigate::locate::{Finding, Growth, Location};
use reports::render::{ErrorGrowth, RenderError, growth_svg};
use run_record::replace_in;

use super::lines::number;
use crate::CliError;
use crate::columns::columns;

/// The length of the bar of the largest error.
const BAR: f64 = 40.0;

/// The low end of the bars, unless an error is smaller: the rounding of one float32 operation.
const ROUNDING: f64 = 1e-8;

/// The table, with a bar for each error.
pub(super) fn table(growth: &[Growth]) -> Vec<String> {
    if growth.is_empty() {
        return Vec::new();
    }
    let scale = Scale::of(growth);
    let header = [
        "node".to_owned(),
        "name".to_owned(),
        "operator".to_owned(),
        "error".to_owned(),
        format!(
            "from {} to {}, logarithmic",
            number(scale.low),
            number(scale.high)
        ),
    ];
    let mut rows = vec![header.to_vec()];
    rows.extend(growth.iter().map(|growth| {
        vec![
            growth.index.to_string(),
            growth.node.clone(),
            growth.operator.clone(),
            number(growth.deviation),
            scale.bar(growth.deviation),
        ]
    }));
    let mut lines = vec!["propagated error after nodes:".to_owned()];
    lines.extend(columns("  ", &rows));
    lines
}

/// The range of the bars.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn of(growth: &[Growth]) -> Scale {
        let errors = growth.iter().map(|growth| growth.deviation);
        let errors: Vec<f64> = errors.filter(|error| *error > 0.0 && error.is_finite()).collect();
        let low = errors.iter().copied().fold(ROUNDING, f64::min);
        Scale {
            low,
            high: errors.iter().copied().fold(10.0 * low, f64::max),
        }
    }

    /// A bar; none for 0, the longest for an infinite error.
    fn bar(&self, error: f64) -> String {
        let part = (error / self.low).log10() / (self.high / self.low).log10();
        // An error that is not 0 has a bar.
        let length = if error > 0.0 {
            (part * BAR).clamp(1.0, BAR)
        } else {
            0.0
        };
        "█".repeat(length.round() as usize)
    }
}

/// Writes `growth.csv`, and the picture (`growth.svg`) if an error was measured; returns
/// the paths.
pub(super) fn write(title: String, location: &Location, out: &Path) -> Result<Vec<PathBuf>, CliError> {
    let mut written = vec![replace_in(out, "growth.csv", &csv(&location.growth)?)?];
    if !location.growth.is_empty() {
        let picture = ErrorGrowth {
            title,
            points: location
                .growth
                .iter()
                .map(|growth| (growth.index, growth.deviation))
                .collect(),
            found: found(&location.finding),
        };
        let svg = growth_svg(&picture)?;
        written.push(replace_in(out, "growth.svg", svg.as_bytes())?);
    }
    Ok(written)
}

/// The number of the located node.
fn found(finding: &Finding) -> Option<usize> {
    match finding {
        Finding::Node(fault) => Some(fault.index),
        Finding::Fails(fault) => Some(fault.index),
        Finding::Right { .. } | Finding::Together { .. } | Finding::WholeFile(_) => None,
    }
}

fn csv(growth: &[Growth]) -> Result<Vec<u8>, CliError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(["node", "name", "operator", "error"])
        .map_err(RenderError::from)?;
    for growth in growth {
        writer
            .write_record([
                &growth.index.to_string(),
                &growth.node,
                &growth.operator,
                &growth.deviation.to_string(),
            ])
            .map_err(RenderError::from)?;
    }
    Ok(writer
        .into_inner()
        .map_err(|error| RenderError::from(csv::Error::from(error.into_error())))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_with_the_logarithm_of_the_error() {
        let errors = [0.0, 1e-8, 1e-4, 1.0, f64::INFINITY];
        let growth = errors.map(|deviation| Growth {
            index: 0,
            node: "n".to_owned(),
            operator: "Add-14".to_owned(),
            deviation,
        });
        let scale = Scale::of(&growth);
        let lengths = errors.map(|error| scale.bar(error).chars().count());
        assert_eq!(lengths, [0, 1, 20, 40, 40]);
        assert!(table(&[]).is_empty());
        // One small error.
        assert_eq!(Scale::of(&growth[..1]).bar(1e-9).chars().count(), 1);
    }
}
