//! How far a right implementation of an operator may be from the exact result: a bound for every element.
//!
//! # What it is
//! Floating-point results depend on the order of a sum, on fused multiplication, on blocking, on which polynomial stands
//! for `exp`. None of that is wrong. This crate says what such freedom can do to each element of an output, computed from the
//! very inputs of a case: a *radius* around the exact result. What lies within is explained by rounding; what lies outside
//! is not, whatever a tolerance says.
//!
//! # The model
//! u is the unit roundoff of the output's element type ([`precision::unit`]): a backend computes in that precision or a
//! better one, rounds to nearest, and keeps intermediate values finite. Then (N. Higham, *Accuracy and Stability of Numerical
//! Algorithms*, 2nd ed.):
//! - a sum of n products, in any order, with or without FMA, differs from the exact one by at most γₙ·Σ|a·b|,
//!   γₙ = n·u / (1 − n·u) (§3.1, §4.2): [`rules::linear`];
//! - an elementary function differs by a number of units in the last place that its table entry states with its source:
//!   [`rules::pointwise`];
//! - what moves elements does not change them: [`rules::exact`];
//! - compositions (softmax, norms, attention, cells of recurrent networks) are derived in the file of their family.
//!
//! Errors of inputs are carried on to first order, so a graph of several nodes has a bound as well: each rule gets the radii of its
//! inputs and answers with those of its outputs.
//!
//! # The way through it
//! - [`Radius`]: of one value: exact, within a radius for each element, or unknown with the reason.
//! - [`Query`]: one evaluation of a node: its call, its exact outputs, the radii of its inputs.
//! - [`bound`]: the radii of its outputs, by the operator's rule in [`rules`].
//! - `approx`: arrays with running errors, for compositions; `number`: the same element by element, for derivations that have loops.
//! - `rough`: magnitudes and radii as operands of one more evaluation in float, whose last digits do not matter.
//! - [`Bodies`]: the interpreter, for operators that run bodies: errors are carried from iteration to iteration.
//! - [`precision`]: unit roundoff, γ, the unit in the last place of a value.
//!
//! # What it is not
//! It decides nothing: comparing is the harness' task. It promises nothing where n·u reaches 1, where intermediate results
//! overflow, or where an input's error can flip a decision (an argmax, a comparison): there the radius is unknown or infinite,
//! never small. It never looks at what a backend answered.

mod approx;
mod bodies;
mod number;
pub mod precision;
mod query;
mod radius;
mod rough;
pub mod rules;

pub use bodies::Bodies;
pub use query::Query;
pub use radius::Radius;

/// The radii of the outputs of a node, one for each entry of `query.outputs`.
pub fn bound(query: &Query<'_>) -> Vec<Radius> {
    let schema = query.call.schema();
    let count = query.outputs.len();
    let Some(rule) = rules::rule(schema.domain, schema.name) else {
        return vec![Radius::unknown(format!("no bound is derived for {schema}")); count];
    };
    match rule(query) {
        Ok(radii) if radii.len() == count => radii,
        Ok(radii) => {
            let reason = format!(
                "the rule of {schema} gives {} radii for {count} outputs",
                radii.len()
            );
            vec![Radius::unknown(reason); count]
        }
        Err(error) => vec![Radius::unknown(format!("{schema}: {error}")); count],
    }
}
