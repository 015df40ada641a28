//! Errors in ULP: their distribution for each operator and element type on each backend.

use std::collections::BTreeMap;

use super::totals::{Bar, Segment};
use run_record::Report;
use run_record::text::{percent, thousands, ulp};
use run_record::{CaseRecord, OutputStats, Verdict, ulp_bin_top};

pub(super) struct Errors {
    pub rows: Vec<Row>,
    /// Pairs of operator and type that are exact on every backend; they have no row.
    pub exact: String,
    /// The text if there are no rows.
    pub none: &'static str,
}

/// One operator version with one element type.
pub(super) struct Row {
    pub operator: String,
    pub dtype: String,
    pub cells: Vec<Option<Cell>>,
}

/// The errors of one backend.
pub(super) struct Cell {
    pub bar: Bar,
    /// The number of ULP that 99 of 100 elements do not exceed.
    pub most: String,
    pub max: String,
}

/// Numbers of elements by distance in ULP, as in [`OutputStats::ulps`]; `wild` are pairs with NaN or an
/// infinity.
#[derive(Clone, Default)]
struct Distribution {
    bins: Vec<u64>,
    wild: u64,
}

impl Distribution {
    fn add(&mut self, output: &OutputStats) {
        if self.bins.len() < output.ulps.len() {
            self.bins.resize(output.ulps.len(), 0);
        }
        self.bins
            .iter_mut()
            .zip(&output.ulps)
            .for_each(|(sum, count)| *sum += count);
        self.wild += output.special.nan + output.special.infinity;
    }

    fn total(&self) -> u64 {
        self.bins.iter().sum::<u64>() + self.wild
    }

    fn is_exact(&self) -> bool {
        self.bins.len() <= 1 && self.wild == 0
    }

    /// The smallest end of a bin in ULP that `percent` of 100 elements do not exceed.
    fn quantile(&self, percent: u64) -> f64 {
        let wanted = (self.total() * percent).div_ceil(100);
        let mut seen = 0;
        let bin = self.bins.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        bin.map_or(f64::INFINITY, ulp_bin_top)
    }

    fn max(&self) -> f64 {
        match (self.wild, self.bins.len().checked_sub(1)) {
            (0, Some(last)) => ulp_bin_top(last),
            (0, None) => 0.0,
            _ => f64::INFINITY,
        }
    }
}

/// The segments of the bars: class, bins, description.
const SEGMENTS: [(&str, std::ops::Range<usize>, &str); 6] = [
    ("ulp-0", 0..1, "exact"),
    ("ulp-1", 1..2, "off by 1 ULP"),
    ("ulp-4", 2..4, "off by 2 to 4 ULP"),
    ("ulp-64", 4..8, "off by 5 to 64 ULP"),
    ("ulp-1024", 8..12, "off by 65 to 1,024 ULP"),
    ("ulp-more", 12..usize::MAX, "off by more"),
];

pub(super) fn errors(report: &Report) -> Errors {
    let mut found: BTreeMap<(&str, &str), Vec<Option<Distribution>>> = BTreeMap::new();
    for (rank, backend) in report.backends.iter().enumerate() {
        for record in report.cases_of(&backend.info.name) {
            for (operator, output) in measured(record) {
                let row = found
                    .entry((operator, &output.dtype))
                    .or_insert_with(|| vec![None; report.backends.len()]);
                row[rank].get_or_insert_default().add(output);
            }
        }
    }
    let all = found.len();
    found.retain(|_, row| row.iter().flatten().any(|distribution| !distribution.is_exact()));
    Errors {
        exact: thousands((all - found.len()) as u64),
        none: none(report),
        rows: found
            .into_iter()
            .map(|((operator, dtype), row)| Row {
                operator: operator.to_owned(),
                dtype: dtype.to_owned(),
                cells: row
                    .into_iter()
                    .map(|cell| cell.as_ref().map(self::cell))
                    .collect(),
            })
            .collect(),
    }
}

/// The text if there are no rows: errors of models with several operators cannot be attributed.
fn none(report: &Report) -> &'static str {
    let measured = || report.cases.iter().flat_map(|record| &record.outputs);
    let wrong = |record: &CaseRecord| matches!(record.verdict, Verdict::Mismatch(_));
    if measured().any(|output| output.unequal > 0) || report.cases.iter().any(wrong) {
        "No error can be attributed to one operator: the outputs that differ are of models with several, or differ in structure."
    } else if measured().next().is_none() {
        "No output was measured."
    } else {
        "Every measured output is exact."
    }
}

/// The outputs with a numeric error, and the operators to which they are attributed.
fn measured(record: &CaseRecord) -> impl Iterator<Item = (&str, &OutputStats)> {
    let operator = record.accountable_operator();
    let outputs = record.outputs.iter().filter(|output| !output.max_ulp.is_nan());
    outputs.filter_map(move |output| Some((operator?, output)))
}

fn cell(distribution: &Distribution) -> Cell {
    let total = distribution.total();
    let mut segments = Vec::new();
    for (key, bins, what) in SEGMENTS {
        let inside = |bin: &(usize, &u64)| bins.contains(&bin.0);
        let mut count: u64 = distribution
            .bins
            .iter()
            .enumerate()
            .filter(inside)
            .map(|(_, count)| count)
            .sum();
        count += if key == "ulp-more" { distribution.wild } else { 0 };
        if count > 0 {
            segments.push(Segment {
                key,
                width: format!("{:.3}", count as f64 / total as f64 * 100.0),
                title: format!("{} {what}", percent(count, total)),
                text: String::new(),
            });
        }
    }
    let words: Vec<&str> = segments.iter().map(|segment| segment.title.as_str()).collect();
    Cell {
        bar: Bar {
            words: if words.is_empty() {
                "no element".to_owned()
            } else {
                words.join(", ")
            },
            segments,
        },
        most: ulp(distribution.quantile(99)),
        max: ulp(distribution.max()),
    }
}

#[cfg(test)]
mod tests {
    use super::Distribution;

    #[test]
    fn quantiles_are_the_ends_of_bins() {
        let distribution = |bins: &[u64], wild| Distribution {
            bins: bins.to_vec(),
            wild,
        };
        assert_eq!(distribution(&[99, 1], 0).quantile(99), 0.0);
        assert_eq!(distribution(&[98, 1, 0, 1], 0).quantile(99), 1.0);
        assert_eq!(distribution(&[98, 1, 0, 1], 0).max(), 4.0);
        assert_eq!(distribution(&[1], 1).quantile(99), f64::INFINITY);
        assert!(distribution(&[7], 0).is_exact() && !distribution(&[7], 1).is_exact());
    }
}
