//! The rules and their operators.
//!
//! To add a rule, write a function `fn(&Query) -> Result<Vec<Radius>, OpError>` in the file of its family,
//! and its line in the table of that file. An operator without a rule has no bound, and the harness reports
//! that.

pub mod activation;
mod affine_grid;
mod arithmetic;
pub mod attention;
mod batch_normalization;
mod causal_convolution;
mod comparison;
mod contrib;
mod convolution;
mod counted;
mod deformable;
mod determinant;
pub mod exact;
mod flex_attention;
pub mod fourier;
pub mod generated;
mod indexed;
mod integer_products;
mod iteration;
mod jumps;
pub mod linear;
mod linear_attention;
mod local_response;
pub mod loss;
mod mel;
pub mod normalization;
mod optimizer;
pub mod pointwise;
mod predictor;
pub mod quantized;
mod quantized_dynamically;
mod recurrent;
pub mod reduction;
mod region;
mod rotary;
pub mod sampled;
pub mod scattered;
mod selected;
pub mod selection;
pub mod softmax;

pub use predictor::function_of_scores;

use std::collections::HashMap;
use std::sync::LazyLock;

use onnx_arithmetic::pairs::Pair;
use onnx_operators::frame::OpError;

use crate::{Query, Radius};

/// Maps one evaluation to the radii of its outputs.
pub type Rule = fn(&Query<'_>) -> Result<Vec<Radius>, OpError>;

/// Writes the errors of the elements of an output from a position on.
pub type Written<'q> = Box<dyn Fn(usize, &mut [f64]) + 'q>;

/// Writes the typical errors of the first output, which is of float, for frequent operators on exact inputs:
/// in the place where they are needed, in place of an array of radii.
pub(crate) fn written<'q>(query: &'q Query<'_>) -> Option<Written<'q>> {
    let schema = query.call.schema();
    if !schema.domain.is_empty() {
        return None;
    }
    match schema.name {
        "Add" => arithmetic::written(query, Pair::Add),
        "Sub" => arithmetic::written(query, Pair::Sub),
        "Mul" => arithmetic::written(query, Pair::Mul),
        "Div" => arithmetic::written_quotients(query),
        "BatchNormalization" => batch_normalization::written(query),
        _ => pointwise::written(query),
    }
}

/// An operator with its rule.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its domain; `""` is ai.onnx.
    pub domain: &'static str,
    pub name: &'static str,
    pub rule: Rule,
}

/// An operator of ai.onnx with its rule.
pub(crate) const fn entry(name: &'static str, rule: Rule) -> Entry {
    Entry {
        domain: "",
        name,
        rule,
    }
}

/// Every operator with a rule, family by family.
fn entries() -> impl Iterator<Item = &'static Entry> {
    [
        activation::RULES,
        affine_grid::RULES,
        arithmetic::RULES,
        attention::RULES,
        batch_normalization::RULES,
        causal_convolution::RULES,
        comparison::RULES,
        contrib::RULES,
        convolution::RULES,
        counted::RULES,
        deformable::RULES,
        determinant::RULES,
        exact::RULES,
        flex_attention::RULES,
        fourier::RULES,
        generated::RULES,
        integer_products::RULES,
        iteration::RULES,
        jumps::RULES,
        linear::RULES,
        linear_attention::RULES,
        local_response::RULES,
        loss::RULES,
        mel::RULES,
        normalization::RULES,
        optimizer::RULES,
        pointwise::RULES,
        predictor::RULES,
        quantized::RULES,
        quantized_dynamically::RULES,
        recurrent::RULES,
        reduction::RULES,
        region::RULES,
        rotary::RULES,
        sampled::RULES,
        scattered::RULES,
        selected::RULES,
        selection::RULES,
        softmax::RULES,
    ]
    .into_iter()
    .flatten()
}

/// The entries by domain and name.
fn by_name(entries: impl Iterator<Item = &'static Entry>) -> HashMap<(&'static str, &'static str), Rule> {
    entries
        .map(|entry| ((entry.domain, entry.name), entry.rule))
        .collect()
}

/// Whether an operator rounds its results. All do except those that only move, count or decide, and those
/// that run bodies.
pub fn rounds(domain: &str, name: &str) -> bool {
    static QUIET: LazyLock<HashMap<(&str, &str), Rule>> = LazyLock::new(|| {
        let exact = exact::RULES.iter().chain(counted::RULES);
        by_name(exact.chain(integer_products::RULES))
    });
    !QUIET.contains_key(&(domain, name)) && !matches!(name, "If" | "Loop" | "Scan" | "SequenceMap")
}

/// The rule of an operator.
pub fn rule(domain: &str, name: &str) -> Option<Rule> {
    static RULES: LazyLock<HashMap<(&str, &str), Rule>> = LazyLock::new(|| by_name(entries()));
    RULES.get(&(domain, name)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_has_one_rule() {
        let mut names: Vec<_> = entries().map(|entry| (entry.domain, entry.name)).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None);
    }
}
