//! How backends add: what each operator adds with, and the populations of its sums.

use crate::View;
use run_record::sums::{AccumulatorFound, BackendSums, PopulationFound, Sums as Found, Verdict};
use run_record::text::{error, signed_error};

#[derive(Default)]
pub(super) struct Sums {
    pub backends: Vec<Backend>,
    pub square_limit: String,
    pub bias_limit: String,
    /// The populations that are not explained.
    pub unexplained: Vec<Population>,
}

pub(super) struct Backend {
    pub name: String,
    pub rows: Vec<Row>,
}

/// An operator with an element type.
pub(super) struct Row {
    pub operator: String,
    pub element_type: String,
    pub accumulator: String,
    /// `12 of 12` populations; empty if none has an answer.
    pub explained: String,
    pub all_explained: bool,
    /// The largest mean square, and the bias with the largest magnitude.
    pub square: String,
    pub bias: String,
}

/// A population that is not explained.
pub(super) struct Population {
    pub backend: String,
    pub operator: String,
    pub element_type: String,
    pub terms: String,
    pub length: String,
    pub square: String,
    pub bias: String,
    pub verdict: &'static str,
}

pub(super) fn sums(report: &View) -> Sums {
    let Some(found) = &report.sums else {
        return Sums::default();
    };
    Sums {
        backends: found.backends.iter().map(backend).collect(),
        square_limit: error(found.limit_of_mean_square),
        bias_limit: error(found.limit_of_bias),
        unexplained: unexplained(found),
    }
}

fn backend(found: &BackendSums) -> Backend {
    Backend {
        name: found.backend.clone(),
        rows: found.accumulators.iter().map(|adder| row(found, adder)).collect(),
    }
}

fn row(found: &BackendSums, adder: &AccumulatorFound) -> Row {
    let of_adder = |population: &&PopulationFound| {
        (&population.operator, &population.element_type) == (&adder.operator, &adder.element_type)
            && population.verdict.is_some()
    };
    let populations: Vec<&PopulationFound> = found.populations.iter().filter(of_adder).collect();
    let is_explained = |population: &&&PopulationFound| population.verdict == Some(Verdict::Explained);
    let explained = populations.iter().filter(is_explained).count();
    let squares = populations.iter().filter_map(|population| population.mean_square);
    let biases = populations.iter().filter_map(|population| population.bias);
    Row {
        operator: adder.operator.clone(),
        element_type: adder.element_type.clone(),
        accumulator: adder.accumulator.clone().unwrap_or_else(|| {
            let reason = adder.reason.as_deref().unwrap_or("no answer");
            format!("– ({reason})")
        }),
        explained: match populations.len() {
            0 => String::new(),
            count => format!("{explained} of {count}"),
        },
        all_explained: explained == populations.len(),
        square: squares.max_by(f64::total_cmp).map(error).unwrap_or_default(),
        bias: biases
            .max_by(|a, b| a.abs().total_cmp(&b.abs()))
            .map(signed_error)
            .unwrap_or_default(),
    }
}

fn unexplained(found: &Found) -> Vec<Population> {
    let of_backend = |backend: &BackendSums| {
        let name = backend.backend.clone();
        let shown = |population: &PopulationFound| {
            let verdict = population
                .verdict
                .filter(|verdict| *verdict != Verdict::Explained)?;
            Some(Population {
                backend: name.clone(),
                operator: population.operator.clone(),
                element_type: population.element_type.clone(),
                terms: population.terms.clone(),
                length: population.length.to_string(),
                square: population.mean_square.map(error).unwrap_or_default(),
                bias: population.bias.map(signed_error).unwrap_or_default(),
                verdict: verdict.label(),
            })
        };
        backend.populations.iter().filter_map(shown).collect::<Vec<_>>()
    };
    found.backends.iter().flat_map(of_backend).collect()
}
