//! `populations.json` and `populations.csv`: how backends add.

use csv::Error;
use serde::Serialize;

use super::RenderError;
use super::csv::{Buffer, table};
use run_record::sums::{BackendSums, PopulationFound, Sums};

#[derive(Serialize)]
struct Row<'a> {
    backend: &'a str,
    operator: &'a str,
    element_type: &'a str,
    terms: &'a str,
    length: usize,
    sums: Option<usize>,
    mean_square: Option<f64>,
    bias: Option<f64>,
    verdict: Option<&'a str>,
    accumulator: Option<&'a str>,
    reason: Option<&'a str>,
}

const COLUMNS: [&str; 11] = [
    "backend",
    "operator",
    "element_type",
    "terms",
    "length",
    "sums",
    "mean_square",
    "bias",
    "verdict",
    "accumulator",
    "reason",
];

/// `populations.csv`: one row for each population of each backend, with what the operator adds with.
pub fn populations_csv(sums: &Sums) -> Result<String, RenderError> {
    table(&COLUMNS, &sums.backends, |backend, writer| {
        backend
            .populations
            .iter()
            .try_for_each(|population| row(backend, population, writer))
    })
}

/// `populations.json`, which [`Sums::read`] reads.
pub fn populations_json(sums: &Sums) -> Result<String, RenderError> {
    Ok(serde_json::to_string_pretty(sums)?)
}

fn row(backend: &BackendSums, population: &PopulationFound, writer: &mut Buffer) -> Result<(), Error> {
    let adder = backend.accumulators.iter().find(|adder| {
        (&adder.operator, &adder.element_type) == (&population.operator, &population.element_type)
    });
    writer.serialize(Row {
        backend: &backend.backend,
        operator: &population.operator,
        element_type: &population.element_type,
        terms: &population.terms,
        length: population.length,
        sums: population.sums,
        mean_square: population.mean_square,
        bias: population.bias,
        verdict: population.verdict.map(run_record::sums::Verdict::label),
        accumulator: adder.and_then(|adder| adder.accumulator.as_deref()),
        reason: population.reason.as_deref(),
    })
}
