//! `populations.json` and `populations.csv`: how backends add.

use super::RenderError;
use super::table::{Field, Table};
use run_record::sums::{BackendSums, PopulationFound, Sums, Verdict};

/// A population of a backend.
type Row<'a> = (&'a BackendSums, &'a PopulationFound);

/// `populations.csv`: one row for each population of each backend, with what the operator adds with.
pub fn populations_csv(sums: &Sums) -> Result<String, RenderError> {
    let rows = sums.backends.iter().flat_map(|backend| {
        let populations = backend.populations.iter();
        populations.map(move |population| (backend, population))
    });
    Table::of(&fields(), rows).csv()
}

fn fields<'a>() -> Vec<Field<Row<'a>>> {
    vec![
        ("backend", |(backend, _)| backend.backend.as_str().into()),
        ("operator", |(_, found)| found.operator.as_str().into()),
        ("element_type", |(_, found)| found.element_type.as_str().into()),
        ("terms", |(_, found)| found.terms.as_str().into()),
        ("length", |(_, found)| found.length.into()),
        ("sums", |(_, found)| found.sums.into()),
        ("mean_square", |(_, found)| found.mean_square.into()),
        ("bias", |(_, found)| found.bias.into()),
        ("verdict", |(_, found)| found.verdict.map(Verdict::label).into()),
        ("accumulator", |(backend, found)| {
            accumulator(backend, found).into()
        }),
        ("reason", |(_, found)| found.reason.as_deref().into()),
    ]
}

/// What the operator adds with.
fn accumulator<'a>(backend: &'a BackendSums, found: &PopulationFound) -> Option<&'a str> {
    let adder = backend
        .accumulators
        .iter()
        .find(|adder| (&adder.operator, &adder.element_type) == (&found.operator, &found.element_type));
    adder?.accumulator.as_deref()
}

/// `populations.json`, which [`Sums::read`] reads.
pub fn populations_json(sums: &Sums) -> Result<String, RenderError> {
    Ok(serde_json::to_string_pretty(sums)?)
}
